"""The exact solver: alpha-beta with null windows and a table of positions met before, one compiled loop for all games.

A search asks one question: is this position worth more than `alpha` to the side to move? Its answer is a bound: a value
above `alpha` is worth at least that, any other at most that. Values are margins where a game counts. In the other games
a win in `d` plies is worth `top - d`, a loss the same negative and a draw 0: winners hurry, losers delay.

A game may have a *craft*: functions that know more of a position than its rules tell. Each craft has a kernel of its own,
in which this loop is compiled together with them: through addresses, as rules are called, every node took longer.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from randori.kernels.bits import hash_words, highest, nth_set_bit
from randori.kernels.compile import Kernel, inner, kernel
from randori.kernels.records import Int64s, Words, numba_type, pointers
from randori.kernels.rules import RULES, ahead, legal, margin, outcome, play

# Beyond every value; both bounds of a position fit into 16 bits each.
INFINITE = 20_000
_FIRST = 1 << 40

OPEN, SETTLED, SMALL_AND_OPEN, LARGE_AND_OPEN = range(4)
"""What a craft says of a position: to be searched, known without a search, searched faster than looked up, or so large that
the positions after its moves are looked up before one is searched."""

# Columns of a frame. A position is `SMALL` if it is searched faster than looked up.
ALPHA, LOWER, UPPER, BEST, BEST_ACTION, COUNT, TRIED, ENTERED, SMALL, FRAME = range(10)
PLY, NODES, ANSWER = range(3)


class Search(NamedTuple):
    """A search that can stop at any node and go on later."""

    positions: Annotated[Words, "n_plies, n_words"]  # the line looked at, from the root
    children: Annotated[Words, "n_plies * n_actions, n_words"]  # the positions after each of its moves
    actions: Annotated[Int64s, "n_plies, n_actions"]  # those moves
    order: Annotated[Int64s, "n_plies, n_actions"]  # the greater, the sooner
    frames: Annotated[Int64s, "n_plies, FRAME"]
    keys: Annotated[Words, "n_plies"]
    moves: Annotated[Words, "(n_actions + 63) // 64"]  # bits of the legal moves
    replies: Annotated[Words, "(n_actions + 63) // 64"]  # and of those after one of them
    credits: Annotated[Int64s, "n_plies, n_actions"]  # how often an action refuted there, less how often it failed to
    table: Annotated[Words, "n_entries, 2"]  # key; bounds, best action and work
    progress: Annotated[Int64s, "3"]  # PLY, NODES, ANSWER
    facts: Annotated[Words, "n_facts"]  # the craft's
    n_entries: int  # a power of two
    n_words: int
    n_actions: int
    top: int  # 0 where the game counts


ADVANCE = types.boolean(RULES, numba_type(Search), types.int64)
"""advance(rules, search, limit) goes on until the root has its answer, or until `limit` nodes are counted: then it returns
False. To ask, write the root's words and `ALPHA` and set `PLY` to 0. The root must be a position where the game goes on."""


class Craft(NamedTuple):
    """What a game knows of its own positions, which have two words, the stones of each side. Its kernel is

        search_on = search_with(settle, expand)

        @kernel(ADVANCE)
        def advance(rules, search, limit):
            return search_on(rules, search, limit)

    settle(position, facts, alpha, top) -> (OPEN, SETTLED, SMALL_AND_OPEN or LARGE_AND_OPEN, value): if settled, the value is
    that of the position, or a bound of it on the same side of `alpha`. However it is found, it counts as one node.
    expand(position, facts, children, actions, order) -> (count, value): writes the moves, the positions after them and their
    order, the greater the sooner; the count is 0 where the game is over with this value.
    """

    advance: Kernel
    facts: NDArray[np.uint64]
    """What the functions are to know of the board."""
    bits: NDArray[np.uint64]
    """`[H * W]`: the bit of each square, row by row from the top left."""
    actions: NDArray[np.int16]
    """What the game calls each action of the craft."""


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
def _recall(line, ply, frame, position):
    """Opens a frame with what the table holds of a position: true and its answer if that is enough."""
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
    return False, 0


@_inlined
def _know_a_refutation(line, frame, children, actions):
    """Whether the table tells of a move that is good enough; the frame then holds the answer.

    Such a move may stand anywhere in the order, and a search of the moves before it would be for nothing.
    """
    wanted = _to_child(frame[ALPHA], line.top)
    for i in range(frame[COUNT]):
        _, upper, _ = _look_up(line, hash_words(ahead(children, i * line.n_words), line.n_words))
        if upper <= wanted:
            frame[BEST] = _to_parent(upper, line.top)
            frame[BEST_ACTION] = actions[i]
            frame[LOWER] = frame[BEST]
            return True
    return False


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
def _return(line, ply, value, nodes, crafted):
    """Takes a child's value into the position at `ply`: true and its answer, or false if there are moves to try."""
    frame, actions = ahead(line.frames, ply * FRAME), ahead(line.actions, ply * line.n_actions)
    last = frame[TRIED] - 1
    value = _to_parent(value, line.top)
    if value > frame[BEST]:
        frame[BEST] = value
        frame[BEST_ACTION] = actions[last]
    if value > frame[ALPHA]:
        frame[LOWER] = value
        if not crafted:
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


def search_with(settle: Any, expand: Any) -> Any:
    """The search, compiled together with the functions of a craft; without them the rules tell the moves."""
    crafted = settle is not None

    @_inlined
    def enter(rules, line, ply, nodes):
        """Opens the position at `ply`: true and its answer, or false with its moves written."""
        frame, position = ahead(line.frames, ply * FRAME), ahead(line.positions, ply * line.n_words)
        frame[BEST_ACTION] = -1
        frame[SMALL] = 0
        if crafted:
            known, value = settle(position, line.facts, frame[ALPHA], line.top)
            if known == SETTLED:
                return True, value
            frame[SMALL] = known == SMALL_AND_OPEN
        answered, value = _recall(line, ply, frame, position)
        if answered:
            return True, value
        remembered = frame[BEST_ACTION]
        frame[ENTERED] = nodes
        base = ply * line.n_actions
        children, actions = ahead(line.children, base * line.n_words), ahead(line.actions, base)
        order, credits = ahead(line.order, base), ahead(line.credits, base)
        if crafted:
            n, value = expand(position, line.facts, children, actions, order)
            if n == 0:
                frame[BEST] = value
        else:
            n = _expand_by_rules(rules, line, frame, position, children, actions, order, credits)
        frame[COUNT] = n
        for i in range(n):
            if actions[i] == remembered:
                order[i] = _FIRST
        if crafted and known == LARGE_AND_OPEN and n > 1 and _know_a_refutation(line, frame, children, actions):
            _store(line, line.keys[ply], frame, nodes)
            return True, frame[BEST]
        return n == 0, frame[BEST]

    @inner
    def search_on(rules, search, limit):
        line = pointers(search)
        ply, nodes = search.progress[PLY], search.progress[NODES]
        settled, value = False, 0
        while nodes < limit and not settled:
            nodes += 1
            settled, value = enter(rules, line, ply, nodes)
            while settled and ply > 0:
                ply -= 1
                settled, value = _return(line, ply, value, nodes, crafted)
            if not settled:
                _descend(line, ply)
                ply += 1
        search.progress[PLY] = ply
        search.progress[NODES] = nodes
        search.progress[ANSWER] = value
        return settled

    return search_on


_search_on = search_with(None, None)


@kernel(ADVANCE)
def advance(rules, search, limit):
    """The search for games without a craft."""
    return _search_on(rules, search, limit)
