"""Self-organizing maps: training by one input at a time, and finding winners (Kamei and Kakizoe 2017, section 3).

A map is an array `[blocks, inputs * 16]` as `lanes` has it, with a neuron in each lane, row by row of the map, filled up
to whole groups of 64. A neuron's *score* is its inner product with the input plus its *bias*: 0 where the greatest
inner product wins (eq. 6), minus half its squared length where the least distance does (eq. 5), since
|w - x|² = |x|² - 2 (w x - |w|² / 2). The bias of lanes without a neuron is minus infinity.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from randori.kernels.bits import random_below
from randori.kernels.compile import inner, kernel
from randori.kernels.records import numba_type
from randori.kernels.rules import row
from randori.kernels.vectors import LANES, aligned
from randori.methods.som.kernels.blocks import GROUP, TOGETHER, first_from, pull_block, score_blocks

NEGLIGIBLE = 1e-3
"""Rows and columns of the map where the neighbourhood is below this are left alone; together they hold a share of
about this size of the Gaussian."""

_MAP = types.Array(types.float32, 2, "C")
_FLOATS = types.Array(types.float32, 1, "C")
_BOARDS = types.Array(types.int8, 2, "C")


def lay_out(weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Weights `[neurons, inputs]` as a map; each block begins with a cache line."""
    n, n_inputs = weights.shape
    n_blocks = -(-n // GROUP) * TOGETHER
    blocks = aligned((n_blocks, n_inputs, LANES))
    padded = np.zeros((n_blocks * LANES, n_inputs), np.float32)
    padded[:n] = weights
    blocks[:] = padded.reshape(n_blocks, LANES, n_inputs).transpose(0, 2, 1)
    return blocks.reshape(n_blocks, n_inputs * LANES)


def read_out(blocks: NDArray[np.float32], n: int) -> NDArray[np.float32]:
    """The weights `[n, inputs]` of a map; the inverse of `lay_out`."""
    lanes = blocks.reshape(len(blocks), -1, LANES).transpose(0, 2, 1)
    return np.ascontiguousarray(lanes.reshape(len(blocks) * LANES, -1)[:n])


def biases_of(weights: NDArray[np.float32], euclidean: bool) -> NDArray[np.float32]:
    """The bias of each lane of the map that `weights`, `[neurons, inputs]`, are laid out as."""
    biases = np.full(-(-len(weights) // GROUP) * GROUP, -np.inf, np.float32)
    biases[: len(weights)] = -0.5 * np.square(weights).sum(axis=1) if euclidean else 0.0
    return biases


@inner
def score_group(weights, first, offsets, values, n, biases, scores):
    """The scores of the 64 neurons from block `first` on for an input of `n` values that are not 0; the greatest."""
    start = first * LANES
    return score_blocks(
        row(weights, first),
        weights.shape[1],
        row(offsets, 0),
        row(values, 0),
        n,
        row(biases, start),
        row(scores, start),
    )


@inner
def score_all(weights, offsets, values, n, biases, scores):
    """The scores of all neurons; returns the greatest."""
    top = np.float32(-np.inf)
    for first in range(0, weights.shape[0], TOGETHER):
        top = max(top, score_group(weights, first, offsets, values, n, biases, scores))
    return top


@inner
def list_stones(board, offsets, values):
    """Lists the inputs that are not 0; returns how many these are."""
    n = 0
    for square in range(board.size):
        # Written in any case and counted if it is not 0: no branch to mispredict.
        offsets[n] = square * LANES
        values[n] = np.float32(board[square])
        n += board[square] != 0
    return n


class Area(NamedTuple):
    """The rows and columns of the map, first and last, that an input changes."""

    top: Any
    bottom: Any
    left: Any
    right: Any


@inner
def _surround(winner, height, width, rate, radius, profile, shares):
    """Sets `shares` to what eq. 3 gives the neurons around the winner; returns where these are."""
    reach = 0
    for distance in range(max(height, width)):
        weight = np.exp(-distance * distance / (2.0 * radius * radius))
        if weight < NEGLIGIBLE:
            break
        profile[distance] = weight
        reach = distance
    centre_row, centre_column = winner // width, winner % width
    top, bottom = max(0, centre_row - reach), min(height - 1, centre_row + reach)
    left, right = max(0, centre_column - reach), min(width - 1, centre_column + reach)
    # Counted from the left end, these loops have no index that could be negative, and numba vectorises them.
    across = np.empty(right - left + 1, np.float32)
    for i in range(across.size):
        across[i] = profile[abs(left + i - centre_column)]
    for r in range(top, bottom + 1):
        in_row = np.float32(rate) * profile[abs(r - centre_row)]
        part = shares[r * width + left : r * width + right + 1]
        for i in range(across.size):
            part[i] = in_row * across[i]
    return Area(top, bottom, left, right)


@inner
def _follow(biases, scores, shares, n_stones, area, width):
    """The biases of the neurons that are to move: |w + h (x - w)|² from |w|², w x and |x|²."""
    length = np.float32(0.5 * n_stones)
    for r in range(area.top, area.bottom + 1):
        part = slice(r * width + area.left, r * width + area.right + 1)
        bias, score, share = biases[part], scores[part], shares[part]
        for i in range(bias.size):
            stay = np.float32(1.0) - share[i]
            product = score[i] - bias[i]
            bias[i] = stay * stay * bias[i] - share[i] * stay * product - share[i] * share[i] * length


@inner
def _mark_blocks(area, width, marked):
    for r in range(area.top, area.bottom + 1):
        for block in range((r * width + area.left) // LANES, (r * width + area.right) // LANES + 1):
            marked[block] = True


@inner
def _pull_and_score(weights, inputs, shares, marked, offsets, values, n, biases, scores):
    """Eq. 1 for the marked blocks, which it unmarks, and the scores of the next input; returns the greatest.

    One walk over the map does both, since a map is larger than the caches that are quick enough.
    """
    top = np.float32(-np.inf)
    for first in range(0, weights.shape[0], TOGETHER):
        for block in range(first, first + TOGETHER):
            if marked[block]:
                pull_block(row(weights, block), row(inputs, 0), inputs.size, row(shares, block * LANES))
                marked[block] = False
        top = max(top, score_group(weights, first, offsets, values, n, biases, scores))
    return top


class Course(NamedTuple):
    """Iterations `done` to `done + n - 1` of the `total` of one training.

    The radius shrinks linearly from the first to the last, the rate from the first to 0.
    """

    rate: float
    radius: float
    last_radius: float
    done: int
    n: int
    total: int


@kernel(
    types.void(
        _MAP, _FLOATS, types.boolean, types.UniTuple(types.int64, 2), _BOARDS, numba_type(Course),
        types.Array(types.uint64, 1, "C"),
    )
)  # fmt: skip
def train(weights, biases, euclidean, shape, boards, course, stream):
    """Each iteration learns a board drawn by lot (eqs. 1, 3 and 4) on a map of `shape` rows and columns."""
    height, width = shape
    rate, radius, last_radius, done, n, total = course
    n_inputs = boards.shape[1]
    scores, shares = np.zeros(biases.size, np.float32), np.zeros(biases.size, np.float32)
    marked = np.zeros(weights.shape[0], np.bool_)
    profile = np.zeros(max(height, width), np.float32)
    inputs = np.zeros(n_inputs, np.float32)
    offsets, values = np.zeros(n_inputs, np.int64), np.zeros(n_inputs, np.float32)
    board = boards[random_below(stream, boards.shape[0])]
    n_stones = list_stones(board, offsets, values)
    top = score_all(weights, offsets, values, n_stones, biases, scores)
    for t in range(done, done + n):
        left_over = 1.0 - t / total
        shrunk = last_radius + (radius - last_radius) * left_over
        area = _surround(first_from(row(scores, 0), top), height, width, rate * left_over, shrunk, profile, shares)
        _mark_blocks(area, width, marked)
        if euclidean:
            _follow(biases, scores, shares, n_stones, area, width)
        for square in range(n_inputs):
            inputs[square] = board[square]
        if t + 1 < done + n:
            board = boards[random_below(stream, boards.shape[0])]
            n_stones = list_stones(board, offsets, values)
        top = _pull_and_score(weights, inputs, shares, marked, offsets, values, n_stones, biases, scores)
        shares[area.top * width : (area.bottom + 1) * width] = 0.0


@kernel(types.void(_MAP, _FLOATS, _BOARDS, types.Array(types.int64, 1, "C"), _FLOATS))
def find_winners(weights, biases, boards, winners, tops):
    """The winner of each board, and its score."""
    n_inputs = boards.shape[1]
    scores = np.zeros(biases.size, np.float32)
    offsets, values = np.zeros(n_inputs, np.int64), np.zeros(n_inputs, np.float32)
    for i in range(boards.shape[0]):
        n_stones = list_stones(boards[i], offsets, values)
        tops[i] = score_all(weights, offsets, values, n_stones, biases, scores)
        winners[i] = first_from(row(scores, 0), tops[i])
