"""The exact solver: alpha-beta with null windows and a table of positions met before, one compiled loop for all games.

A search asks one question: is this position worth more than `alpha` to the side to move? Its answer is a bound: a value
above `alpha` is worth at least that, any other at most that. Values are margins where a game counts. In the other games
a win in `d` plies is worth `top - d`, a loss the same negative and a draw 0: winners hurry, losers delay.

A game may have a *craft*: functions that know more of a position than its rules tell, reached by their addresses as the
rules are. A craft has words of its own for a position, one for each side.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from randori.kernels.bits import hash_words, highest, nth_set_bit
from randori.kernels.compile import callback, inner, kernel
from randori.kernels.rules import RULES, WORDS_POINTER, ahead, legal, margin, outcome, play, row

# Beyond every value; both bounds of a position fit into 16 bits each.
INFINITE = 20_000
_FIRST = 1 << 40

OPEN, SETTLED, SMALL_AND_OPEN = range(3)
"""What a craft says of a position: to be searched, known without a search, or searched faster than looked up."""

# Columns of a frame. A position is `SMALL` if it is searched faster than looked up.
ALPHA, LOWER, UPPER, BEST, BEST_ACTION, COUNT, TRIED, ENTERED, SMALL, FRAME = range(10)
PLY, NODES, ANSWER = range(3)


_INTS_POINTER = types.CPointer(types.int64)
_SETTLE = types.int64(WORDS_POINTER, types.int64, types.int64, _INTS_POINTER)
_EXPAND = types.int64(WORDS_POINTER, WORDS_POINTER, _INTS_POINTER, _INTS_POINTER, _INTS_POINTER)


class Craft(NamedTuple):
    """What a game knows of its own positions. Functions close over numbers and arrays only, so that they can be kept."""

    settle: Callable[[Any, int, int, Any], int]
    """settle(position, alpha, top, answer) -> OPEN, SETTLED or SMALL_AND_OPEN. Settled means that `answer[0]` is the value,
    or a bound of it on the same side of `alpha`."""
    expand: Callable[[Any, Any, Any, Any, Any], int]
    """expand(position, children, actions, order, answer) -> count: writes the moves, the positions after them and their
    order, the greater the sooner; returns 0 where the game is over, with its value as `answer[0]`."""
    bits: NDArray[np.uint64]
    """`[H * W]`: the bit of each square, row by row from the top left."""
    actions: NDArray[np.int16]
    """What the game calls each action of the craft."""


class CraftAddresses(NamedTuple):
    """A craft compiled; the functions must outlive their addresses."""

    settle: int
    expand: int
    functions: tuple[Any, Any]


def compile_craft(craft: Craft) -> CraftAddresses:
    settle, expand = callback(_SETTLE, craft.settle), callback(_EXPAND, craft.expand)
    return CraftAddresses(settle.address, expand.address, (settle, expand))


def _call(signature: Any) -> Any:
    """Typing and code of a call through an address, for an intrinsic."""

    def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        function = ir.FunctionType(ir.IntType(64), [context.get_value_type(kind) for kind in signature.args])
        return builder.call(builder.inttoptr(args[0], function.as_pointer()), args[1:])

    return types.int64(types.int64, *signature.args), generate


@intrinsic
def _settle_by(_context: Any, _address: Any, _position: Any, _alpha: Any, _top: Any, _answer: Any) -> Any:
    return _call(_SETTLE)


@intrinsic
def _expand_by(
    _context: Any, _address: Any, _position: Any, _children: Any, _actions: Any, _order: Any, _answer: Any
) -> Any:
    return _call(_EXPAND)


class Search(NamedTuple):
    """A search that can stop at any node and go on later. P plies deep, A actions, W words a position, N entries."""

    positions: NDArray[np.uint64]  # [P, W]  the line looked at, from the root
    children: NDArray[np.uint64]  # [P * A, W]  the positions after each of its moves
    actions: NDArray[np.int64]  # [P, A]  those moves
    order: NDArray[np.int64]  # [P, A]  the greater, the sooner
    frames: NDArray[np.int64]  # [P, FRAME]
    keys: NDArray[np.uint64]  # [P]
    moves: NDArray[np.uint64]  # [2, words of A bits]  legal moves and the replies to one of them
    credits: NDArray[np.int64]  # [P, A]  how often an action refuted at a ply, less how often it failed to
    table: NDArray[np.uint64]  # [N, 2]  key; bounds, best action and work. N is a power of two
    progress: NDArray[np.int64]  # [3]  PLY, NODES, ANSWER
    settle: int  # the addresses of the game's craft; 0 where it has none
    expand: int
    top: int  # 0 where the game counts


_INTS1, _INTS2 = types.Array(types.int64, 1, "C"), types.Array(types.int64, 2, "C")
_WORDS1, _WORDS2 = types.Array(types.uint64, 1, "C"), types.Array(types.uint64, 2, "C")
_ARRAYS = (_WORDS2, _WORDS2, _INTS2, _INTS2, _INTS2, _WORDS1, _WORDS2, _INTS2, _WORDS2, _INTS1)
_SEARCH = types.NamedTuple((*_ARRAYS, types.int64, types.int64, types.int64), Search)


class _Line(NamedTuple):
    """A Search inside the kernel: bare pointers, since numba counts the references of every array that it hands on."""

    positions: Any
    children: Any
    actions: Any
    order: Any
    frames: Any
    keys: Any
    moves: Any
    replies: Any
    credits: Any
    table: Any
    n_entries: int
    n_words: int
    n_actions: int
    settle: int
    expand: int
    top: int


# Left to itself LLVM keeps the steps of the loop as calls, which take half of the time.
_inlined = inner(forceinline=True)


@inner
def _to_parent(value, top):
    """A child's value as its parent sees it: negative, and one ply farther from the end."""
    if top == 0 or value == 0:
        return -value
    return 1 - value if value > 0 else -1 - value


@inner
def _to_child(alpha, top):
    """The question for a child: unless it is worth more than this, its parent is worth more than `alpha`."""
    if top == 0:
        return -alpha - 1
    return -alpha - 2 if alpha >= 0 else -alpha


@_inlined
def _look_up(line, key):
    """Lower bound, upper bound and best action (or -1) of a position."""
    place = np.int64(key) & (line.n_entries - 1)
    for entry in (ahead(line.table, 2 * place), ahead(line.table, 2 * (place ^ 1))):
        if entry[0] == key:
            lower = np.int64(entry[1] & np.uint64(0xFFFF)) - INFINITE
            upper = np.int64((entry[1] >> np.uint64(16)) & np.uint64(0xFFFF)) - INFINITE
            return lower, upper, np.int64((entry[1] >> np.uint64(32)) & np.uint64(0xFFFF)) - 1
    return -INFINITE, INFINITE, -1


@_inlined
def _store(line, key, frame, nodes):
    """Of the two entries at a key's place the first is kept while it saves more work than the new one would."""
    work = np.uint64(64 - highest(np.uint64(nodes - frame[ENTERED])))
    place = np.int64(key) & (line.n_entries - 1)
    entry, other = ahead(line.table, 2 * place), ahead(line.table, 2 * (place ^ 1))
    if entry[0] != key and (other[0] == key or entry[1] >> np.uint64(48) > work):
        entry = other
    bounds = np.uint64(frame[LOWER] + INFINITE) | (np.uint64(frame[UPPER] + INFINITE) << np.uint64(16))
    entry[0] = key
    entry[1] = bounds | (np.uint64(frame[BEST_ACTION] + 1) << np.uint64(32)) | (work << np.uint64(48))


@_inlined
def _settle(line, frame, position):
    """Whether a position has its answer without a search, and the answer."""
    frame[SMALL] = 0
    if line.settle == 0:
        return False, 0
    known = _settle_by(line.settle, position, frame[ALPHA], line.top, ahead(frame, BEST))
    frame[SMALL] = known == SMALL_AND_OPEN
    return known == SETTLED, frame[BEST]


@inner
def _expand_by_rules(rules, line, frame, position, children, actions, order, credits):
    """Writes the moves after which the game goes on and returns their number; those that end it go into the frame.

    Returns 0 where the frame holds the answer. Where the game counts, moves that leave few replies come first.
    """
    n, top = 0, line.top
    for k in range(legal(rules, position, line.moves)):
        action = nth_set_bit(line.moves, k)
        child = ahead(children, n * line.n_words)
        for w in range(line.n_words):
            child[w] = position[w]
        play(rules, child, action)
        n_replies = legal(rules, child, line.replies)
        if n_replies > 0:
            actions[n] = action
            order[n] = -n_replies if top == 0 else credits[action]
            n += 1
            continue
        value = _to_parent(margin(rules, child) if top == 0 else top * outcome(rules, child), top)
        if value > frame[BEST]:
            frame[BEST] = value
            frame[BEST_ACTION] = action
        if value > frame[ALPHA]:
            return 0
    # Without a win at once there is none in less than three plies.
    if top > 0 and frame[ALPHA] >= top - 3:
        frame[BEST] = max(frame[BEST], top - 3)
        return 0
    return n


@_inlined
def _expand(rules, line, ply, frame, position):
    """Writes the moves of a position and returns their number; 0 where the frame holds the answer."""
    base = ply * line.n_actions
    children, actions, order = (
        ahead(line.children, base * line.n_words),
        ahead(line.actions, base),
        ahead(line.order, base),
    )
    if line.expand != 0:
        return _expand_by(line.expand, position, children, actions, order, ahead(frame, BEST))
    return _expand_by_rules(rules, line, frame, position, children, actions, order, ahead(line.credits, base))


@_inlined
def _enter(rules, line, ply, nodes):
    """Opens the position at `ply`: true and its answer, or false with its moves written."""
    frame, position = ahead(line.frames, ply * FRAME), ahead(line.positions, ply * line.n_words)
    frame[BEST_ACTION] = -1
    settled, value = _settle(line, frame, position)
    if settled:
        return True, value
    lower, upper, action = -INFINITE, INFINITE, -1
    if not frame[SMALL]:
        line.keys[ply] = hash_words(position, line.n_words)
        lower, upper, action = _look_up(line, line.keys[ply])
    frame[BEST_ACTION] = action
    if lower > frame[ALPHA]:
        return True, lower
    if upper <= frame[ALPHA]:
        return True, upper
    frame[LOWER] = lower
    frame[UPPER] = upper
    frame[BEST] = -INFINITE
    frame[TRIED] = 0
    frame[ENTERED] = nodes
    n = _expand(rules, line, ply, frame, position)
    frame[COUNT] = n
    for i in range(ply * line.n_actions, ply * line.n_actions + n):
        if line.actions[i] == action:
            line.order[i] = _FIRST
    return n == 0, frame[BEST]


@_inlined
def _descend(line, ply):
    """Puts the best move not tried yet on the board."""
    frame, base, n_words = ahead(line.frames, ply * FRAME), ply * line.n_actions, line.n_words
    turn = base + frame[TRIED]
    chosen = turn
    for i in range(turn + 1, base + frame[COUNT]):
        if line.order[i] > line.order[chosen]:
            chosen = i
    for w in range(n_words):
        line.positions[(ply + 1) * n_words + w] = line.children[chosen * n_words + w]
        line.children[chosen * n_words + w] = line.children[turn * n_words + w]
    action = line.actions[chosen]
    line.actions[chosen] = line.actions[turn]
    line.actions[turn] = action
    line.order[chosen] = line.order[turn]
    frame[TRIED] += 1
    line.frames[(ply + 1) * FRAME + ALPHA] = _to_child(frame[ALPHA], line.top)


@_inlined
def _return(line, ply, value, nodes):
    """Takes a child's value into the position at `ply`: true and its answer, or false if there are moves to try."""
    frame, actions = ahead(line.frames, ply * FRAME), ahead(line.actions, ply * line.n_actions)
    last = frame[TRIED] - 1
    value = _to_parent(value, line.top)
    if value > frame[BEST]:
        frame[BEST] = value
        frame[BEST_ACTION] = actions[last]
    if value > frame[ALPHA]:
        frame[LOWER] = value
        if line.expand == 0:
            credits = ahead(line.credits, ply * line.n_actions)
            credits[actions[last]] += frame[TRIED]
            for i in range(last):
                credits[actions[i]] -= 1
    elif frame[TRIED] < frame[COUNT]:
        return False, value
    else:
        frame[UPPER] = frame[BEST]
    if not frame[SMALL]:
        _store(line, line.keys[ply], frame, nodes)
    return True, frame[BEST]


@_inlined
def _line(search):
    return _Line(
        row(search.positions, 0),
        row(search.children, 0),
        row(search.actions, 0),
        row(search.order, 0),
        row(search.frames, 0),
        row(search.keys, 0),
        row(search.moves, 0),
        row(search.moves, 1),
        row(search.credits, 0),
        row(search.table, 0),
        search.table.shape[0],
        search.positions.shape[1],
        search.actions.shape[1],
        search.settle,
        search.expand,
        search.top,
    )


@kernel(types.boolean(RULES, _SEARCH, types.int64))
def advance(rules, search, limit):
    """Goes on until the root has its answer, or until `limit` nodes are counted: then it returns False.

    To ask, write the root's words and `ALPHA` and set `PLY` to 0. The root must be a position where the game goes on.
    """
    line = _line(search)
    ply, nodes = search.progress[PLY], search.progress[NODES]
    settled, value = False, 0
    while nodes < limit and not settled:
        nodes += 1
        settled, value = _enter(rules, line, ply, nodes)
        while settled and ply > 0:
            ply -= 1
            settled, value = _return(line, ply, value, nodes)
        if not settled:
            _descend(line, ply)
            ply += 1
    search.progress[PLY] = ply
    search.progress[NODES] = nodes
    search.progress[ANSWER] = value
    return settled
