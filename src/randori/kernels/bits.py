"""Bit tricks and random numbers for rules and kernels.

All words are `uint64`, constants too: numba makes a float of what mixes with `int64`.
"""

from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from randori.kernels.compile import inner

U0, U1, U32 = np.uint64(0), np.uint64(1), np.uint64(32)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2**64 by the golden ratio, the step of splitmix64."""


@intrinsic
def popcount(_context: Any, word: Any) -> Any:
    """The number of set bits, as `int64`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


@intrinsic
def high_product(_context: Any, _one: Any, _other: Any) -> Any:
    """The upper word of the product of two words."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        both = ir.IntType(128)
        product = builder.mul(*(builder.zext(it, both) for it in args))
        return builder.trunc(builder.lshr(product, ir.Constant(both, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic
def lowest(_context: Any, word: Any) -> Any:
    """The index of the lowest set bit, as `int64`; 64 for an empty word."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(types.boolean, False))

    return types.int64(types.uint64), generate


@intrinsic
def highest(_context: Any, word: Any) -> Any:
    """The number of zeros above the highest set bit, as `int64`; 64 for an empty word."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], context.get_constant(types.boolean, False))

    return types.int64(types.uint64), generate


# Machines whose PDEP takes a step for every bit set: longer than halving.
_SLOW_PDEP = ("znver1", "znver2")
_SHIFT = "define i64 @f(i64 %a, i64 %b) { %c = shl i64 %a, %b ret i64 %c }"


@cache
def _has_pdep(machine: Any, processor: str) -> bool:
    """Whether code for this machine may use PDEP, which comes with BMI2, as does a shift by any register. Names and features
    of processors do not tell: the one may imply the other."""
    if processor in _SLOW_PDEP:
        return False
    return "shlx" in machine.emit_assembly(llvm.parse_assembly(_SHIFT))


@intrinsic
def _pdep_is_quick(_context: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.get_constant(types.boolean, _can_pdep(context))

    return types.boolean(), generate


def _can_pdep(context: Any) -> bool:
    codegen = context.codegen()
    return _has_pdep(codegen._tm, codegen._get_host_cpu_name())


@intrinsic
def _pdep(_context: Any, _word: Any, _mask: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if not _can_pdep(context):
            return args[1]  # in a branch that is never taken
        word = ir.IntType(64)
        function = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), ir.FunctionType(word, [word, word]))
        return builder.call(function, args)

    return types.uint64(types.uint64, types.uint64), generate


@inner
def halved(word, n):
    """The index of the n-th set bit (from 0) of a word. Six halvings without a branch: a random index would mispredict
    every one."""
    base = np.int64(0)
    for width in (32, 16, 8, 4, 2, 1):
        low = popcount(word & ((U1 << np.uint64(width)) - U1))
        above = np.int64(n >= low)
        n -= low * above
        base += width * above
        word >>= np.uint64(width * above)
    return base


@inner
def nth_bit(word, n):
    """The n-th set bit (from 0) of a word, alone; there must be one."""
    return _pdep(U1 << np.uint64(n), word) if _pdep_is_quick() else U1 << np.uint64(halved(word, n))


@inner
def nth_set_bit(words, n):
    """The index of the n-th set bit (from 0) over a row of words; there must be one."""
    base = np.int64(0)
    word = words[0]
    count = popcount(word)
    while n >= count:
        n -= count
        base += 64
        word = words[base >> 6]
        count = popcount(word)
    return base + (lowest(nth_bit(word, n)) if _pdep_is_quick() else halved(word, n))


@intrinsic(prefer_literal=True)
def on_stack(_context: Any, kind: Any, n: Any) -> Any:
    """A pointer to room for `n` numbers, a constant, that lasts until the compiled function returns; it is not cleared."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return cgutils.alloca_once(builder, context.get_data_type(kind.dtype), size=n.literal_value)

    return types.CPointer(kind.dtype)(kind, n), generate


@inner
def bit(words, index):
    """Whether bit `index` of a row of words is set."""
    return (words[index >> 6] >> np.uint64(index & 63)) & U1 != U0


@inner
def clear(words, n):
    """Sets the first `n` words to 0."""
    for w in range(n):
        words[w] = U0


@inner
def swap_halves(words, n):
    """The first `n` words change places with the next `n`, as the sides of a state do after a move."""
    for w in range(n):
        kept = words[w]
        words[w] = words[n + w]
        words[n + w] = kept


@inner
def find_empty(state, theirs, n, last_word, moves):
    """Writes the squares that neither the `n` words from 0 nor those from `theirs` fill; `last_word` has the last squares."""
    for w in range(n):
        moves[w] = ~(state[w] | state[theirs + w])
    moves[n - 1] &= last_word


@inner
def mix(word):
    """A bijection of 64-bit words that spreads every bit over all of them (the finaliser of splitmix64)."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@inner
def hash_words(words, n):
    """A 64-bit key of `n` words."""
    key = GOLDEN
    for i in range(n):
        key = mix(key ^ words[i]) + GOLDEN
    return key


@inner
def next_word(stream):
    """64 random bits from the generator splitmix64, whose state is `stream[0]`: any seed is a good seed."""
    stream[0] += np.uint64(0x9E3779B97F4A7C15)
    return mix(stream[0])


@inner
def next_random(stream):
    """32 random bits."""
    return next_word(stream) >> U32


@inner
def random_below(stream, n):
    """A number of 0 .. n-1; the bias is below n / 2**32."""
    return np.int64((next_random(stream) * np.uint64(n)) >> U32)


@inner
def split(word, n):
    """A number of 0 .. n-1 from a random word, and another random word for the next number.

    It is the part of n equal ones in which the word lies, and where in that part it lies. So one word is enough for several
    numbers: the bias is below the product of all their n, divided by 2**64.
    """
    return np.int64(high_product(word, np.uint64(n))), word * np.uint64(n)


@inner
def random_unit(stream):
    """A float of [0, 1)."""
    return next_random(stream) * (1.0 / 4294967296.0)
