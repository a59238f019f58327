"""Scores, sums and steps of learning in vectors: what numba's own loops do not vectorise, greatest values above all.

Everything works on *blocks*: of a matrix `[rows, columns]` a block holds 16 columns, all rows of one after the other, so
that the 16 numbers of a row fill a cache line. `score_blocks` takes four blocks at a time, since it takes eight sums
under way to hide the time that one addition needs.
"""

from functools import partial
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from randori.kernels.bits import U0, lowest
from randori.kernels.compile import inner
from randori.kernels.rules import ahead
from randori.kernels.vectors import (
    FLOATS,
    INT64,
    INTS,
    LANES,
    ONES,
    ZEROS,
    add_product,
    at,
    fold,
    greater,
    load,
    spread,
    store,
)

TOGETHER = 4
GROUP = LANES * TOGETHER
POWER = 16


def _scoring(together: int, apart: bool = False) -> Any:
    """Typing and code of `score_blocks`, for so many blocks at a time; the greatest scores of each `apart`, or of all."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        weights, size, offsets, values, n, biases, scores, *peaks = args
        starts = [ir.Constant(INT64, place * LANES) for place in range(together)]
        sums = [cgutils.alloca_once_value(builder, load(builder, builder.gep(biases, [it]))) for it in starts]
        with cgutils.for_range(builder, n) as loop:
            value = spread(builder, at(builder, values, loop.index))
            block = builder.gep(weights, [at(builder, offsets, loop.index)])
            for it in sums:
                builder.store(add_product(builder, builder.load(it), load(builder, block), value), it)
                block = builder.gep(block, [size])
        vectors, most = [builder.load(it) for it in sums], partial(greater, builder)
        for start, vector in zip(starts, vectors, strict=True):
            store(builder, vector, builder.gep(scores, [start]))
        if apart:
            for place, vector in enumerate(vectors):
                builder.store(fold(builder, vector, most), builder.gep(peaks[0], [ir.Constant(INT64, place)]))
            return context.get_dummy_value()
        while len(vectors) > 1:
            vectors = [most(*pair) for pair in zip(vectors[::2], vectors[1::2], strict=True)]
        return fold(builder, vectors[0], most)

    taken = (FLOATS, types.int64, INTS, FLOATS, types.int64, FLOATS, FLOATS)
    return types.void(*taken, FLOATS) if apart else types.float32(*taken), generate


@intrinsic
def score_blocks(
    _context: Any, _weights: Any, _size: Any, _offsets: Any, _values: Any, _n: Any, _biases: Any, _scores: Any
) -> Any:
    """scores = biases + the sum of `values[i]` times the row at `offsets[i]`, over four blocks of `size` floats each.

    Returns the greatest of the 64 scores. An offset is the number of a row times 16.
    """
    return _scoring(TOGETHER)


@intrinsic
def score_apart(
    _context: Any,
    _weights: Any,
    _size: Any,
    _offsets: Any,
    _values: Any,
    _n: Any,
    _biases: Any,
    _scores: Any,
    _peaks: Any,
) -> Any:
    """As `score_blocks`, but writes the greatest score of each of the four blocks to `peaks`."""
    return _scoring(TOGETHER, apart=True)


@intrinsic
def score_block(
    _context: Any, _weights: Any, _size: Any, _offsets: Any, _values: Any, _n: Any, _biases: Any, _scores: Any
) -> Any:
    """As `score_blocks`, for one block."""
    return _scoring(1)


@intrinsic
def lanes_from(_context: Any, _scores: Any, _least: Any) -> Any:
    """A word with the bits of those of 16 lanes whose score is `least` or more."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        scores, least = args
        reached = builder.fcmp_ordered(">=", load(builder, scores), spread(builder, least))
        return builder.zext(builder.bitcast(reached, ir.IntType(LANES)), INT64)

    return types.uint64(FLOATS, types.float32), generate


@inner
def first_from(scores, least):
    """The first place whose score is `least` or more; there must be one within whole blocks."""
    place = 0
    lanes = lanes_from(scores, least)
    while lanes == U0:
        place += LANES
        lanes = lanes_from(ahead(scores, place), least)
    return place + lowest(lanes)


@intrinsic
def pull_block(_context: Any, _weights: Any, _inputs: Any, _n: Any, _shares: Any) -> Any:
    """Moves each of the `n` rows of a block by `shares` of the way, one a lane, towards that row's input."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        weights, inputs, n, shares = args
        share = load(builder, shares)
        with cgutils.for_range(builder, n) as loop:
            place = builder.gep(weights, [builder.mul(loop.index, ir.Constant(INT64, LANES))])
            before = load(builder, place)
            distance = builder.fsub(spread(builder, at(builder, inputs, loop.index)), before)
            store(builder, add_product(builder, before, share, distance), place)
        return context.get_dummy_value()

    return types.void(FLOATS, FLOATS, types.int64, FLOATS), generate


def _closeness(builder: Any, scores: Any, top: Any, slope: Any) -> Any:
    """max(0, 1 - slope (top - score)) ** POWER: nearly an exponential, in few operations, and 0 far from the top."""
    drop = builder.fsub(scores, top)
    share = greater(builder, add_product(builder, ONES, drop, slope), ZEROS)
    for _ in range(POWER.bit_length() - 1):
        share = builder.fmul(share, share)
    return share


@intrinsic
def sum_closeness(_context: Any, _scores: Any, _n: Any, _top: Any, _slope: Any, _values: Any, _sums: Any) -> Any:
    """Writes the sums over `n` blocks of closeness, closeness times value, and closeness squared."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        scores, n, top, slope, values, sums = args
        totals = [cgutils.alloca_once_value(builder, ZEROS) for _ in range(3)]
        top, slope = spread(builder, top), spread(builder, slope)
        with cgutils.for_range(builder, n) as loop:
            start = builder.mul(loop.index, ir.Constant(INT64, LANES))
            share = _closeness(builder, load(builder, builder.gep(scores, [start])), top, slope)
            for total, factor in zip(totals, (ONES, load(builder, builder.gep(values, [start])), share), strict=True):
                builder.store(add_product(builder, builder.load(total), share, factor), total)
        for place, total in enumerate(totals):
            number = fold(builder, builder.load(total), builder.fadd)
            builder.store(number, builder.gep(sums, [ir.Constant(INT64, place)]))
        return context.get_dummy_value()

    return types.void(FLOATS, types.int64, types.float32, types.float32, FLOATS, FLOATS), generate


@intrinsic
def share_out(_context: Any, _scores: Any, _n: Any, _top: Any, _slope: Any, _total: Any, _shares: Any) -> Any:
    """shares = total * closeness, over `n` blocks."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        scores, n, top, slope, total, shares = args
        top, slope, total = (spread(builder, it) for it in (top, slope, total))
        with cgutils.for_range(builder, n) as loop:
            start = builder.mul(loop.index, ir.Constant(INT64, LANES))
            share = _closeness(builder, load(builder, builder.gep(scores, [start])), top, slope)
            store(builder, builder.fmul(share, total), builder.gep(shares, [start]))
        return context.get_dummy_value()

    return types.void(FLOATS, types.int64, types.float32, types.float32, types.float32, FLOATS), generate


@intrinsic
def add_to_block(_context: Any, _weights: Any, _offsets: Any, _values: Any, _n: Any, _shares: Any) -> Any:
    """Adds `values[i]` times `shares`, one a lane, to the row of a block at `offsets[i]`, for `n` rows."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        weights, offsets, values, n, shares = args
        share = load(builder, shares)
        with cgutils.for_range(builder, n) as loop:
            place = builder.gep(weights, [at(builder, offsets, loop.index)])
            value = spread(builder, at(builder, values, loop.index))
            store(builder, add_product(builder, load(builder, place), share, value), place)
        return context.get_dummy_value()

    return types.void(FLOATS, INTS, FLOATS, types.int64, FLOATS), generate
