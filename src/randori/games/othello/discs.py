"""Othello's discs: where one may be put and what it turns, on one word a side. Rules and endgame share them.

A word is looked at along four lines at once, one lane of a vector for each: across, rising, down and falling, whose next
square is 1, size - 1, size and size + 1 bits further on.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic
from numpy.typing import NDArray

from randori.kernels.compile import inner
from randori.kernels.rules import WORDS_POINTER, row

_WORD, _INT32, _FLAG = ir.IntType(64), ir.IntType(32), ir.IntType(1)
_LANES = ir.VectorType(_WORD, 4)


def _lanes(word: int) -> Any:
    return ir.Constant(_LANES, [word] * 4)


def _spread(builder: Any, *words: Any) -> Any:
    """A vector of four words, or of one word four times."""
    vector = ir.Constant(_LANES, ir.Undefined)
    for lane in range(4):
        vector = builder.insert_element(vector, words[lane % len(words)], ir.Constant(_INT32, lane))
    return vector


def _union(builder: Any, vector: Any) -> Any:
    for width in (2, 1):
        halves = [[*range(start, start + width)] for start in (0, width)]
        low, high = (ir.Constant(ir.VectorType(_INT32, width), it) for it in halves)
        vector = builder.or_(builder.shuffle_vector(vector, vector, low), builder.shuffle_vector(vector, vector, high))
    return builder.extract_element(vector, ir.Constant(_INT32, 0))


def _runs(builder: Any, shift: Any, start: Any, between: Any, pairs: Any, step: Any, double: Any) -> Any:
    """The squares just behind the runs of `between` that begin beside `start`, in the direction of `shift`.

    A run is at most six long: one square, then doubled twice by shifts of two.
    """
    run = builder.and_(shift(start, step), between)
    run = builder.or_(run, builder.and_(shift(run, step), between))
    for _ in range(2):
        run = builder.or_(run, builder.and_(shift(run, double), pairs))
    return shift(run, step)


@intrinsic
def _ends(_context: Any, _mine: Any, _theirs: Any, _size: Any, _inside: Any) -> Any:
    """The squares that end a run of theirs begun at one of mine, along all lines both ways."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        mine, theirs, size, inside = args
        one = ir.Constant(_WORD, 1)
        step = _spread(builder, one, builder.sub(size, one), size, builder.add(size, one))
        double = builder.add(step, step)
        within = builder.and_(theirs, inside)
        start, between = _spread(builder, mine), _spread(builder, within, within, theirs, within)
        pairs = builder.and_(between, builder.shl(between, step))
        up = _runs(builder, builder.shl, start, between, pairs, step, double)
        pairs = builder.lshr(pairs, step)
        down = _runs(builder, builder.lshr, start, between, pairs, step, double)
        return _union(builder, builder.or_(up, down))

    return types.uint64(types.uint64, types.uint64, types.uint64, types.uint64), generate


def below_by_count(builder: Any, mine: Any, theirs: Any, lines: Any) -> Any:
    """The discs turned downwards in bits, by counting the zeros above the highest square that is not theirs."""
    down = builder.load(builder.gep(lines, [ir.Constant(_INT32, 1)]), align=8)
    # Lanes without such a square stop at bit 0, which is then theirs or beside the line.
    others = builder.or_(builder.and_(down, builder.not_(theirs)), _lanes(1))
    kind = ir.FunctionType(_LANES, [_LANES, _FLAG])
    count = get_or_insert_function(builder.module, kind, "llvm.ctlz.v4i64")
    stop = builder.lshr(_lanes(1 << 63), builder.call(count, [others, ir.Constant(_FLAG, 1)]))
    stop = builder.and_(builder.and_(stop, down), mine)
    return builder.and_(builder.sub(_lanes(0), builder.shl(stop, _lanes(1))), down)


def below_by_shifts(builder: Any, mine: Any, theirs: Any, lines: Any) -> Any:
    """The same by marking all squares that lie behind one that is not theirs."""
    down, step = (builder.load(builder.gep(lines, [ir.Constant(_INT32, i)]), align=8) for i in (1, 2))
    others = builder.and_(down, builder.not_(theirs))
    shift = step
    for _ in range(3):
        others = builder.or_(others, builder.lshr(others, shift))
        shift = builder.add(shift, shift)
    first = builder.and_(others, builder.not_(builder.lshr(others, step)))
    stop = builder.and_(builder.and_(first, down), mine)
    met = builder.sext(builder.icmp_unsigned("!=", stop, _lanes(0)), _LANES)
    return builder.and_(builder.and_(met, down), builder.not_(others))


def turned_with(choose: Any) -> Any:
    """turned(mine, theirs, lines): the discs of theirs between mine and the square from which `lines` start.

    Upwards, a carry started at the first square of the line runs through theirs and stops at the first square that
    is not: it turns what it ran over if it stopped at mine. Downwards the highest square that is not theirs stops it,
    which the function that `choose(context)` returns finds.
    """

    @intrinsic
    def turned(_context: Any, _mine: Any, _theirs: Any, _lines: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            mine, theirs = (_spread(builder, it) for it in args[:2])
            lines = builder.bitcast(args[2], _LANES.as_pointer())
            up = builder.load(lines, align=8)
            carry = builder.add(builder.or_(theirs, builder.not_(up)), _lanes(1))
            stop = builder.and_(builder.and_(carry, up), mine)
            met = builder.sext(builder.icmp_unsigned("!=", stop, _lanes(0)), _LANES)
            above = builder.and_(builder.add(stop, met), up)
            return _union(builder, builder.or_(above, choose(context)(builder, mine, theirs, lines)))

        return types.uint64(types.uint64, types.uint64, WORDS_POINTER), generate

    return turned


def _quickest(context: Any) -> Any:
    """Vectors count zeros by themselves with AVX-512 only; there that is a tenth faster, elsewhere a tenth slower."""
    return below_by_count if "+avx512cd" in context.codegen().magic_tuple()[2] else below_by_shifts


_turned = turned_with(_quickest)


@inner
def placements(mine, theirs, size, inside, board):
    """The empty squares where a disc of mine turns at least one of theirs. `inside` leaves out the outer columns."""
    return _ends(mine, theirs, np.uint64(size), inside) & board & ~(mine | theirs)


@inner
def flips(mine, theirs, square, rays):
    """The discs that turn when mine is placed on `square`, by the lines that `rays` tells."""
    return _turned(mine, theirs, row(rays, square))


def rays(size: int) -> NDArray[np.uint64]:
    """`[size * size, 12]`: the lines from each square, four towards higher bits, then the four opposite; the steps in bits."""
    steps = [(0, 1), (1, -1), (1, 0), (1, 1)]
    found = np.zeros((size * size, 12), np.uint64)
    found[:, 8:] = [size * down + right for down, right in steps]
    for square in range(size * size):
        for direction, (down, right) in enumerate(steps + [(-down, -right) for down, right in steps]):
            r, c = square // size + down, square % size + right
            while 0 <= r < size and 0 <= c < size:
                found[square, direction] |= np.uint64(1 << (r * size + c))
                r, c = r + down, c + right
    return found
