"""Where the patterns of a position stand in their tables: the indices of all tuples at once.

A tuple's index is the sum of 3^i for each of its cells that is mine and 2 * 3^i for each that is theirs. A byte of a
side's stones adds the same to the indices whatever the other bytes are, so `shares[byte, pattern]` holds what it adds to
all of them, and a position's indices are a sum of a few rows.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from randori.kernels.rules import WORDS_POINTER

LANES = 32
MOST_TUPLES = 4096
_SHARES = types.CPointer(types.uint16)
_PLACES = types.CPointer(types.int64)
_INT64, _INT16 = ir.IntType(64), ir.IntType(16)
_VECTOR = ir.VectorType(_INT16, LANES)


@intrinsic
def indices(_context: Any, _state: Any, _shares: Any, _places: Any, _n_bytes: Any, _n_padded: Any) -> Any:
    """Pointer to the indices of a position's tuples, valid until the function that asked for them returns.

    `places[2 * b]` is the first bit of byte `b` of my stones in the state's words, `places[2 * b + 1]` that of theirs.
    `shares` is `[n_bytes, 256, n_padded]`; the number of tuples is padded to a multiple of LANES, MOST_TUPLES at most.
    """

    def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        state, shares, places, n_bytes, n_padded = args
        found = cgutils.alloca_once(builder, _INT16, size=MOST_TUPLES)
        byte, six, last = (ir.Constant(_INT64, it) for it in (255, 6, 63))
        zeros = ir.Constant(_VECTOR, None)
        lanes = ir.Constant(_INT64, LANES)
        sums = [cgutils.alloca_once(builder, _VECTOR) for _ in range(2)]

        def pattern(b: Any, side: int) -> Any:
            """The first share of what a byte of a side holds."""
            place = builder.load(builder.gep(places, [builder.add(builder.add(b, b), ir.Constant(_INT64, side))]))
            word = builder.load(builder.gep(state, [builder.lshr(place, six)]))
            stones = builder.and_(builder.lshr(word, builder.and_(place, last)), byte)
            row = builder.add(builder.shl(b, ir.Constant(_INT64, 8)), stones)
            return builder.mul(row, n_padded)

        with cgutils.for_range_slice(builder, ir.Constant(_INT64, 0), n_padded, lanes) as (block, _):
            for total in sums:
                builder.store(zeros, total)
            with cgutils.for_range(builder, n_bytes, intp=_INT64) as loop:
                for side, total in enumerate(sums):
                    start = builder.gep(shares, [builder.add(pattern(loop.index, side), block)])
                    row = builder.load(builder.bitcast(start, _VECTOR.as_pointer()), align=2)
                    builder.store(builder.add(builder.load(total), row), total)
            mine, theirs = (builder.load(total) for total in sums)
            here = builder.bitcast(builder.gep(found, [block]), _VECTOR.as_pointer())
            builder.store(builder.add(mine, builder.add(theirs, theirs)), here, align=2)
        return found

    return _SHARES(WORDS_POINTER, _SHARES, _PLACES, types.int64, types.int64), generate
