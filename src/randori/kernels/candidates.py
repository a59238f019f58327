"""Candidates: the moves of a position that a search looks at, as a compiled function of the game names them."""

from collections.abc import Callable
from functools import cache
from typing import Any

from numba import types
from numba.extending import intrinsic

from randori.kernels.compile import callback
from randori.kernels.rules import WORDS_POINTER, call_at

_SIGNATURE = types.int64(WORDS_POINTER, WORDS_POINTER)


@cache
def address_of(candidates: Callable[[Any, Any], int]) -> int:
    """Of `candidates(state, moves)`, which is called as the rule `legal` is."""
    return int(callback(_SIGNATURE, candidates).address)


@intrinsic
def moves_by(_context: Any, _address: Any, _state: Any, _moves: Any) -> Any:
    """What the function at an address writes and returns."""

    def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        return call_at(context, builder, _SIGNATURE, args[0], args[1:])

    return _SIGNATURE.return_type(types.int64, *_SIGNATURE.args), generate
