"""Values that are spread over a map, and games of a player against itself that teach them.

A neuron has a *plane*, a number and a slope for each square, which says what a board near that neuron is worth (a local
linear map, as in Ritter, Martinetz and Schulten 1992). A board's value is the mean of all planes at that board, weighted
by how close the score of each neuron comes to the winner's.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types

from randori.kernels.bits import nth_set_bit, random_below, random_unit
from randori.kernels.compile import inner, kernel
from randori.kernels.last_moves import empty_line, final_margin, play_copy
from randori.kernels.rules import (
    CELLS,
    MOVE_WORDS,
    ONGOING,
    PLIES,
    RULES,
    WORDS,
    ahead,
    cell,
    legal,
    outcome,
    row,
    start,
)
from randori.kernels.vectors import LANES
from randori.methods.som.kernels.blocks import POWER, TOGETHER, add_to_block, score_blocks, share_out, sum_closeness

NEGLIGIBLE = 1e-9  # of a step: no plane can tell

__all__ = ["POWER", "Planes", "Sparring", "judge_boards", "judge_room", "learn_played", "spar"]

_MATRIX = types.Array(types.float32, 2, "C")


class Planes(NamedTuple):
    """Maps in the order that `kernels.som` has them, with a plane for each neuron."""

    weights: Any
    """`[stages * blocks, squares * 16]`"""
    biases: Any
    """`[stages, lanes]`"""
    stages: Any
    """`[squares + 1]`: the stage by the number of stones on the board."""
    levels: Any
    """`[stages, lanes]`: the number of each plane, its value on an empty board."""
    slopes: Any
    """`[stages * blocks, squares * 16]`"""
    steepness: Any
    """How fast a neuron's weight falls with its score: 1 / (POWER * temperature), see `lanes`."""


PLANES = types.NamedTuple((_MATRIX, _MATRIX, types.Array(types.int64, 1, "C"), _MATRIX, _MATRIX, types.float32), Planes)


class Judge(NamedTuple):
    """Pointers to the planes, and to room for the board under consideration."""

    weights: Any
    biases: Any
    stages: Any
    levels: Any
    slopes: Any
    steepness: Any
    n_squares: Any
    n_blocks: Any
    offsets: Any
    values: Any
    """Where the board has stones, and which."""
    scores: Any
    heights: Any
    """`[lanes]` each: the scores of all neurons, and their planes at the board."""
    sums: Any
    """`[3]`: as `sum_closeness` leaves them."""
    shares: Any
    """`[lanes]`"""


def judge_room(planes: Planes) -> tuple[Any, Any, Any]:
    """Room for a judge: numbers of rows, floats for the board, floats for the map."""
    n_squares, n_lanes = len(planes.stages) - 1, planes.levels.shape[1]
    return np.zeros(n_squares, np.int64), np.zeros(n_squares + 3, np.float32), np.zeros((3, n_lanes), np.float32)


ROOM = types.Tuple((types.Array(types.int64, 1, "C"), types.Array(types.float32, 1, "C"), _MATRIX))


@inner
def appoint(planes, room):
    """Arrays as pointers; they must outlive them."""
    offsets, of_board, of_map = room
    n_squares = offsets.size
    return Judge(
        row(planes.weights, 0), row(planes.biases, 0), row(planes.stages, 0), row(planes.levels, 0), row(planes.slopes, 0),
        planes.steepness, n_squares, planes.levels.shape[1] // LANES, row(offsets, 0), row(of_board, 0), row(of_map, 0),
        row(of_map, 1), row(of_board, n_squares), row(of_map, 2),
    )  # fmt: skip


@inner
def _score_map(judge, weights, stage, biases, n, scores):
    size = judge.n_squares * LANES
    top = np.float32(-np.inf)
    for block in range(0, judge.n_blocks, TOGETHER):
        part = ahead(weights, (stage * judge.n_blocks + block) * size)
        start = block * LANES
        peak = score_blocks(part, size, judge.offsets, judge.values, n, ahead(biases, start), ahead(scores, start))
        top = max(top, peak)
    return top


@inner
def _value(judge, n):
    """The value of the board that is listed, for the side that has just moved; its map and greatest score with it."""
    stage = judge.stages[n]
    first = stage * judge.n_blocks * LANES
    top = _score_map(judge, judge.weights, stage, ahead(judge.biases, first), n, judge.scores)
    levels = ahead(judge.levels, first)
    _score_map(judge, judge.slopes, stage, levels, n, judge.heights)
    sum_closeness(judge.scores, judge.n_blocks, top, judge.steepness, judge.heights, judge.sums)
    return judge.sums[1] / judge.sums[0], stage, top


@inner
def _correct(judge, n_slopes, stage, top, change):
    """Changes the planes so that the value just found changes by `change`, each in proportion to its weight."""
    # A step along the gradient, divided by the square of the gradient's length: 1 for the number and each slope.
    total = change * judge.sums[0] / (judge.sums[2] * (1 + n_slopes))
    share_out(judge.scores, judge.n_blocks, top, judge.steepness, np.float32(total), judge.shares)
    first = stage * judge.n_blocks
    for block in range(judge.n_blocks):
        shares, levels = ahead(judge.shares, block * LANES), ahead(judge.levels, (first + block) * LANES)
        greatest = np.float32(0.0)
        for lane in range(LANES):
            greatest = max(greatest, abs(shares[lane]))
            levels[lane] += shares[lane]
        if greatest > NEGLIGIBLE:
            slopes = ahead(judge.slopes, (first + block) * judge.n_squares * LANES)
            add_to_block(slopes, judge.offsets, judge.values, n_slopes, shares)


@inner
def _list_state(judge, rules, state, places):
    """Lists the stones of a state as the side that has just moved sees them, each where `places` puts it."""
    n = 0
    for square in range(judge.n_squares):
        value = -cell(rules, state, square)
        judge.offsets[n] = places[square] * LANES
        judge.values[n] = value
        n += value != 0
    return n


@kernel(types.void(PLANES, ROOM, types.Array(types.int8, 2, "C"), types.Array(types.float32, 1, "C")))
def judge_boards(planes, room, boards, values):
    """The value of each board for the side that has just moved."""
    judge = appoint(planes, room)
    for i in range(boards.shape[0]):
        n = 0
        for square in range(judge.n_squares):
            judge.offsets[n] = square * LANES
            judge.values[n] = boards[i, square]
            n += boards[i, square] != 0
        values[i] = _value(judge, n)[0]


class Sparring(NamedTuple):
    """How the games against itself are played and learned from."""

    rate: Any
    """The share of an error that is corrected."""
    trace_decay: Any
    """lambda"""
    exploring: Any
    """The probability of a random move."""
    opening: Any
    """Games begin with up to so many random plies."""
    exact: Any
    """With so many empty squares, or fewer, the game is searched to its end."""
    slopes: Any
    """Whether the slopes of the planes are learned too."""


SPARRING = types.NamedTuple((*[types.float64] * 3, types.int64, types.int64, types.boolean), Sparring)


@inner
def _prefer(rules, judge, state, moves, count, child, places, stream):
    """The number of the move to the board of the greatest value; equals are drawn by lot."""
    best, pick, equals = np.float32(-np.inf), 0, 0
    for k in range(count):
        play_copy(rules, state, nth_set_bit(moves, k), child)
        result = outcome(rules, child)
        value = np.float32(-result)
        if result == ONGOING:
            value = _value(judge, _list_state(judge, rules, child, places))[0]
        equals = equals + 1 if value == best else 1 if value > best else equals
        if value > best or (value == best and random_below(stream, equals) == 0):
            best, pick = value, k
    return pick


@inner
def _play_game(rules, judge, how, path, moves, line, places, stream):
    """Plays a game into the rows of `path`; returns how many plies it took, and the result for the side to move then."""
    start(rules, row(path, 0))
    n_random = random_below(stream, how.opening + 1)
    ply = 0
    while True:
        state, child = row(path, ply), row(path, ply + 1)
        count = legal(rules, state, moves)
        if count == 0:
            return ply, outcome(rules, state)
        n_empty = 0
        for square in range(rules[CELLS]):
            n_empty += cell(rules, state, square) == 0
        if n_empty <= how.exact:
            return ply, np.int64(np.sign(final_margin(rules, state, line)))
        if ply < n_random or random_unit(stream) < how.exploring:
            pick = random_below(stream, count)
        else:
            pick = 0 if count == 1 else _prefer(rules, judge, state, moves, count, child, places, stream)
        play_copy(rules, state, nth_set_bit(moves, pick), child)
        ply += 1


@inner
def _learn_game(rules, judge, how, path, plies, result, places, stream):
    """TD(lambda) from the last position back; returns the sum of the squared errors.

    Each board is turned by lot. Values are for the side that has just moved, so each step changes the sign.
    """
    total = 0.0
    reached = after = np.float32(-result)
    for ply in range(plies - 1, 0, -1):
        turn = random_below(stream, places.shape[0])
        n = _list_state(judge, rules, row(path, ply), row(places, turn))
        value, stage, top = _value(judge, n)
        reached = -((1.0 - how.trace_decay) * after + how.trace_decay * reached)
        error = reached - value
        _correct(judge, n if how.slopes else 0, stage, top, how.rate * error)
        total += error * error
        after = value
    return total


@kernel(
    types.float64(
        RULES, PLANES, ROOM, types.Array(types.int64, 2, "C"), SPARRING, types.Array(types.uint64, 1, "C"),
        types.Array(types.int8, 1, "C"),
    )
)  # fmt: skip
def spar(rules, planes, room, places, how, stream, outcomes):
    """One game for each of `outcomes`, which are the beginner's; corrects the planes after each game.

    `places[turn, square]` is where a turn of the board puts a square. Returns the mean squared error.
    """
    judge = appoint(planes, room)
    path = np.zeros((rules[PLIES] + 1, rules[WORDS]), np.uint64)
    moves = np.zeros(rules[MOVE_WORDS], np.uint64)
    line = empty_line(rules, how.exact)
    total, n = 0.0, 0
    for game in range(outcomes.size):
        plies, result = _play_game(rules, judge, how, path, row(moves, 0), line, row(places, 0), stream)
        outcomes[game] = result if plies % 2 == 0 else -result
        total += _learn_game(rules, judge, how, path, plies, result, places, stream)
        n += plies
    moves[0] = 0  # what only a pointer leads to must not be freed before
    return total / max(1, n)


@kernel(
    types.float64(
        RULES, PLANES, ROOM, types.Array(types.int64, 2, "C"), SPARRING, types.Array(types.uint64, 1, "C"),
        types.Array(types.uint64, 2, "C"), types.int64,
    )
)  # fmt: skip
def learn_played(rules, planes, room, places, how, stream, path, result):
    """Corrects the planes after a game that others played; returns the mean squared error.

    `path` has its states from the first to the last, `result` is for the side to move in the last. Of `how`, the rate,
    the decay and the slopes count.
    """
    judge = appoint(planes, room)
    n = path.shape[0] - 1
    return _learn_game(rules, judge, how, path, n, result, places, stream) / max(1, n)
