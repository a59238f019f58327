"""Which neuron stands for a position, for the positions of a game one after the other.

What the innermost functions share is handed over as pointers: numba counts the references to an array in each call.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types

from randori.kernels.bits import U0, U1, lowest
from randori.kernels.compile import inner
from randori.kernels.rules import ahead, cell, row
from randori.kernels.vectors import LANES
from randori.methods.som.kernels.blocks import TOGETHER, first_from, lanes_from, score_apart, score_block

ROUNDING = np.float32(1e-3)  # sums of at most a few hundred weights of about 1 are surer than this

_INTS = types.Array(types.int64, 1, "C")
_FLOATS = types.Array(types.float32, 1, "C")
_OFFSETS = types.Array(types.int64, 2, "C")
_MATRIX = types.Array(types.float32, 2, "C")


class Maps(NamedTuple):
    """The maps of all stages, as `kernels.som` has them. A position is seen by the side that has just moved.

    Neurons are not in the order of the map but block by block of neighbours, which are alike: a *range*, the greatest
    and the least weight of a block for a square, then tells much about what a block can reach.
    """

    weights: Any
    """`[stages * blocks, squares * 16]`"""
    biases: Any
    """`[stages, lanes]`"""
    ranges: Any
    """`[stages * blocks of blocks, 2 * squares * 16]`: maps whose neurons are blocks, first their greatest weights."""
    neurons: Any
    """`[lanes]`: the number on the map of the neuron in each lane."""
    stages: Any
    """`[squares + 1]`: the stage by the number of stones on the board."""
    places: Any
    """`[turns, squares]`: where each turn or reflection of the board puts a square."""
    retrieved: Any
    """`[stages * neurons, squares]`: the position that each neuron stands for, neurons in the order of the map."""


MAPS = types.NamedTuple((_MATRIX, _MATRIX, _MATRIX, _INTS, _INTS, _OFFSETS, types.Array(types.int8, 2, "C")), Maps)


class Lookup(NamedTuple):
    """Scores of one position, its *base*, for every turn of the board: those of its successors need few additions."""

    stage: Any
    """`[1]`: the map that the scores are of; -1 for none."""
    board: Any
    """`[squares]`"""
    scores: Any
    """`[turns, lanes]`"""
    peaks: Any
    """`[turns, blocks]`: the greatest score of each block, minus infinity for those that only fill up."""
    bounds: Any
    """`[blocks]`: what the scores of a successor cannot exceed."""
    found: Any
    """`[16]`: scores of a successor in one block."""
    changed: Any
    """`[squares]`: where a position differs from the base."""
    values: Any
    """`[squares]`: by how much it differs there."""
    offsets: Any
    """`[turns, squares]`: where the changed squares are in `weights`."""
    range_offsets: Any
    """`[turns, squares]`: and in `ranges`."""


LOOKUP = types.NamedTuple(
    (_INTS, _FLOATS, _MATRIX, _MATRIX, _FLOATS, _FLOATS, _INTS, _FLOATS, _OFFSETS, _OFFSETS), Lookup
)


def empty_lookup(maps: Maps) -> Lookup:
    """A lookup without a base, for games with these maps."""
    n_turns, n_squares = maps.places.shape
    n_lanes = maps.biases.shape[1]
    n_blocks = len(maps.ranges) // len(maps.biases) * LANES
    return Lookup(
        np.full(1, -1, np.int64),
        np.zeros(n_squares, np.float32),
        np.zeros((n_turns, n_lanes), np.float32),
        np.full((n_turns, n_blocks), -np.inf, np.float32),
        np.zeros(n_blocks, np.float32),
        np.zeros(LANES, np.float32),
        np.zeros(n_squares, np.int64),
        np.zeros(n_squares, np.float32),
        np.zeros((n_turns, n_squares), np.int64),
        np.zeros((n_turns, n_squares), np.int64),
    )


class Sight(NamedTuple):
    """Pointers to the maps and the lookup, and their sizes."""

    weights: Any
    biases: Any
    ranges: Any
    neurons: Any
    stages: Any
    places: Any
    retrieved: Any
    stage: Any
    board: Any
    scores: Any
    peaks: Any
    bounds: Any
    found: Any
    changed: Any
    values: Any
    offsets: Any
    range_offsets: Any
    n_squares: Any
    n_turns: Any
    n_neurons: Any
    n_blocks: Any
    """With those that only fill up."""
    n_ranges: Any
    """Blocks of blocks."""
    occupied_only: Any
    """Whether a board and the position that a neuron stands for are compared where the board has stones alone."""


@inner
def look_at(maps, lookup, occupied_only):
    """Arrays as pointers; they must outlive them."""
    n_stages = maps.biases.shape[0]
    return Sight(
        row(maps.weights, 0), row(maps.biases, 0), row(maps.ranges, 0), row(maps.neurons, 0), row(maps.stages, 0),
        row(maps.places, 0), row(maps.retrieved, 0), row(lookup.stage, 0), row(lookup.board, 0), row(lookup.scores, 0),
        row(lookup.peaks, 0), row(lookup.bounds, 0), row(lookup.found, 0), row(lookup.changed, 0), row(lookup.values, 0),
        row(lookup.offsets, 0), row(lookup.range_offsets, 0), maps.places.shape[1], maps.places.shape[0],
        maps.retrieved.shape[0] // n_stages, maps.biases.shape[1] // LANES, maps.ranges.shape[0] // n_stages, occupied_only,
    )  # fmt: skip


@inner
def _list_changes(sight, rules, state, sign):
    """Lists where a state, its cells times `sign`, differs from the base; returns in how many squares."""
    n = 0
    for square in range(sight.n_squares):
        change = np.float32(sign * cell(rules, state, square)) - sight.board[square]
        sight.changed[n], sight.values[n] = square, change
        n += change != 0
    return n


@inner
def _aim(sight, turn, n):
    """Sets the offsets for one turn of the board. What a change lowers falls least where the weight is least."""
    first = turn * sight.n_squares
    for i in range(n):
        place = sight.places[first + sight.changed[i]]
        sight.offsets[first + i] = place * LANES
        sight.range_offsets[first + i] = (place + sight.n_squares * (sight.values[i] < 0)) * LANES


@inner
def _block(sight, block):
    return ahead(sight.weights, (sight.stage[0] * sight.n_blocks + block) * sight.n_squares * LANES)


@inner
def _score(sight, turn, block, n, base):
    """Scores of the position that differs from the base in `n` squares, in one block; returns the greatest."""
    size, offsets = sight.n_squares * LANES, ahead(sight.offsets, turn * sight.n_squares)
    return score_block(_block(sight, block), size, offsets, sight.values, n, ahead(base, block * LANES), sight.found)


@inner
def move_base(sight, rules, state, sign, stage):
    """Makes a state the base, by its changes alone where the map stays the same."""
    n_lanes = sight.n_blocks * LANES
    if sight.stage[0] != stage:
        sight.stage[0] = stage
        for square in range(sight.n_squares):
            sight.board[square] = 0
        for i in range(sight.n_turns * n_lanes):
            sight.scores[i] = sight.biases[stage * n_lanes + i % n_lanes]
    n = _list_changes(sight, rules, state, sign)
    for turn in range(sight.n_turns):
        _aim(sight, turn, n)
    size = sight.n_squares * LANES
    # All turns of one part of the map before the next part, so that it is fetched once.
    for block in range(0, sight.n_blocks, TOGETHER):
        for turn in range(sight.n_turns):
            offsets = ahead(sight.offsets, turn * sight.n_squares)
            scores = ahead(sight.scores, turn * n_lanes + block * LANES)
            peaks = ahead(sight.peaks, turn * sight.n_ranges * LANES + block)
            score_apart(_block(sight, block), size, offsets, sight.values, n, scores, scores, peaks)
    for i in range(n):
        sight.board[sight.changed[i]] += sight.values[i]


@inner
def _bound(sight, turn, n):
    """Sets the bounds of all blocks; returns the greatest."""
    size, offsets = 2 * sight.n_squares * LANES, ahead(sight.range_offsets, turn * sight.n_squares)
    greatest = np.float32(-np.inf)
    for block in range(sight.n_ranges):
        ranges = ahead(sight.ranges, (sight.stage[0] * sight.n_ranges + block) * size)
        peaks = ahead(sight.peaks, (turn * sight.n_ranges + block) * LANES)
        bounds = ahead(sight.bounds, block * LANES)
        greatest = max(greatest, score_block(ranges, size, offsets, sight.values, n, peaks, bounds))
    return greatest


@inner
def _best_near(sight, turn, n):
    """The lane of the winner of the position that differs from the base in `n` squares, and its score, for one turn.

    A block whose bound is below the best score so far is passed over: nearly all are.
    """
    base = ahead(sight.scores, turn * sight.n_blocks * LANES)
    promising = first_from(sight.bounds, _bound(sight, turn, n))
    top = _score(sight, turn, promising, n, base)
    winner = promising * LANES + first_from(sight.found, top)
    for first in range(0, sight.n_blocks, LANES):
        blocks = lanes_from(ahead(sight.bounds, first), top - ROUNDING)
        while blocks != U0:
            block = first + lowest(blocks)
            blocks &= blocks - U1
            peak = _score(sight, turn, block, n, base)
            if peak > top:
                top, winner = peak, block * LANES + first_from(sight.found, peak)
    return winner, top


@inner
def _matches(sight, winner, turn, rules, state, sign):
    first = (sight.stage[0] * sight.n_neurons + winner) * sight.n_squares
    for square in range(sight.n_squares):
        value = sign * cell(rules, state, square)
        retrieved = sight.retrieved[first + sight.places[turn * sight.n_squares + square]]
        if retrieved != value and not (sight.occupied_only and value == 0):
            return False
    return True


@inner
def place_of(sight, rules, state, sign):
    """The neuron that stands for a state near the base (the paper's section 4).

    The board is turned until the position that its winner stands for is the same as the board's; if it never is, the
    best of the winners counts.
    """
    n = _list_changes(sight, rules, state, sign)
    best, place = np.float32(-np.inf), 0
    for turn in range(sight.n_turns):
        _aim(sight, turn, n)
        lane, top = _best_near(sight, turn, n)
        winner = sight.neurons[lane]
        if _matches(sight, winner, turn, rules, state, sign):
            return winner
        if top > best:
            best, place = top, winner
    return place
