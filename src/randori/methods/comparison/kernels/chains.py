"""Freisleben's network for games of stones in a row: product units over chains of squares, and comparison training.

A *chain* is `k` squares in a row. Its activation for a side is the product of what its squares hold: 1 for the side's
own stone, 1/4 for an empty square, 0 for the other's stone and off the board. A *unit* is a product of chains.
Squares have a *place* on a wider board with a margin of `k - 1` squares on every side, so that whatever lies around
a square of the board has one too.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numba import types

from randori.kernels.bits import random_below
from randori.kernels.compile import inner, kernel
from randori.kernels.records import Float64s, Int8s, Int64s, numba_type

EMPTY = 0.25
OFF_BOARD = 3  # beside 0 empty, 1 a stone of colour 0, 2 one of colour 1
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))

# A square that wins, or that must be taken lest the other side wins, stands above anything that weights can give.
WINNING, SAVING = 1e200, 1e100

_FLOATS = types.Array(types.float64, 1, "C")


class Wiring(NamedTuple):
    """The fixed part of the network on one board. Chains through the square come first."""

    size: int
    k: int
    n_stars: int  # how many chains run through the square
    window: Annotated[Int64s, "56"]  # places of the squares around a square, less its own
    directions: Annotated[Int64s, "chains"]  # 0 across, 1 down, 2 falling, 3 rising
    starts: Annotated[Int64s, "chains"]  # place of the first square of each chain, less that of the square
    inputs: Annotated[Int64s, "units, most"]  # the chains of each unit, filled up with -1
    factors: Annotated[Float64s, "units"]  # what makes units of different size comparable


class Activity(NamedTuple):
    """What the network sees in one position, by colour; made inside kernels by `empty_board`."""

    cells: Annotated[Int8s, "places"]
    chains: Annotated[Float64s, "2, 4, places"]  # of the chain that begins at a place, by direction
    stars: Annotated[Float64s, "2, squares"]
    """The sum of the chains through an empty square, its own square being no input."""
    units: Annotated[Float64s, "2, squares, units"]
    fives: Annotated[Int64s, "2, squares"]  # how many chains lack the square alone


WIRING = numba_type(Wiring)
_WEIGHTS = types.Array(types.float64, 2, "C")
_BOARDS = types.Array(types.int8, 3, "C")


@inner
def place_of(square, size, k):
    return (square // size + k - 1) * (size + 2 * (k - 1)) + square % size + k - 1


@inner
def empty_board(wiring):
    """The activity of the empty board, not yet measured."""
    wide = wiring.size + 2 * (wiring.k - 1)
    n_squares = wiring.size * wiring.size
    cells = np.full(wide * wide, OFF_BOARD, np.int8)
    for square in range(n_squares):
        cells[place_of(square, wiring.size, wiring.k)] = 0
    n_units = wiring.factors.size
    return Activity(
        cells,
        np.zeros((2, 4, wide * wide)),
        np.zeros((2, n_squares)),
        np.zeros((2, n_squares, n_units)),
        np.zeros((2, n_squares), np.int64),
    )


@inner
def _step(wiring, direction):
    down, right = DIRECTIONS[direction]
    return down * (wiring.size + 2 * (wiring.k - 1)) + right


@inner
def _measure_chain(cells, start, step, colour, k):
    product = 1.0
    for i in range(k):
        cell = cells[start + i * step]
        if cell == 0:
            product *= EMPTY
        elif cell != colour + 1:
            return 0.0
    return product


@inner
def _measure_square(wiring, activity, place):
    """Recomputes what an empty square is told by the chains around it."""
    margin = wiring.k - 1
    wide = wiring.size + 2 * margin
    square = (place // wide - margin) * wiring.size + place % wide - margin
    around = np.empty(wiring.starts.size)
    for colour in range(2):
        total, full = 0.0, 0
        for i in range(wiring.starts.size):
            around[i] = activity.chains[colour, wiring.directions[i], place + wiring.starts[i]]
            if i < wiring.n_stars:
                around[i] /= EMPTY
                total += around[i]
                full += around[i] == 1.0
        activity.stars[colour, square] = total
        activity.fives[colour, square] = full
        for unit in range(wiring.factors.size):
            product = wiring.factors[unit]
            for j in range(wiring.inputs.shape[1]):
                if wiring.inputs[unit, j] < 0 or product == 0.0:
                    break
                product *= around[wiring.inputs[unit, j]]
            activity.units[colour, square, unit] = product


@inner
def measure_all(wiring, activity):
    """The activity from the cells alone."""
    for square in range(wiring.size * wiring.size):
        start = place_of(square, wiring.size, wiring.k)
        for direction in range(4):
            step = _step(wiring, direction)
            for colour in range(2):
                activity.chains[colour, direction, start] = _measure_chain(
                    activity.cells, start, step, colour, wiring.k
                )
    for square in range(wiring.size * wiring.size):
        place = place_of(square, wiring.size, wiring.k)
        if activity.cells[place] == 0:
            _measure_square(wiring, activity, place)


@inner
def put_stone(wiring, activity, square, colour):
    """Only the chains through the stone and the squares whose window it stands in are measured again."""
    place = place_of(square, wiring.size, wiring.k)
    activity.cells[place] = colour + 1
    for direction in range(4):
        step = _step(wiring, direction)
        for back in range(wiring.k):
            start = place - back * step
            for side in range(2):
                activity.chains[side, direction, start] = _measure_chain(activity.cells, start, step, side, wiring.k)
    for i in range(wiring.window.size):
        # The window is the same seen from its other end.
        if activity.cells[place + wiring.window[i]] == 0:
            _measure_square(wiring, activity, place + wiring.window[i])


@inner
def _viewpoint(activity, weights, role, colour, square):
    """The unit of layer 4: fixed weights 1 from the star, learned ones from the units."""
    total = activity.stars[colour, square]
    for unit in range(weights.shape[1]):
        total += weights[role, unit] * activity.units[colour, square, unit]
    return total


@inner
def output(activity, weights, balance, mover, square):
    """The unit of layer 5 for an empty square."""
    own = _viewpoint(activity, weights, 0, mover, square)
    return balance[0] * own + balance[1] * _viewpoint(activity, weights, 1, 1 - mover, square)


@inner
def score(activity, weights, balance, mover, square):
    """What a square is chosen by: the output, below the squares that decide the game at once."""
    if activity.fives[mover, square] > 0:
        return WINNING
    if activity.fives[1 - mover, square] > 0:
        return SAVING
    return output(activity, weights, balance, mover, square)


@kernel(types.void(WIRING, _WEIGHTS, _FLOATS, _BOARDS, types.Array(types.float64, 2, "C")))
def score_boards(wiring, weights, balance, boards, scores):
    """Scores of every square, `scores[b, square]`, for the side whose stones are 1; occupied squares get -inf."""
    activity = empty_board(wiring)
    for b in range(boards.shape[0]):
        for square in range(wiring.size * wiring.size):
            stone = boards[b, square // wiring.size, square % wiring.size]
            activity.cells[place_of(square, wiring.size, wiring.k)] = 0 if stone == 0 else 1 if stone == 1 else 2
        measure_all(wiring, activity)
        for square in range(wiring.size * wiring.size):
            empty = activity.cells[place_of(square, wiring.size, wiring.k)] == 0
            scores[b, square] = score(activity, weights, balance, 0, square) if empty else -np.inf


@kernel(types.void(WIRING, _WEIGHTS, _FLOATS, types.Array(types.int16, 1, "C"), types.Array(types.float64, 2, "C")))
def score_game(wiring, weights, balance, actions, scores):
    """Scores before every ply of a game, `scores[ply, square]`, kept up to date stone by stone."""
    activity = empty_board(wiring)
    measure_all(wiring, activity)
    for ply in range(actions.size):
        for square in range(wiring.size * wiring.size):
            empty = activity.cells[place_of(square, wiring.size, wiring.k)] == 0
            scores[ply, square] = score(activity, weights, balance, ply % 2, square) if empty else -np.inf
        put_stone(wiring, activity, actions[ply], ply % 2)


@inner
def _best_square(wiring, activity, weights, balance, mover, stream):
    """The network's own choice; equals are drawn by lot."""
    best, best_score, equals = -1, -np.inf, 0
    for square in range(wiring.size * wiring.size):
        if activity.cells[place_of(square, wiring.size, wiring.k)] != 0:
            continue
        found = score(activity, weights, balance, mover, square)
        if found > best_score:
            best, best_score, equals = square, found, 1
        elif found == best_score:
            equals += 1
            if random_below(stream, equals) == 0:
                best = square
    return best


@inner
def _adjust(activity, weights, balance, mover, square, error, rate):
    """Equation 1, w += rate * error_i * y * w, for both viewpoints of one square.

    Each unit gets the part of the error that it has in its viewpoint's learned activation. A step at most doubles or
    halves a weight.
    """
    for role in range(2):
        colour = mover if role == 0 else 1 - mover
        y = _viewpoint(activity, weights, role, colour, square)
        learned = y - activity.stars[colour, square]
        if learned <= 0.0:
            continue
        for unit in range(weights.shape[1]):
            part = weights[role, unit] * activity.units[colour, square, unit] / learned
            step = rate * balance[role] * error * part * y
            weights[role, unit] *= 1.0 + min(1.0, max(-0.5, step))


@kernel(
    types.void(
        WIRING, _WEIGHTS, _FLOATS, types.Array(types.int16, 1, "C"), types.Array(types.int8, 1, "C"),
        types.float64, types.float64, types.Array(types.uint64, 1, "C"), _FLOATS,
    )
)  # fmt: skip
def learn_game(wiring, weights, balance, actions, lessons, rate, reward, stream, tally):
    """Plays a game again and adjusts the weights at each ply with a lesson: 1 compare with the move, 2 reward it.

    Compared, a move that differs from the network's own is raised and the network's lowered, by the difference of their
    outputs; an equal one gets the small `reward`. `tally` adds up moves compared, equal ones, and differences.
    """
    activity = empty_board(wiring)
    measure_all(wiring, activity)
    for ply in range(actions.size):
        mover, played = ply % 2, np.int64(actions[ply])
        if lessons[ply] == 2:
            _adjust(activity, weights, balance, mover, played, reward, rate)
        elif lessons[ply] == 1:
            own = _best_square(wiring, activity, weights, balance, mover, stream)
            tally[0] += 1
            if own == played:
                tally[1] += 1
                _adjust(activity, weights, balance, mover, played, reward, rate)
            else:
                difference = abs(
                    output(activity, weights, balance, mover, own) - output(activity, weights, balance, mover, played)
                )
                tally[2] += difference
                _adjust(activity, weights, balance, mover, played, difference, rate)
                _adjust(activity, weights, balance, mover, own, -difference, rate)
        put_stone(wiring, activity, played, mover)
