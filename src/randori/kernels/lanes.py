"""Lanes: vectors of words, by which a kernel does the same to many positions at once, one in each lane.

What is written with `|`, `<<`, `+` and the like for words holds for lanes as well; a plain number stands for the same number
in every lane. A comparison gives a mask, by which `where` chooses. The compiler divides lanes into the registers that there are.
"""

import operator
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from randori.kernels.bits import U1, U32
from randori.kernels.compile import inner
from randori.kernels.rules import WORDS_POINTER

_WORD, _BYTE, _BIT, _INDEX = (ir.IntType(bits) for bits in (64, 8, 1, 32))


class Lanes(types.Type):
    """`width` words."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Lanes({width})")


class Mask(types.Type):
    """Whether something holds, for each of `width` lanes."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Mask({width})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Lanes) -> None:
        super().__init__(manager, kind, ir.VectorType(_WORD, kind.width))


@register_model(Mask)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Mask) -> None:
        super().__init__(manager, kind, ir.VectorType(_BIT, kind.width))


def _repeated(builder: Any, word: Any, width: int) -> Any:
    nothing = ir.Constant(ir.VectorType(_WORD, width), ir.Undefined)
    first = builder.insert_element(nothing, word, ir.Constant(_INDEX, 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(_INDEX, width), [0] * width))


def _as_lanes(context: Any, builder: Any, kind: Any, value: Any, width: int) -> Any:
    if isinstance(kind, types.Integer):
        return _repeated(builder, context.cast(builder, value, kind, types.uint64), width)
    return value


def _define(symbol: Callable[..., Any], operand: Any, result: Any, code: Callable[..., Any]) -> None:
    """Gives an operator a meaning for operands of one width; beside an `operand` there may be a plain number."""

    class Typing(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            widths = {it.width for it in args if isinstance(it, operand)}
            if len(widths) != 1 or not all(isinstance(it, operand | types.Integer) for it in args):
                return None
            return signature(result(*widths), *args)

    def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        width = typed.return_type.width
        return code(builder, *(_as_lanes(context, builder, *it, width) for it in zip(typed.args, args, strict=True)))

    infer_global(symbol)(Typing)
    for kinds in ((operand,), (operand, operand), (operand, types.Integer), (types.Integer, operand)):
        lower_builtin(symbol, *kinds)(generate)


def _define_operators() -> None:
    wordwise: dict[Callable[..., Any], list[Any]] = {
        ir.IRBuilder.and_: [operator.and_, operator.iand],
        ir.IRBuilder.or_: [operator.or_, operator.ior],
        ir.IRBuilder.xor: [operator.xor, operator.ixor],
        ir.IRBuilder.shl: [operator.lshift, operator.ilshift],
        ir.IRBuilder.lshr: [operator.rshift, operator.irshift],
        ir.IRBuilder.add: [operator.add, operator.iadd],
        ir.IRBuilder.sub: [operator.sub, operator.isub],
        ir.IRBuilder.mul: [operator.mul, operator.imul],
        ir.IRBuilder.not_: [operator.invert],
    }
    for code, symbols in wordwise.items():
        for symbol in symbols:
            _define(symbol, Lanes, Lanes, code)
    for code, symbol in ((ir.IRBuilder.and_, operator.and_), (ir.IRBuilder.or_, operator.or_)):
        _define(symbol, Mask, Mask, code)
    for sign, symbol in (("==", operator.eq), ("!=", operator.ne), (">=", operator.ge)):
        _define(symbol, Lanes, Mask, lambda builder, *both, sign=sign: builder.icmp_unsigned(sign, *both))


_define_operators()


@intrinsic
def where(_context: Any, mask: Any, one: Any, other: Any) -> Any:
    """The lanes of `one` where the mask says so, those of `other` elsewhere."""

    def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        return builder.select(*args)

    return one(mask, one, other), generate


def _count(builder: Any, vector: Any) -> Any:
    kind = vector.type
    name = f"llvm.ctpop.v{kind.count}i{kind.element.width}"
    return builder.call(cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind]), name), [vector])


@intrinsic
def count_bits(_context: Any, lanes: Any) -> Any:
    """The number of set bits of each lane."""

    def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        return _count(builder, args[0])

    return lanes(lanes), generate


@intrinsic
def _count_by_bytes(_context: Any, lanes: Any) -> Any:
    """In each byte of each lane the number of its set bits."""

    def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        in_bytes = builder.bitcast(args[0], ir.VectorType(_BYTE, 8 * lanes.width))
        return builder.bitcast(_count(builder, in_bytes), args[0].type)

    return lanes(lanes), generate


@intrinsic
def _bytes_above(_context: Any, lanes: Any, _limits: Any) -> Any:
    """All bits of those bytes of a lane that are above its limit; bytes and limits are below 128."""

    def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        n = 8 * lanes.width
        in_bytes, limits = (builder.bitcast(it, ir.VectorType(_BYTE, n)) for it in args)
        lowest = ir.Constant(ir.VectorType(_INDEX, n), [it // 8 * 8 for it in range(n)])
        above = builder.icmp_signed(">", in_bytes, builder.shuffle_vector(limits, limits, lowest))
        return builder.bitcast(builder.sext(above, in_bytes.type), args[0].type)

    return lanes(lanes, lanes), generate


@intrinsic
def bits_of(_context: Any, mask: Any) -> Any:
    """A word with the bit of each lane of which the mask is true, the first lane's lowest; of 64 lanes at most."""

    def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        return builder.zext(builder.bitcast(args[0], ir.IntType(mask.width)), _WORD)

    return types.uint64(mask), generate


class Access(NamedTuple):
    """How words become lanes and lanes words."""

    load: Any
    """load(pointer) -> lanes: the next words there."""
    store: Any
    """store(pointer, lanes)"""
    mask_of: Any
    """mask_of(word) -> mask: the inverse of `bits_of`."""


@cache
def access(width: int) -> Access:
    kind, vector = Lanes(width), ir.VectorType(_WORD, width)

    @intrinsic
    def load(_context: Any, _pointer: Any) -> Any:
        def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
            return builder.load(builder.bitcast(args[0], vector.as_pointer()), align=8)

        return kind(WORDS_POINTER), generate

    @intrinsic
    def store(_context: Any, _pointer: Any, _lanes: Any) -> Any:
        def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
            builder.store(args[1], builder.bitcast(args[0], vector.as_pointer()), align=8)
            return context.get_dummy_value()

        return types.void(WORDS_POINTER, kind), generate

    @intrinsic
    def mask_of(_context: Any, _word: Any) -> Any:
        def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
            return builder.bitcast(builder.trunc(args[0], ir.IntType(width)), ir.VectorType(_BIT, width))

        return Mask(width)(types.uint64), generate

    return Access(load, store, mask_of)


@inner(forceinline=True)
def random_bit(words, numbers):
    """A set bit of each lane by 32 random bits, the one that `nth_set_bit` of `random_below` is; of no bits none.

    Each byte's bits are counted together with those of the bytes below, so that one comparison finds all the bytes that
    are not below the bit; three halvings then find it among eight.
    """
    below = _count_by_bytes(words)
    for width in (8, 16, 32):
        below += below << np.uint64(width)
    count = below >> np.uint64(56)
    rank = (numbers * count) >> U32
    from_top = count - rank
    # From the lowest bit that is still possible up to the highest.
    above = _bytes_above(below, rank)
    for width in (4, 2, 1):
        further = above << np.uint64(width)
        above = where(count_bits(words & further) >= from_top, further, above)
    return words & (above ^ (above << U1))
