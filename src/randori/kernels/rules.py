"""The rules of a game as kernels see them: a table of C function addresses and sizes.

A game compiles eight functions on one row of `uint64` words (a *state*, seen by the side to move) and puts their
addresses into an `int64` array. A kernel takes that array and calls `legal(rules, state, moves)` and the like, so it
is compiled once for all games. Rows are handed over as bare pointers: `state = row(states, i)`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from randori.kernels.bits import nth_set_bit, on_stack, random_below
from randori.kernels.compile import callback, inner

WIN, DRAW, LOSS, ONGOING = 1, 0, -1, 2

WORDS_POINTER = types.CPointer(types.uint64)
CELLS_POINTER = types.CPointer(types.int8)
RULES = types.Array(types.int64, 1, "C")
TABLE_POINTER = types.CPointer(types.int64)

# Slots of the table: eight addresses, then the sizes.
_SIGNATURES = {
    "start": types.void(WORDS_POINTER),
    "legal": types.int64(WORDS_POINTER, WORDS_POINTER),
    "play": types.void(WORDS_POINTER, types.int64),
    "outcome": types.int64(WORDS_POINTER),
    "margin": types.int64(WORDS_POINTER),
    "cell": types.int64(WORDS_POINTER, types.int64),
    "setup": types.int64(WORDS_POINTER, CELLS_POINTER),
    "finish": types.int64(WORDS_POINTER, WORDS_POINTER),
}
_SLOTS = {name: slot for slot, name in enumerate(_SIGNATURES)}
WORDS, MOVE_WORDS, ACTIONS, CELLS, PLIES = range(len(_SLOTS), len(_SLOTS) + 5)


class Rules(NamedTuple):
    """The seven functions that a game defines, and an eighth that it may.

    `state`, `moves` and `stream` are pointers to `uint64`, `cells` to `int8`.
    """

    start: Callable[[Any], None]
    """start(state): writes the first position."""
    legal: Callable[[Any, Any], int]
    """legal(state, moves) -> count: sets bit `a` of `moves` for each legal action; 0 exactly when the game is over."""
    play: Callable[[Any, int], None]
    """play(state, action): in place; afterwards the state is seen by the other side. The action must be legal."""
    outcome: Callable[[Any], int]
    """outcome(state) -> WIN, DRAW, LOSS or ONGOING for the side to move."""
    margin: Callable[[Any], int]
    """margin(state) -> mine less theirs where the game counts; else the outcome, 0 while it goes on."""
    cell: Callable[[Any, int], int]
    """cell(state, square) -> 1 mine, -1 theirs, 0 empty; squares count row by row from the top left."""
    setup: Callable[[Any, Any], int]
    """setup(state, cells) -> 1 after writing the position with these cells, 0 where there is no such position."""
    finish: Callable[[Any, Any], int] | None = None
    """finish(state, stream) -> plies: plays legal actions, each as likely as any other, in place until the game is over;
    `stream` is what `random_below` takes. Without, it is made of `legal` and `play`; a game's own can be quicker."""


def table(rules: Rules, *, words: int, n_actions: int, n_cells: int, max_plies: int) -> NDArray[np.int64]:
    """Compiles the rules and returns the array that kernels take."""
    move_words = (n_actions + 63) // 64
    given = {name: getattr(rules, name) for name in _SIGNATURES}
    compiled = {name: callback(_SIGNATURES[name], rule) for name, rule in given.items() if rule is not None}
    if rules.finish is None:
        made = _finish_by(inner(rules.legal), inner(rules.play), move_words)
        compiled["finish"] = callback(_SIGNATURES["finish"], made, rules.legal, rules.play)
    addresses = [compiled[name].address for name in _SIGNATURES]
    return np.array([*addresses, words, move_words, n_actions, n_cells, max_plies], dtype=np.int64)


def _finish_by(legal: Any, play: Any, move_words: int) -> Callable[[Any, Any], int]:
    """The rule `finish` of a game that has none of its own; `legal` and `play` are compiled into it."""

    def finish(state, stream):
        moves = on_stack(np.uint64, move_words)
        plies = 0
        count = legal(state, moves)
        while count > 0:
            play(state, nth_set_bit(moves, random_below(stream, count)))
            plies += 1
            count = legal(state, moves)
        return plies

    return finish


def call_at(context: Any, builder: Any, signature: Any, address: Any, args: Any) -> Any:
    """Code of a call of the C function at an address, for an intrinsic."""
    returns = signature.return_type != types.void
    returned = context.get_value_type(signature.return_type) if returns else ir.VoidType()
    function = ir.FunctionType(returned, [context.get_value_type(kind) for kind in signature.args])
    value = builder.call(builder.inttoptr(address, function.as_pointer()), args)
    return value if returns else context.get_dummy_value()


def _call(name: str, rules: Any) -> Any:
    """Typing and code of a call through the table, for an intrinsic. Where counting references to the table would cost too
    much, a pointer to it, `row(rules, 0)`, does as well."""
    signature = _SIGNATURES[name]

    def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        table = args[0] if rules == TABLE_POINTER else context.make_array(rules)(context, builder, args[0]).data
        address = builder.load(builder.gep(table, [ir.Constant(ir.IntType(64), _SLOTS[name])]))
        return call_at(context, builder, signature, address, args[1:])

    return signature.return_type(rules, *signature.args), generate


@intrinsic
def start(_context: Any, rules: Any, _state: Any) -> Any:
    return _call("start", rules)


@intrinsic
def legal(_context: Any, rules: Any, _state: Any, _moves: Any) -> Any:
    return _call("legal", rules)


@intrinsic
def play(_context: Any, rules: Any, _state: Any, _action: Any) -> Any:
    return _call("play", rules)


@intrinsic
def outcome(_context: Any, rules: Any, _state: Any) -> Any:
    return _call("outcome", rules)


@intrinsic
def margin(_context: Any, rules: Any, _state: Any) -> Any:
    return _call("margin", rules)


@intrinsic
def cell(_context: Any, rules: Any, _state: Any, _square: Any) -> Any:
    return _call("cell", rules)


@intrinsic
def setup(_context: Any, rules: Any, _state: Any, _cells: Any) -> Any:
    return _call("setup", rules)


@intrinsic
def finish(_context: Any, rules: Any, _state: Any, _stream: Any) -> Any:
    return _call("finish", rules)


@intrinsic
def row(_context: Any, array: Any, index: Any) -> Any:
    """Pointer to row `index` of a C-ordered array of one or two dimensions (of one: to that element)."""

    def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        view = context.make_array(typed.args[0])(context, builder, args[0])
        offset = args[1]
        if typed.args[0].ndim == 2:
            offset = builder.mul(offset, builder.extract_value(view.shape, 1))
        return builder.gep(view.data, [offset])

    return types.CPointer(array.dtype)(array, types.int64), generate


@intrinsic
def ahead(_context: Any, pointer: Any, _n: Any) -> Any:
    """The pointer `n` elements further on."""

    def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, types.int64), generate
