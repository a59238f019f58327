"""Convolutions of 3x3 in vectors, by Winograd's minimal filtering (Lavin and Gray 2016, arXiv:1509.09308).

A tile of m x n outputs depends on (m + 2) x (n + 2) inputs. Tile and filter are carried over to as many *points*, where
the convolution is a product; summed over the channels these are products of matrices, one for each point, of tiles by
channels with channels by channels. The sums carried back are the outputs. With m = n = 4 that takes a quarter of the
products that the nine of a plain convolution take, with 3 a little less than a third.

Channels come last everywhere, in whole vectors. A board has a border of zeros around it, one square on the left and above,
as many as whole tiles need on the right and below.
"""

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from randori.kernels.compile import inner
from randori.kernels.records import numba_type
from randori.kernels.rules import ahead
from randori.kernels.vectors import FLOATS, INT64, LANES, VECTOR, ZEROS, add_product, greater, load, spread, store
from randori.networks.kernels.products import lay_out, multiply

TILES = (3, 4)
"""Lengths of a tile. Longer ones lose digits."""

_POINTS = (0, 1, -1, 2, -2)

_Carry = Callable[[Any, NDArray[np.float64], list[Any]], list[Any]]


class Transforms(NamedTuple):
    """Matrices of one dimension: `back @ ((into @ inputs) * (filters @ filter))` are the outputs of a tile."""

    into: NDArray[np.float64]  # [m + 2, m + 2]
    filters: NDArray[np.float64]  # [m + 2, 3]
    back: NDArray[np.float64]  # [m, m + 2]


def transforms(tile: int) -> Transforms:
    """By Toom and Cook: values of polynomials at `tile + 1` points and at infinity."""
    points = np.array(_POINTS[: tile + 1], np.float64)
    others = [np.delete(points, place) for place in range(len(points))]
    lengths = np.array([np.prod(point - rest) for point, rest in zip(points, others, strict=True)])
    into = np.zeros((tile + 2, tile + 2))
    into[:-1, :-1] = [np.poly(rest)[::-1] for rest in others]
    into[-1] = np.poly(points)[::-1]
    filters = np.vstack([points[:, None] ** np.arange(3) / lengths[:, None], np.eye(3)[-1]])
    back = np.hstack([points[None, :] ** np.arange(tile)[:, None], np.eye(tile)[:, -1:]])
    return Transforms(into, filters, back)


class Grid(NamedTuple):
    """How a board is cut into tiles."""

    height: int  # of the board
    width: int
    tile_height: int
    tile_width: int
    down: int  # tiles
    across: int
    high: int  # rows and columns of the board with its border
    wide: int


def grid_for(height: int, width: int) -> Grid:
    """Tiles that take the fewest products."""
    tall, broad = (min(TILES, key=lambda tile: -(-length // tile) * (tile + 2)) for length in (height, width))
    down, across = -(-height // tall), -(-width // broad)
    return Grid(height, width, tall, broad, down, across, down * tall + 2, across * broad + 2)


GRID = numba_type(Grid)


def lay_out_filters(filters: NDArray[np.float32], grid: Grid) -> NDArray[np.float32]:
    """Filters `[outputs, inputs, 3, 3]` at the points, flat `[points, blocks, inputs, 16]`."""
    tall, broad = (transforms(tile).filters for tile in (grid.tile_height, grid.tile_width))
    there = np.einsum("ya,xb,oiab->yxoi", tall, broad, filters.astype(np.float64))
    return np.concatenate([lay_out(it) for it in there.reshape(-1, *filters.shape[:2])])


def _place(builder: Any, start: Any, *steps: tuple[Any, int]) -> Any:
    """start + the sum of stride times number."""
    for stride, number in steps:
        start = builder.add(start, builder.mul(stride, INT64(number)))
    return start


def _weighted(builder: Any, factors: NDArray[np.float64], vectors: list[Any]) -> Any:
    """The sum of constants times vectors, beginning with those that need no product."""
    total = ZEROS
    for place in np.argsort(factors != 1, kind="stable"):
        factor, vector = factors[place], vectors[place]
        if factor == 1:
            total = vector if total is ZEROS else builder.fadd(total, vector)
        elif factor == -1:
            total = builder.fsub(total, vector)
        elif factor:
            total = add_product(builder, total, vector, _constant(factor))
    return total


def _constant(factor: float) -> Any:
    return ir.Constant(VECTOR, [float(factor)] * LANES)


def _opposite(matrix: NDArray[np.float64]) -> dict[int, int]:
    """Rows that are the same but for the sign of every second number, as those of opposite points are."""
    signs = np.resize([1.0, -1.0], matrix.shape[1])
    rows = range(len(matrix))
    return {it: other for it in rows for other in rows[it + 1 :] if (matrix[it] == signs * matrix[other]).all()}


def _carried(builder: Any, into: NDArray[np.float64], inputs: list[Any]) -> list[Any]:
    """into @ inputs. Rows of opposite points are the sum and the difference of the same two halves."""
    found: dict[int, Any] = {}
    opposite = _opposite(into)
    for place, factors in enumerate(into):
        if place in opposite:
            even, scale = (
                _weighted(builder, factors[::2], inputs[::2]),
                factors[1::2][np.flatnonzero(factors[1::2])[-1]],
            )
            odd = _weighted(builder, factors[1::2] / scale, inputs[1::2])
            found[place] = add_product(builder, even, odd, _constant(scale))
            found[opposite[place]] = add_product(builder, even, odd, _constant(-scale))
        elif place not in found:
            found[place] = _weighted(builder, factors, inputs)
    return [found[place] for place in range(len(into))]


def _brought_back(builder: Any, back: NDArray[np.float64], points: list[Any]) -> list[Any]:
    """back @ points. Of opposite points half of the outputs take the sum, the others the difference."""
    back, points = back.copy(), list(points)
    for one, other in _opposite(back.T).items():
        points[one], points[other] = (combine(points[one], points[other]) for combine in (builder.fadd, builder.fsub))
        back[::2, other], back[1::2, other] = 0, back[1::2, one]
        back[1::2, one] = 0
    return [_weighted(builder, factors, points) for factors in back]


def _both_ways(
    builder: Any, carry: _Carry, tall: NDArray[np.float64], broad: NDArray[np.float64], square: list[list[Any]]
) -> list[list[Any]]:
    """tall @ square @ broad.T"""
    columns = [carry(builder, tall, list(column)) for column in zip(*square, strict=True)]
    return [carry(builder, broad, list(line)) for line in zip(*columns, strict=True)]


@intrinsic(prefer_literal=True)
def _into_points(
    _context: Any,
    tall: Any,
    broad: Any,
    _tile: Any,
    _row_stride: Any,
    _width: Any,
    _points: Any,
    _point_stride: Any,
) -> Any:
    """Carries the inputs of a `tall` x `broad` tile, `width` channels each, over to the points."""
    down, across = (transforms(it.literal_value).into for it in (tall, broad))
    places = list(product(range(len(down)), range(len(across))))

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tile, row_stride, width, points, point_stride = args[2:]
        with cgutils.for_range_slice(builder, INT64(0), width, INT64(LANES), inc=True) as (channel, _):
            inputs = [
                [
                    load(builder, builder.gep(tile, [_place(builder, channel, (row_stride, y), (width, x))]))
                    for x in range(len(across))
                ]
                for y in range(len(down))
            ]
            there = _both_ways(builder, _carried, down, across, inputs)
            for number, (y, x) in enumerate(places):
                store(builder, there[y][x], builder.gep(points, [_place(builder, channel, (point_stride, number))]))
        return context.get_dummy_value()

    return types.void(tall, broad, FLOATS, types.int64, types.int64, FLOATS, types.int64), generate


@intrinsic(prefer_literal=True)
def _back_from_points(
    _context: Any,
    tall: Any,
    broad: Any,
    _points: Any,
    _point_stride: Any,
    _biases: Any,
    _kept: Any,
    _tile: Any,
    _row_stride: Any,
    _width: Any,
) -> Any:
    """Carries sums back: tile = max(0, kept * tile + sums + biases)."""
    down, across = (transforms(it.literal_value).back for it in (tall, broad))
    n_tall, n_broad = down.shape[1], across.shape[1]

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        points, point_stride, biases, kept, tile, row_stride, width = args[2:]
        kept = spread(builder, kept)
        with cgutils.for_range_slice(builder, INT64(0), width, INT64(LANES), inc=True) as (channel, _):
            there = [
                [
                    load(builder, builder.gep(points, [_place(builder, channel, (point_stride, y * n_broad + x))]))
                    for x in range(n_broad)
                ]
                for y in range(n_tall)
            ]
            bias = load(builder, builder.gep(biases, [channel]))
            for y, line in enumerate(_both_ways(builder, _brought_back, down, across, there)):
                for x, total in enumerate(line):
                    square = builder.gep(tile, [_place(builder, channel, (row_stride, y), (width, x))])
                    with_bias = builder.fadd(total, bias)
                    store(
                        builder,
                        greater(builder, add_product(builder, with_bias, kept, load(builder, square)), ZEROS),
                        square,
                    )
        return context.get_dummy_value()

    taken = (FLOATS, types.int64, FLOATS, types.float32, FLOATS, types.int64, types.int64)
    return types.void(tall, broad, *taken), generate


@inner
def _carry_over(grid, tile, width, points, point_stride):
    # Lengths of tiles are constants of the code, so that zeros and ones in their matrices cost nothing.
    stride = grid.wide * width
    if grid.tile_height == 3:
        if grid.tile_width == 3:
            _into_points(3, 3, tile, stride, width, points, point_stride)
        else:
            _into_points(3, 4, tile, stride, width, points, point_stride)
    elif grid.tile_width == 3:
        _into_points(4, 3, tile, stride, width, points, point_stride)
    else:
        _into_points(4, 4, tile, stride, width, points, point_stride)


@inner
def _carry_back(grid, points, point_stride, biases, kept, tile, width):
    stride = grid.wide * width
    if grid.tile_height == 3:
        if grid.tile_width == 3:
            _back_from_points(3, 3, points, point_stride, biases, kept, tile, stride, width)
        else:
            _back_from_points(3, 4, points, point_stride, biases, kept, tile, stride, width)
    elif grid.tile_width == 3:
        _back_from_points(4, 3, points, point_stride, biases, kept, tile, stride, width)
    else:
        _back_from_points(4, 4, points, point_stride, biases, kept, tile, stride, width)


@inner
def _clear_below_and_right(grid, board, width):
    """Tiles that hang over the edge left something in the border."""
    for y in range(1, grid.high):
        begin = 1 if y > grid.height else grid.width + 1
        border = ahead(board, (y * grid.wide + begin) * width)
        for place in range((grid.wide - begin) * width):
            border[place] = np.float32(0.0)


class Boards(NamedTuple):
    """Boards with their borders, `[boards, high, wide, width]`; of the `width` channels the first `n` are not all zeros."""

    squares: Any
    n: int
    width: int


class Bench(NamedTuple):
    """Room for tiles at each point, a multiple of `ROWS`."""

    points: Any  # [points, point_stride], tiles by channels of the source
    point_stride: int
    sums: Any  # [points, sums_stride], tiles by channels of the target
    sums_stride: int
    zeros: Any  # [channels of the target]


def stride_of_points(n_tiles: int, width: int) -> int:
    """Numbers from one point to the next. One vector more than the tiles need: the points of a tile, which are written one
    after the other, would often be a multiple of a page apart and drive each other out of the nearest cache.
    """
    return n_tiles * width + LANES


@inner
def convolve(grid, n_boards, source, filters, biases, kept, target, bench):
    """target = max(0, kept * target + source * filters + biases)"""
    n_points = (grid.tile_height + 2) * (grid.tile_width + 2)
    size, before, after = grid.high * grid.wide, source.width, target.width
    tile = 0
    for board in range(n_boards):
        for y in range(grid.down):
            for x in range(grid.across):
                corner = board * size + y * grid.tile_height * grid.wide + x * grid.tile_width
                there = ahead(bench.points, tile * before)
                _carry_over(grid, ahead(source.squares, corner * before), before, there, bench.point_stride)
                tile += 1
    for point in range(n_points):
        rows, totals = ahead(bench.points, point * bench.point_stride), ahead(bench.sums, point * bench.sums_stride)
        weights = ahead(filters, point * source.n * after)
        multiply(rows, before, tile, weights, source.n, bench.zeros, after, totals, after)
    tile = 0
    for board in range(n_boards):
        for y in range(grid.down):
            for x in range(grid.across):
                # One further down and right than the inputs, which reach one square beyond the outputs.
                corner = board * size + (y * grid.tile_height + 1) * grid.wide + x * grid.tile_width + 1
                there = ahead(bench.sums, tile * after)
                _carry_back(grid, there, bench.sums_stride, biases, kept, ahead(target.squares, corner * after), after)
                tile += 1
        _clear_below_and_right(grid, ahead(target.squares, board * size * after), after)
