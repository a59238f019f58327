"""The exact solver: alpha-beta with null windows and a table of positions met before, one compiled loop for all games.

A search asks one question: is this position worth more than `alpha` to the side to move? Its answer is a bound: a value
above `alpha` is worth at least that, any other at most that. Values are disc margins where a game counts discs. In the
other games a win in `d` plies is worth `top - d`, a loss the same negative and a draw 0: winners hurry, losers delay.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from randori.kernels.bits import hash_words, highest, nth_set_bit, popcount
from randori.kernels.compile import inner, kernel
from randori.kernels.drops import expand_drops, settle_drops
from randori.kernels.endgame import expand_ending, is_small_ending, settle_ending
from randori.kernels.rules import RULES, legal, margin, outcome, play, row

# Beyond every value; both bounds of a position fit into 16 bits each.
INFINITE = 20_000
_FIRST = 1 << 40

# Who knows the moves: the game's rules, or a craft that has words of its own for a position.
BY_RULES, BY_DROPS, BY_ENDGAME = range(3)

# Columns of a frame. A position is `SMALL` if it is searched faster than looked up.
ALPHA, LOWER, UPPER, BEST, BEST_ACTION, COUNT, TRIED, ENTERED, SMALL, FRAME = range(10)
PLY, NODES, ANSWER = range(3)


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
    knowledge: int  # BY_RULES, BY_DROPS or BY_ENDGAME
    top: int  # 0 where the game counts discs
    board: np.uint64  # the endgame's squares
    corners: np.uint64  # those of them that are corners


_INTS1, _INTS2 = types.Array(types.int64, 1, "C"), types.Array(types.int64, 2, "C")
_WORDS1, _WORDS2 = types.Array(types.uint64, 1, "C"), types.Array(types.uint64, 2, "C")
_ARRAYS = (_WORDS2, _WORDS2, _INTS2, _INTS2, _INTS2, _WORDS1, _WORDS2, _INTS2, _WORDS2, _INTS1)
_SEARCH = types.NamedTuple((*_ARRAYS, types.int64, types.int64, types.uint64, types.uint64), Search)


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
    knowledge: int
    top: int
    board: np.uint64
    corners: np.uint64


# Left to itself LLVM keeps the steps of the loop as calls, which take half of the time.
_inlined = inner(forceinline=True)


@intrinsic
def _at(_context: Any, pointer: Any, offset: Any) -> Any:
    """The pointer moved on by so many elements."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, types.int64), generate


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
    for entry in (_at(line.table, 2 * place), _at(line.table, 2 * (place ^ 1))):
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
    entry, other = _at(line.table, 2 * place), _at(line.table, 2 * (place ^ 1))
    if entry[0] != key and (other[0] == key or entry[1] >> np.uint64(48) > work):
        entry = other
    bounds = np.uint64(frame[LOWER] + INFINITE) | (np.uint64(frame[UPPER] + INFINITE) << np.uint64(16))
    entry[0] = key
    entry[1] = bounds | (np.uint64(frame[BEST_ACTION] + 1) << np.uint64(32)) | (work << np.uint64(48))


@_inlined
def _settle(line, frame, position):
    """Whether a position has its answer without a search, and the answer."""
    frame[SMALL] = 0
    if line.knowledge == BY_DROPS:
        return settle_drops(position[0], position[1], frame[ALPHA], line.top)
    if line.knowledge == BY_ENDGAME:
        frame[SMALL] = is_small_ending(position[0], position[1], line.board)
        return settle_ending(position[0], position[1], line.board, line.corners, frame[ALPHA])
    return False, 0


@inner
def _expand_by_rules(rules, line, frame, position, children, actions, order, credits):
    """Writes the moves after which the game goes on and returns their number; those that end it go into the frame.

    Returns 0 where the frame holds the answer. Where discs count, moves that leave few replies come first.
    """
    n, top = 0, line.top
    for k in range(legal(rules, position, line.moves)):
        action = nth_set_bit(line.moves, k)
        child = _at(children, n * line.n_words)
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
    children, actions, order = _at(line.children, base * line.n_words), _at(line.actions, base), _at(line.order, base)
    if line.knowledge == BY_DROPS:
        return expand_drops(position[0], position[1], children, actions, order)
    if line.knowledge == BY_ENDGAME:
        n = expand_ending(position[0], position[1], line.board, line.corners, children, actions, order)
        if n == 0:
            frame[BEST] = popcount(position[0]) - popcount(position[1])
        return n
    return _expand_by_rules(rules, line, frame, position, children, actions, order, _at(line.credits, base))


@_inlined
def _enter(rules, line, ply, nodes):
    """Opens the position at `ply`: true and its answer, or false with its moves written."""
    frame, position = _at(line.frames, ply * FRAME), _at(line.positions, ply * line.n_words)
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
    frame, base, n_words = _at(line.frames, ply * FRAME), ply * line.n_actions, line.n_words
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
    frame, actions = _at(line.frames, ply * FRAME), _at(line.actions, ply * line.n_actions)
    last = frame[TRIED] - 1
    value = _to_parent(value, line.top)
    if value > frame[BEST]:
        frame[BEST] = value
        frame[BEST_ACTION] = actions[last]
    if value > frame[ALPHA]:
        frame[LOWER] = value
        if line.knowledge == BY_RULES:
            credits = _at(line.credits, ply * line.n_actions)
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
        search.knowledge,
        search.top,
        search.board,
        search.corners,
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
