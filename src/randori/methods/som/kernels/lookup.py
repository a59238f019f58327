"""Which neuron stands for a position, for the positions of a game one after the other.

What the innermost functions share is handed over as pointers: numba counts the references to an array in each call.
"""

from typing import Annotated, NamedTuple

import numpy as np

from randori.kernels.bits import U0, U1, lowest
from randori.kernels.compile import inner
from randori.kernels.records import Float32s, Int8s, Int64s, allocate, numba_type, pointers
from randori.kernels.rules import ahead, cell
from randori.kernels.vectors import LANES
from randori.methods.som.kernels.blocks import TOGETHER, first_from, lanes_from, score_apart, score_block

ROUNDING = np.float32(1e-3)  # sums of at most a few hundred weights of about 1 are surer than this


class Maps(NamedTuple):
    """The maps of all stages, as `kernels.maps` has them. A position is seen by the side that has just moved.

    Neurons are not in the order of the map but block by block of neighbours, which are alike: a *range*, the greatest
    and the least weight of a block for a square, then tells much about what a block can reach.
    """

    weights: Annotated[Float32s, "stages * blocks, squares * LANES"]
    biases: Annotated[Float32s, "stages, lanes"]
    ranges: Annotated[Float32s, "stages * blocks_of_blocks, 2 * squares * LANES"]
    """Maps whose neurons are blocks, first their greatest weights."""
    neurons: Annotated[Int64s, "lanes"]  # the number on the map of the neuron in each lane
    stages: Annotated[Int64s, "squares + 1"]  # the stage by the number of stones on the board
    places: Annotated[Int64s, "turns, squares"]  # where each turn or reflection of the board puts a square
    retrieved: Annotated[Int8s, "stages * neurons, squares"]
    """The position that each neuron stands for, neurons in the order of the map."""


class Lookup(NamedTuple):
    """Scores of one position, its *base*, for every turn of the board: those of its successors need few additions."""

    stage: Annotated[Int64s, "1"]  # the map that the scores are of; -1 for none
    board: Annotated[Float32s, "squares"]
    scores: Annotated[Float32s, "turns, lanes"]
    peaks: Annotated[Float32s, "turns, blocks"]
    """The greatest score of each block, minus infinity for those that only fill up."""
    bounds: Annotated[Float32s, "blocks"]  # what the scores of a successor cannot exceed
    found: Annotated[Float32s, "LANES"]  # scores of a successor in one block
    changed: Annotated[Int64s, "squares"]  # where a position differs from the base
    values: Annotated[Float32s, "squares"]  # by how much it differs there
    offsets: Annotated[Int64s, "turns, squares"]  # where the changed squares are in `weights`
    range_offsets: Annotated[Int64s, "turns, squares"]  # and in `ranges`


MAPS, LOOKUP = numba_type(Maps), numba_type(Lookup)


def empty_lookup(maps: Maps) -> Lookup:
    """A lookup without a base, for games with these maps."""
    turns, squares = maps.places.shape
    blocks = len(maps.ranges) // len(maps.biases) * LANES
    lookup = allocate(Lookup, np.zeros, turns=turns, squares=squares, lanes=maps.biases.shape[1], blocks=blocks)
    lookup.stage[:] = -1
    lookup.peaks[:] = -np.inf
    return lookup


class Sight(NamedTuple):
    """The maps and the lookup as pointers, and their sizes."""

    maps: Maps
    lookup: Lookup
    n_squares: int
    n_turns: int
    n_neurons: int
    n_blocks: int  # with those that only fill up
    n_ranges: int  # blocks of blocks
    occupied_only: bool
    """Whether a board and the position that a neuron stands for are compared where the board has stones alone."""


@inner
def look_at(maps, lookup, occupied_only):
    n_turns, n_squares = maps.places.shape
    n_stages = maps.biases.shape[0]
    n_neurons, n_ranges = maps.retrieved.shape[0] // n_stages, maps.ranges.shape[0] // n_stages
    n_blocks = maps.biases.shape[1] // LANES
    return Sight(pointers(maps), pointers(lookup), n_squares, n_turns, n_neurons, n_blocks, n_ranges, occupied_only)


@inner
def _list_changes(sight, rules, state, sign):
    """Lists where a state, its cells times `sign`, differs from the base; returns in how many squares."""
    n = 0
    for square in range(sight.n_squares):
        change = np.float32(sign * cell(rules, state, square)) - sight.lookup.board[square]
        sight.lookup.changed[n], sight.lookup.values[n] = square, change
        n += change != 0
    return n


@inner
def _aim(sight, turn, n):
    """Sets the offsets for one turn of the board. What a change lowers falls least where the weight is least."""
    first = turn * sight.n_squares
    for i in range(n):
        place = sight.maps.places[first + sight.lookup.changed[i]]
        sight.lookup.offsets[first + i] = place * LANES
        sight.lookup.range_offsets[first + i] = (place + sight.n_squares * (sight.lookup.values[i] < 0)) * LANES


@inner
def _block(sight, block):
    return ahead(sight.maps.weights, (sight.lookup.stage[0] * sight.n_blocks + block) * sight.n_squares * LANES)


@inner
def _score(sight, turn, block, n, base):
    """Scores of the position that differs from the base in `n` squares, in one block; returns the greatest."""
    size, offsets = sight.n_squares * LANES, ahead(sight.lookup.offsets, turn * sight.n_squares)
    return score_block(
        _block(sight, block), size, offsets, sight.lookup.values, n, ahead(base, block * LANES), sight.lookup.found
    )


@inner
def move_base(sight, rules, state, sign, stage):
    """Makes a state the base, by its changes alone where the map stays the same."""
    n_lanes = sight.n_blocks * LANES
    if sight.lookup.stage[0] != stage:
        sight.lookup.stage[0] = stage
        for square in range(sight.n_squares):
            sight.lookup.board[square] = 0
        for i in range(sight.n_turns * n_lanes):
            sight.lookup.scores[i] = sight.maps.biases[stage * n_lanes + i % n_lanes]
    n = _list_changes(sight, rules, state, sign)
    for turn in range(sight.n_turns):
        _aim(sight, turn, n)
    size = sight.n_squares * LANES
    # All turns of one part of the map before the next part, so that it is fetched once.
    for block in range(0, sight.n_blocks, TOGETHER):
        for turn in range(sight.n_turns):
            offsets = ahead(sight.lookup.offsets, turn * sight.n_squares)
            scores = ahead(sight.lookup.scores, turn * n_lanes + block * LANES)
            peaks = ahead(sight.lookup.peaks, turn * sight.n_ranges * LANES + block)
            score_apart(_block(sight, block), size, offsets, sight.lookup.values, n, scores, scores, peaks)
    for i in range(n):
        sight.lookup.board[sight.lookup.changed[i]] += sight.lookup.values[i]


@inner
def _bound(sight, turn, n):
    """Sets the bounds of all blocks; returns the greatest."""
    size, offsets = 2 * sight.n_squares * LANES, ahead(sight.lookup.range_offsets, turn * sight.n_squares)
    greatest = np.float32(-np.inf)
    for block in range(sight.n_ranges):
        ranges = ahead(sight.maps.ranges, (sight.lookup.stage[0] * sight.n_ranges + block) * size)
        peaks = ahead(sight.lookup.peaks, (turn * sight.n_ranges + block) * LANES)
        bounds = ahead(sight.lookup.bounds, block * LANES)
        greatest = max(greatest, score_block(ranges, size, offsets, sight.lookup.values, n, peaks, bounds))
    return greatest


@inner
def _best_near(sight, turn, n):
    """The lane of the winner of the position that differs from the base in `n` squares, and its score, for one turn.

    A block whose bound is below the best score so far is passed over: nearly all are.
    """
    base = ahead(sight.lookup.scores, turn * sight.n_blocks * LANES)
    promising = first_from(sight.lookup.bounds, _bound(sight, turn, n))
    top = _score(sight, turn, promising, n, base)
    winner = promising * LANES + first_from(sight.lookup.found, top)
    for first in range(0, sight.n_blocks, LANES):
        blocks = lanes_from(ahead(sight.lookup.bounds, first), top - ROUNDING)
        while blocks != U0:
            block = first + lowest(blocks)
            blocks &= blocks - U1
            peak = _score(sight, turn, block, n, base)
            if peak > top:
                top, winner = peak, block * LANES + first_from(sight.lookup.found, peak)
    return winner, top


@inner
def _matches(sight, winner, turn, rules, state, sign):
    first = (sight.lookup.stage[0] * sight.n_neurons + winner) * sight.n_squares
    for square in range(sight.n_squares):
        value = sign * cell(rules, state, square)
        retrieved = sight.maps.retrieved[first + sight.maps.places[turn * sight.n_squares + square]]
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
        winner = sight.maps.neurons[lane]
        if _matches(sight, winner, turn, rules, state, sign):
            return winner
        if top > best:
            best, place = top, winner
    return place
