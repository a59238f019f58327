"""Compiled evaluators as kernels see them: the address of a C function, and behind it the facts that it is handed.

A *judge* is an array of `int64`: the address of `value(state, facts)`, then its facts, which are numbers and the
addresses of arrays. So one compiled search serves every evaluator, as one table of rules serves every game.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import carray, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from randori.kernels.compile import callback, inner, kernel
from randori.kernels.records import Int64s
from randori.kernels.rules import PLIES, WORDS_POINTER, call_at, margin, row

FACTS = types.CPointer(types.int64)
JUDGE = types.Array(types.int64, 1, "C")
_SIGNATURE = types.float64(WORDS_POINTER, FACTS)
_OF_MOVES = types.void(WORDS_POINTER, FACTS, WORDS_POINTER, types.int64, types.CPointer(types.float64))


class Judge(NamedTuple):
    """A compiled evaluator, with the arrays that its facts point to, which have to outlive it."""

    table: Int64s
    arrays: tuple[NDArray[Any], ...]
    of_moves: int = 0
    """The address of a function that judges all moves of a position at once; 0: there is none."""


@cache
def _compiled(value: Callable[[Any, Any], float]) -> Any:
    return callback(_SIGNATURE, value)


def judge_with(value: Callable[[Any, Any], float], *facts: int | NDArray[Any]) -> Judge:
    """`value(state, facts)` is what a position where the game goes on is worth to the side to move.

    Threads ask one judge at the same time, so it keeps nothing: what room it needs, it makes in each call.
    """
    arrays = tuple(np.ascontiguousarray(it) for it in facts if isinstance(it, np.ndarray))
    places = iter(arrays)
    numbers = [next(places).ctypes.data if isinstance(it, np.ndarray) else it for it in facts]
    return Judge(np.array([_compiled(value).address, *numbers], np.int64), arrays)


def judge_of_moves(judge: Judge, values: Callable[[Any, Any, Any, int, Any], None]) -> Judge:
    """With a quicker way: `values(state, facts, moves, n, worth)` writes for each of `n` moves, which are bits, what the
    position after it is worth to the side that makes it, if the game goes on.
    """
    return judge._replace(of_moves=int(callback(_OF_MOVES, values).address))


@intrinsic
def judge_moves(_context: Any, _address: Any, _judge: Any, _state: Any, _moves: Any, _n: Any, _worth: Any) -> Any:
    """Asks the function at an address, which `judge_of_moves` has made."""

    def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        table = context.make_array(typed.args[1])(context, builder, args[1]).data
        facts = builder.gep(table, [ir.Constant(ir.IntType(64), 1)])
        return call_at(context, builder, _OF_MOVES, args[0], [args[2], facts, *args[3:]])

    return types.void(types.int64, JUDGE, WORDS_POINTER, WORDS_POINTER, types.int64, _OF_MOVES.args[4]), generate


@intrinsic
def judged(_context: Any, _judge: Any, _state: Any) -> Any:
    """What a judge says of a position."""

    def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        table = context.make_array(typed.args[0])(context, builder, args[0]).data
        facts = builder.gep(table, [ir.Constant(ir.IntType(64), 1)])
        return call_at(context, builder, _SIGNATURE, builder.load(table), [args[1], facts])

    return types.float64(JUDGE, WORDS_POINTER), generate


def _array_at(kind: Any) -> Any:
    @intrinsic
    def array_at(_context: Any, _address: Any) -> Any:
        def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(typed.return_type))

        return types.CPointer(kind)(types.int64), generate

    return array_at


# Pointers to the first elements of the arrays whose addresses are among the facts.
floats_at, doubles_at = _array_at(types.float32), _array_at(types.float64)
words_at, int64s_at, int32s_at, uint16s_at, int8s_at = (
    _array_at(it) for it in (types.uint64, types.int64, types.int32, types.uint16, types.int8)
)


@inner
def rules_at(address):
    """The table of rules that is among the facts."""
    return carray(int64s_at(address), (PLIES + 1,))


@kernel(types.void(JUDGE, types.Array(types.uint64, 2, "C"), types.Array(types.float64, 1, "C")))
def judge_all(judge, states, values):
    for i in range(states.shape[0]):
        values[i] = judged(judge, row(states, i))


def margin_share(state, facts):
    """The margin by the squares of the board; the facts are the rules and the number of squares."""
    return margin(rules_at(facts[0]), state) / facts[1]
