"""Values that are spread over a map, and games of a player against itself that teach them.

A neuron has a *plane*, a number and a slope for each square, which says what a board near that neuron is worth (a local
linear map, as in Ritter, Martinetz and Schulten 1992). A board's value is the mean of all planes at that board, weighted
by how close the score of each neuron comes to the winner's.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numba import types

from randori.kernels.bits import nth_set_bit, random_below, random_unit
from randori.kernels.compile import inner, kernel
from randori.kernels.last_moves import empty_line, final_margin, play_copy
from randori.kernels.records import Float32s, Int64s, allocate, numba_type, pointers
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

__all__ = [
    "POWER",
    "PlaneReader",
    "Planes",
    "Room",
    "Sparring",
    "learn_played",
    "room_for",
    "spar",
    "value_listed",
]


class Planes(NamedTuple):
    """Maps in the order that `kernels.maps` has them, with a plane for each neuron."""

    weights: Annotated[Float32s, "stages * blocks, squares * LANES"]
    biases: Annotated[Float32s, "stages, lanes"]
    stages: Annotated[Int64s, "squares + 1"]  # the stage by the number of stones on the board
    levels: Annotated[Float32s, "stages, lanes"]  # the number of each plane, its value on an empty board
    slopes: Annotated[Float32s, "stages * blocks, squares * LANES"]
    steepness: np.float32
    """How fast a neuron's weight falls with its score: 1 / (POWER * temperature), see `blocks`."""


class Room(NamedTuple):
    """Room for the board under consideration."""

    offsets: Annotated[Int64s, "squares"]  # where it has stones
    values: Annotated[Float32s, "squares"]  # and which
    scores: Annotated[Float32s, "lanes"]  # of all neurons
    heights: Annotated[Float32s, "lanes"]  # of their planes at the board
    shares: Annotated[Float32s, "lanes"]
    sums: Annotated[Float32s, "3"]  # as `sum_closeness` leaves them


PLANES, ROOM = numba_type(Planes), numba_type(Room)


def room_for(planes: Planes) -> Room:
    return allocate(Room, np.zeros, squares=len(planes.stages) - 1, lanes=planes.levels.shape[1])


class PlaneReader(NamedTuple):
    """The planes and the room to read them in as pointers, and their sizes."""

    planes: Planes
    room: Room
    n_squares: int
    n_blocks: int


@inner
def reader_of(planes, room):
    return PlaneReader(pointers(planes), pointers(room), room.offsets.size, planes.levels.shape[1] // LANES)


@inner
def _score_map(reader, weights, stage, biases, n, scores):
    size = reader.n_squares * LANES
    top = np.float32(-np.inf)
    for block in range(0, reader.n_blocks, TOGETHER):
        part = ahead(weights, (stage * reader.n_blocks + block) * size)
        start = block * LANES
        peak = score_blocks(
            part, size, reader.room.offsets, reader.room.values, n, ahead(biases, start), ahead(scores, start)
        )
        top = max(top, peak)
    return top


@inner
def value_listed(reader, n):
    """The value of the board that is listed, for the side that has just moved; its map and greatest score with it."""
    stage = reader.planes.stages[n]
    first = stage * reader.n_blocks * LANES
    top = _score_map(reader, reader.planes.weights, stage, ahead(reader.planes.biases, first), n, reader.room.scores)
    levels = ahead(reader.planes.levels, first)
    _score_map(reader, reader.planes.slopes, stage, levels, n, reader.room.heights)
    sum_closeness(
        reader.room.scores, reader.n_blocks, top, reader.planes.steepness, reader.room.heights, reader.room.sums
    )
    return reader.room.sums[1] / reader.room.sums[0], stage, top


@inner
def _correct(reader, n_slopes, stage, top, change):
    """Changes the planes so that the value just found changes by `change`, each in proportion to its weight."""
    # A step along the gradient, divided by the square of the gradient's length: 1 for the number and each slope.
    total = change * reader.room.sums[0] / (reader.room.sums[2] * (1 + n_slopes))
    share_out(reader.room.scores, reader.n_blocks, top, reader.planes.steepness, np.float32(total), reader.room.shares)
    first = stage * reader.n_blocks
    for block in range(reader.n_blocks):
        shares, levels = ahead(reader.room.shares, block * LANES), ahead(reader.planes.levels, (first + block) * LANES)
        greatest = np.float32(0.0)
        for lane in range(LANES):
            greatest = max(greatest, abs(shares[lane]))
            levels[lane] += shares[lane]
        if greatest > NEGLIGIBLE:
            slopes = ahead(reader.planes.slopes, (first + block) * reader.n_squares * LANES)
            add_to_block(slopes, reader.room.offsets, reader.room.values, n_slopes, shares)


@inner
def _list_state(reader, rules, state, places):
    """Lists the stones of a state as the side that has just moved sees them, each where `places` puts it."""
    n = 0
    for square in range(reader.n_squares):
        value = -cell(rules, state, square)
        reader.room.offsets[n] = places[square] * LANES
        reader.room.values[n] = value
        n += value != 0
    return n


class Sparring(NamedTuple):
    """How the games against itself are played and learned from."""

    rate: float  # the share of an error that is corrected
    trace_decay: float  # lambda
    exploring: float  # the probability of a random move
    opening: int  # games begin with up to so many random plies
    exact: int  # with so many empty squares, or fewer, the game is searched to its end
    slopes: bool  # whether the slopes of the planes are learned too


SPARRING = numba_type(Sparring)


@inner
def _prefer(rules, reader, state, moves, count, child, places, stream):
    """The number of the move to the board of the greatest value; equals are drawn by lot."""
    best, pick, equals = np.float32(-np.inf), 0, 0
    for k in range(count):
        play_copy(rules, state, nth_set_bit(moves, k), child)
        result = outcome(rules, child)
        value = np.float32(-result)
        if result == ONGOING:
            value = value_listed(reader, _list_state(reader, rules, child, places))[0]
        equals = equals + 1 if value == best else 1 if value > best else equals
        if value > best or (value == best and random_below(stream, equals) == 0):
            best, pick = value, k
    return pick


@inner
def _play_game(rules, reader, how, path, moves, line, places, stream):
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
            pick = 0 if count == 1 else _prefer(rules, reader, state, moves, count, child, places, stream)
        play_copy(rules, state, nth_set_bit(moves, pick), child)
        ply += 1


@inner
def _learn_game(rules, reader, how, path, plies, result, places, stream):
    """TD(lambda) from the last position back; returns the sum of the squared errors.

    Each board is turned by lot. Values are for the side that has just moved, so each step changes the sign.
    """
    total = 0.0
    reached = after = np.float32(-result)
    for ply in range(plies - 1, 0, -1):
        turn = random_below(stream, places.shape[0])
        n = _list_state(reader, rules, row(path, ply), row(places, turn))
        value, stage, top = value_listed(reader, n)
        reached = -((1.0 - how.trace_decay) * after + how.trace_decay * reached)
        error = reached - value
        _correct(reader, n if how.slopes else 0, stage, top, how.rate * error)
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
    reader = reader_of(planes, room)
    path = np.zeros((rules[PLIES] + 1, rules[WORDS]), np.uint64)
    moves = np.zeros(rules[MOVE_WORDS], np.uint64)
    line = empty_line(rules, how.exact)
    total, n = 0.0, 0
    for game in range(outcomes.size):
        plies, result = _play_game(rules, reader, how, path, row(moves, 0), line, row(places, 0), stream)
        outcomes[game] = result if plies % 2 == 0 else -result
        total += _learn_game(rules, reader, how, path, plies, result, places, stream)
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
    reader = reader_of(planes, room)
    n = path.shape[0] - 1
    return _learn_game(rules, reader, how, path, n, result, places, stream) / max(1, n)
