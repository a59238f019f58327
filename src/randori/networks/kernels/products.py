"""Products of matrices whose sums stay in registers.

A number of a product is one sum over the inputs in their order, whichever rows and columns are computed with it: so what a
network says of a board does not depend on the other boards, nor on the registers of the machine.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from randori.kernels.compile import inner
from randori.kernels.vectors import (
    FLOATS,
    INT64,
    LANES,
    VECTOR,
    add_product,
    at,
    in_one_register,
    load,
    spread,
    store,
)

ROWS = 12
"""Rows and results have room for a multiple of so many: whatever the tile, the last one may go beyond the rows."""


def whole_vectors(n: int) -> int:
    """So many channels and as many zeros as fill the last vector."""
    return -(-n // LANES) * LANES


def lay_out(matrix: NDArray[Any]) -> NDArray[np.float32]:
    """A matrix `[outputs, inputs]` as `multiply` takes it, flat `[blocks, inputs, 16]`."""
    n, n_inputs = matrix.shape
    padded = np.zeros((whole_vectors(n), n_inputs), np.float32)
    padded[:n] = matrix
    return padded.reshape(-1, LANES, n_inputs).transpose(0, 2, 1).reshape(-1)


class _Tiles(NamedTuple):
    """So many rows at a time, by one of these numbers of blocks of outputs, each half of the one before."""

    rows: int
    blocks: tuple[int, ...]


# Sums, a row of weights and a number of the row fill 27 of 32 registers that hold a vector, or 15 of 16 that hold half of one.
# The last rows go in flat tiles: where they are all, as with a position alone, each weight is used by a few only.
_WIDE = (_Tiles(12, (2, 1)), _Tiles(4, (4, 2, 1)))
_NARROW = (_Tiles(6, (1,)), _Tiles(4, (1,)))


class _Product(NamedTuple):
    """The arguments of `_multiply` as the compiler has them."""

    rows: Any
    stride: Any
    n_rows: Any
    matrix: Any
    n_inputs: Any
    biases: Any
    n_blocks: Any
    results: Any
    results_stride: Any


def _write_tile(builder: Any, it: _Product, row: Any, block: Any, n_rows: int, n_blocks: int) -> None:
    """Code for the sums of so many rows and blocks from `row` and `block` on."""
    first = builder.mul(block, INT64(LANES))
    rows = builder.gep(it.rows, [builder.mul(row, it.stride)])
    weights = builder.gep(it.matrix, [builder.mul(first, it.n_inputs)])
    results = builder.gep(it.results, [builder.add(builder.mul(row, it.results_stride), first)])
    totals = {(r, k): cgutils.alloca_once(builder, VECTOR) for r in range(n_rows) for k in range(n_blocks)}
    biases = [load(builder, builder.gep(it.biases, [builder.add(first, INT64(k * LANES))])) for k in range(n_blocks)]
    for (_, k), total in totals.items():
        builder.store(biases[k], total)
    with cgutils.for_range(builder, it.n_inputs) as loop:
        places = [builder.add(loop.index, builder.mul(it.n_inputs, INT64(k))) for k in range(n_blocks)]
        factors = [load(builder, builder.gep(weights, [builder.mul(place, INT64(LANES))])) for place in places]
        for r in range(n_rows):
            number = spread(builder, at(builder, rows, builder.add(loop.index, builder.mul(it.stride, INT64(r)))))
            for k, factor in enumerate(factors):
                builder.store(add_product(builder, builder.load(totals[r, k]), number, factor), totals[r, k])
    for (r, k), total in totals.items():
        place = builder.add(builder.mul(it.results_stride, INT64(r)), INT64(k * LANES))
        store(builder, builder.load(total), builder.gep(results, [place]))


def _whole(builder: Any, n: Any, size: int) -> Any:
    """As much of `n` as is a multiple of a size."""
    return builder.mul(builder.sdiv(n, INT64(size)), INT64(size))


def _write_tiles(builder: Any, it: _Product, tiles: _Tiles, first: Any, last: Any) -> None:
    """Code for all outputs of the rows from `first` to `last`, if there are any."""
    with builder.if_then(builder.icmp_signed("<", first, last)):
        begin = INT64(0)
        for n_blocks in tiles.blocks:
            end = _whole(builder, it.n_blocks, n_blocks)
            # Rows are the inner loop: the weights of some blocks stay in the nearest cache for all of them.
            with (
                cgutils.for_range_slice(builder, begin, end, INT64(n_blocks), inc=True) as (block, _),
                cgutils.for_range_slice(builder, first, last, INT64(tiles.rows), inc=True) as (row, _),
            ):
                _write_tile(builder, it, row, block, tiles.rows, n_blocks)
            begin = end


@intrinsic
def _multiply(
    _context: Any,
    _rows: Any,
    _stride: Any,
    _n_rows: Any,
    _matrix: Any,
    _n_inputs: Any,
    _biases: Any,
    _n_blocks: Any,
    _results: Any,
    _results_stride: Any,
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        it = _Product(*args)
        tall, flat = _WIDE if in_one_register(*context.codegen().magic_tuple()) else _NARROW
        # A rest goes in flat tiles unless these would be as long as a tall one.
        longest_rest = (tall.rows - 1) // flat.rows * flat.rows
        split = _whole(builder, builder.add(it.n_rows, INT64(tall.rows - 1 - longest_rest)), tall.rows)
        _write_tiles(builder, it, tall, INT64(0), split)
        _write_tiles(builder, it, flat, split, it.n_rows)
        return context.get_dummy_value()

    kinds = (FLOATS, types.int64, types.int64, FLOATS, types.int64, FLOATS, types.int64, FLOATS, types.int64)
    return types.void(*kinds), generate


@inner
def multiply(rows, stride, n_rows, matrix, n_inputs, biases, n_outputs, results, results_stride):
    """results = rows @ matrix.T + biases"""
    _multiply(rows, stride, n_rows, matrix, n_inputs, biases, n_outputs // LANES, results, results_stride)
