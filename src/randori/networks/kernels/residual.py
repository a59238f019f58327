"""What a residual network says of boards: trunk, policy and value, some boards at a time so that they stay in the cache."""

import math
from typing import Annotated, Any, NamedTuple

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from randori.kernels.compile import inner, kernel
from randori.kernels.records import Float32s, allocate, numba_type
from randori.kernels.rules import ahead, row
from randori.kernels.vectors import FLOATS, INT64, LANES, ZEROS, add_product, aligned, fold, greater, load, store
from randori.networks.kernels.products import ROWS, multiply, whole_vectors
from randori.networks.kernels.winograd import GRID, Bench, Boards, Grid, convolve, stride_of_points

_TILES_AT_ONCE = 24

_NUMBERS = types.Array(types.float32, 1, "C")
_MATRIX = types.Array(types.float32, 2, "C")

MAPS, MAPS_AND_PASS, COLUMNS = range(3)
"""The outputs of the policy: the squares of all maps, the same with the pass after them, or the columns of one map."""


class Weights(NamedTuple):
    """Batch norms are folded in, widths are whole vectors; matrices as `winograd.lay_out` has them."""

    stem: Annotated[Float32s, "filters"]  # as `lay_out_filters` has them
    blocks: Annotated[Float32s, "2 * blocks, filters"]
    biases: Annotated[Float32s, "1 + 2 * blocks, width"]
    heads: Annotated[Float32s, "2 * width * width"]  # 1x1 of the policy and of the value
    head_biases: Annotated[Float32s, "2 * width"]
    policy_maps: Annotated[Float32s, "maps, width"]
    map_biases: Annotated[Float32s, "maps"]
    policy_pass: Annotated[Float32s, "width"]
    value_hidden: Annotated[Float32s, "units * width"]
    hidden_biases: Annotated[Float32s, "units"]
    value_output: Annotated[Float32s, "units"]
    last_biases: Annotated[Float32s, "2"]  # of the pass and the value


class Room(NamedTuple):
    """Where a thread works. Products are made of some rows at a time, so there are more rows than boards or squares."""

    source: Annotated[Float32s, "boards * high * wide * planes"]  # boards with a border
    trunk: Annotated[Float32s, "boards * high * wide * width"]
    between: Annotated[Float32s, "boards * high * wide * width"]
    points: Annotated[Float32s, "points, point_stride"]
    sums: Annotated[Float32s, "points, sums_stride"]
    squares: Annotated[Float32s, "(squares + ROWS) * width"]  # the trunk without borders
    features: Annotated[Float32s, "(squares + ROWS) * 2 * width"]  # of the heads
    pooled: Annotated[Float32s, "(boards + ROWS) * 2 * width"]
    hidden: Annotated[Float32s, "(boards + ROWS) * units"]
    zeros: Annotated[Float32s, "width"]


WEIGHTS, ROOM = numba_type(Weights), numba_type(Room)


def boards_at_once(grid: Grid, width: int) -> int:
    """Enough for products of a good size, and tiles in whole rows of them.

    Filters come from memory once for all boards, and there are as many of them as the square of the width.
    """
    tiles = grid.down * grid.across
    whole = ROWS // math.gcd(ROWS, tiles)
    return -(-max(_TILES_AT_ONCE, width * 3 // 8) // (tiles * whole)) * whole


def room_for(grid: Grid, n_planes: int, channels: int, units: int) -> Room:
    planes, width, hidden = (whole_vectors(it) for it in (n_planes, channels, units))
    boards = boards_at_once(grid, width)
    tiles = boards * grid.down * grid.across
    return allocate(
        Room,
        lambda shape, _: aligned(shape),
        boards=boards,
        squares=boards * grid.height * grid.width,
        high=grid.high,
        wide=grid.wide,
        points=(grid.tile_height + 2) * (grid.tile_width + 2),
        point_stride=stride_of_points(tiles, max(planes, width)),
        sums_stride=stride_of_points(tiles, width),
        planes=planes,
        width=width,
        units=hidden,
    )


@intrinsic
def _positive_product(_context: Any, _numbers: Any, _factors: Any, _n: Any) -> Any:
    """The sum of max(0, number) times factor, `n` of them in whole vectors."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        numbers, factors, n = args
        total = cgutils.alloca_once_value(builder, ZEROS)
        with cgutils.for_range_slice(builder, INT64(0), n, INT64(LANES)) as (place, _):
            positive = greater(builder, load(builder, builder.gep(numbers, [place])), ZEROS)
            factor = load(builder, builder.gep(factors, [place]))
            builder.store(add_product(builder, builder.load(total), positive, factor), total)
        return fold(builder, builder.load(total), builder.fadd)

    return types.float32(FLOATS, FLOATS, types.int64), generate


@intrinsic
def _add_positive(_context: Any, _numbers: Any, _totals: Any, _n: Any) -> Any:
    """totals += max(0, number), `n` of them in whole vectors."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        numbers, totals, n = args
        with cgutils.for_range_slice(builder, INT64(0), n, INT64(LANES)) as (place, _):
            total = builder.gep(totals, [place])
            positive = greater(builder, load(builder, builder.gep(numbers, [place])), ZEROS)
            store(builder, builder.fadd(load(builder, total), positive), total)
        return context.get_dummy_value()

    return types.void(FLOATS, FLOATS, types.int64), generate


@inner
def _set_up(grid, planes, source):
    """Planes `[boards, planes, H, W]` with their channels last, within a border."""
    n, n_planes = planes.shape[:2]
    for board in range(n):
        for y in range(grid.height):
            for x in range(grid.width):
                square = ((board * grid.high + y + 1) * grid.wide + x + 1) * source.width
                for plane in range(n_planes):
                    source.squares[square + plane] = planes[board, plane, y, x]


@inner
def _take_down(grid, n, boards, width, squares):
    """Boards without their borders."""
    length = grid.width * width
    for board in range(n):
        for y in range(grid.height):
            line = ahead(boards, ((board * grid.high + y + 1) * grid.wide + 1) * width)
            taken = ahead(squares, (board * grid.height + y) * length)
            for place in range(length):
                taken[place] = line[place]


@inner
def _run_trunk(grid, n, source, trunk, between, weights, bench):
    nothing, everything = np.float32(0.0), np.float32(1.0)
    convolve(grid, n, source, row(weights.stem, 0), row(weights.biases, 0), nothing, trunk, bench)
    for layer in range(0, weights.blocks.shape[0], 2):
        first, second = row(weights.blocks, layer), row(weights.blocks, layer + 1)
        convolve(grid, n, trunk, first, row(weights.biases, layer + 1), nothing, between, bench)
        convolve(grid, n, between, second, row(weights.biases, layer + 2), everything, trunk, bench)


@inner
def _run_heads(grid, n, actions, width, weights, room, policies, values):
    n_squares, both = grid.height * grid.width, 2 * width
    squares, features, pooled = row(room.squares, 0), row(room.features, 0), row(room.pooled, 0)
    units, n_maps = weights.value_output.size, weights.map_biases.size
    _take_down(grid, n, row(room.trunk, 0), width, squares)
    heads, biases = row(weights.heads, 0), row(weights.head_biases, 0)
    multiply(squares, width, n * n_squares, heads, width, biases, both, features, both)
    for place in range(n * both):
        pooled[place] = np.float32(0.0)
    policies[:] = np.float32(0.0)
    for board in range(n):
        for square in range(n_squares):
            feature = ahead(features, (board * n_squares + square) * both)
            for way in range(n_maps):
                logit = _positive_product(feature, row(weights.policy_maps, way), width) + weights.map_biases[way]
                place = square % grid.width if actions == COLUMNS else way * n_squares + square
                policies[board, place] += logit
            _add_positive(feature, ahead(pooled, board * both), both)
    for place in range(n * both):
        pooled[place] /= np.float32(n_squares)
    hidden = row(room.hidden, 0)
    matrix, biases = row(weights.value_hidden, 0), row(weights.hidden_biases, 0)
    multiply(ahead(pooled, width), both, n, matrix, width, biases, units, hidden, units)
    for board in range(n):
        if actions == MAPS_AND_PASS:
            # No mean of features is negative.
            told = _positive_product(ahead(pooled, board * both), row(weights.policy_pass, 0), width)
            policies[board, n_maps * n_squares] = told + weights.last_biases[0]
        worth = _positive_product(ahead(hidden, board * units), row(weights.value_output, 0), units)
        values[board] = math.tanh(worth + weights.last_biases[1])


@inner
def _all_finite(policies, values):
    """A sum is finite only where all numbers are; it is of 64 bits, so that large ones of 32 cannot add up to infinity."""
    total = 0.0
    for board in range(values.size):
        total += np.float64(values[board])
        for place in range(policies.shape[1]):
            total += np.float64(policies[board, place])
    return math.isfinite(total)


@kernel(types.boolean(GRID, types.int64, types.Array(types.float32, 4, "C"), WEIGHTS, ROOM, _MATRIX, _NUMBERS))
def judge_boards(grid, actions, planes, weights, room, policies, values):
    """Writes logits `[B, outputs]` and values `[B]` for planes `[B, P, H, W]`; returns whether all of them are finite."""
    n_planes, width = planes.shape[1], weights.policy_maps.shape[1]
    together = room.trunk.size // (grid.high * grid.wide * width)
    point_stride, sums_stride = room.points.shape[1], room.sums.shape[1]
    bench = Bench(row(room.points, 0), point_stride, row(room.sums, 0), sums_stride, row(room.zeros, 0))
    source = Boards(row(room.source, 0), n_planes, room.source.size // (together * grid.high * grid.wide))
    trunk, between = Boards(row(room.trunk, 0), width, width), Boards(row(room.between, 0), width, width)
    for first in range(0, planes.shape[0], together):
        last = min(first + together, planes.shape[0])
        _set_up(grid, planes[first:last], source)
        _run_trunk(grid, last - first, source, trunk, between, weights, bench)
        _run_heads(grid, last - first, actions, width, weights, room, policies[first:last], values[first:last])
    return _all_finite(policies, values)
