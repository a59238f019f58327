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
from randori.kernels.rules import ahead
from randori.kernels.vectors import (
    FLOATS,
    INT64,
    LANES,
    VECTOR,
    add_product,
    at,
    has_wide_registers,
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


class Product(NamedTuple):
    """results = rows @ matrix.T + biases; `n_blocks` are vectors of outputs, strides are of rows."""

    rows: Any
    stride: int
    matrix: Any
    n_inputs: int
    biases: Any
    n_blocks: int
    results: Any
    results_stride: int


def _combination(n_rows: int, n_blocks: int) -> Any:
    """Code for the sums of a tile of so many rows and blocks of outputs."""
    places = [(row, block) for row in range(n_rows) for block in range(n_blocks)]

    @intrinsic
    def combine(
        _context: Any, _start: Any, _rows: Any, _stride: Any, _weights: Any, _n: Any, _sums: Any, _sums_stride: Any
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            start, rows, stride, weights, n, sums, sums_stride = args
            block_size = builder.mul(n, INT64(LANES))
            begun = [load(builder, builder.gep(start, [INT64(block * LANES)])) for block in range(n_blocks)]
            totals = {(row, block): cgutils.alloca_once(builder, VECTOR) for row, block in places}
            for (_, block), total in totals.items():
                builder.store(begun[block], total)
            with cgutils.for_range(builder, n) as loop:
                first = builder.mul(loop.index, INT64(LANES))
                blocks = [builder.add(first, builder.mul(block_size, INT64(it))) for it in range(n_blocks)]
                factors = [load(builder, builder.gep(weights, [it])) for it in blocks]
                for row in range(n_rows):
                    place = builder.add(loop.index, builder.mul(stride, INT64(row)))
                    number = spread(builder, at(builder, rows, place))
                    for block, factor in enumerate(factors):
                        total = totals[row, block]
                        builder.store(add_product(builder, builder.load(total), number, factor), total)
            for (row, block), total in totals.items():
                place = builder.add(builder.mul(sums_stride, INT64(row)), INT64(block * LANES))
                store(builder, builder.load(total), builder.gep(sums, [place]))
            return context.get_dummy_value()

        return types.void(FLOATS, FLOATS, types.int64, FLOATS, types.int64, FLOATS, types.int64), generate

    return combine


def _tiles_of(n_rows: int, n_blocks: int) -> Any:
    """Code for rows from `first` to `last` in tiles, from a block on; it returns the first block that fills no tile."""
    combine = _combination(n_rows, n_blocks)

    @inner
    def by_tiles(product, block, first, last):
        while block + n_blocks <= product.n_blocks:
            weights = ahead(product.matrix, block * product.n_inputs * LANES)
            # The weights of some blocks stay in the nearest cache for all rows.
            for row in range(first, last, n_rows):
                combine(
                    ahead(product.biases, block * LANES),
                    ahead(product.rows, row * product.stride),
                    product.stride,
                    weights,
                    product.n_inputs,
                    ahead(product.results, row * product.results_stride + block * LANES),
                    product.results_stride,
                )
            block += n_blocks
        return block

    return by_tiles


# Sums, a row of weights and a number of the row fill 15 of 16 registers that hold half a vector, or 27 of 32 that hold a
# whole one. The last rows go in flat tiles: where they are all, as with a position alone, each weight is used by a few only.
_six_by_one = _tiles_of(6, 1)
_twelve_by_two, _twelve_by_one = _tiles_of(12, 2), _tiles_of(12, 1)
_four_by_four, _four_by_two, _four_by_one = _tiles_of(4, 4), _tiles_of(4, 2), _tiles_of(4, 1)


@inner
def multiply(rows, stride, n_rows, matrix, n_inputs, biases, n_outputs, results, results_stride):
    """results = rows @ matrix.T + biases"""
    product = Product(rows, stride, matrix, n_inputs, biases, n_outputs // LANES, results, results_stride)
    if has_wide_registers():
        # Up to eight rows are left.
        tall = (n_rows + 3) // 12 * 12
        if tall:
            _twelve_by_one(product, _twelve_by_two(product, 0, 0, tall), 0, tall)
        if tall < n_rows:
            block = _four_by_two(product, _four_by_four(product, 0, tall, n_rows), tall, n_rows)
            _four_by_one(product, block, tall, n_rows)
    else:
        # Up to four.
        tall = (n_rows + 1) // 6 * 6
        _six_by_one(product, 0, 0, tall)
        _four_by_one(product, 0, tall, n_rows)
