"""The moves of a position within an alpha-beta search: which there are, in which order, and what follows the last of them."""

import numpy as np

from randori.kernels.bits import nth_set_bit, popcount
from randori.kernels.candidates import moves_by
from randori.kernels.judges import judge_moves
from randori.kernels.rules import ahead, legal, margin, outcome, play
from randori.kernels.searches import (
    ALPHA,
    BEST,
    BEST_ACTION,
    BETA,
    COUNT,
    DEPTH,
    FORCED,
    LEFT,
    LINE,
    TRIED,
    inlined,
    worth_of,
)

TO_THE_END = 1 << 20
"""The depth of what is searched without a judge."""
FEW = 6
"""With so few moves left a position is searched faster than looked up."""
FORCED_PLIES = 60
"""From this ply on forced moves cost depth as all others do."""
_FIRST = 1e300


@inlined
def _end_value(rules, line, child, depth):
    """What an end is worth to the side to move there, `depth` plies before the horizon of its parent."""
    if line.by_margin:
        return np.float64(margin(rules, child))
    weight = line.certain + line.end * (1 if depth >= TO_THE_END else depth)
    return outcome(rules, child) * weight


@inlined
def take(line, ply, frame, bounds, action, value, length):
    """`action` is the best so far; of the best line after it, `length` actions are known."""
    bounds[BEST] = value
    frame[BEST_ACTION] = action
    if bounds[ALPHA] < value < bounds[BETA]:
        best, after = ahead(line.lines, ply * line.n_plies), ahead(line.lines, (ply + 1) * line.n_plies)
        best[0] = action
        for k in range(length):
            best[k + 1] = after[k]
        frame[LINE] = length + 1


@inlined
def credits_of(line, ply):
    """Of the side to move at `ply`."""
    return ahead(line.credits, (ply & 1) * line.n_actions)


@inlined
def _next_of(actions, order, k, count):
    """The most promising action from place `k` on; the one there takes its place."""
    chosen = k
    for i in range(k + 1, count):
        if order[i] > order[chosen]:
            chosen = i
    action = actions[chosen]
    actions[chosen], order[chosen] = actions[k], order[k]
    return action


@inlined
def choices(rules, line, ply):
    """Writes the moves to look at in the position at `ply`; how many they are."""
    position = ahead(line.positions, ply * line.n_words)
    named = line.candidates != 0
    count = moves_by(line.candidates, position, line.moves) if named else legal(rules, position, line.moves)
    if ply > 0:
        return count
    kept = 0
    for w in range((line.n_actions + 63) // 64):
        kept += popcount(line.moves[w] & ~line.refused[w])
    if kept in (0, count):
        return count
    for w in range((line.n_actions + 63) // 64):
        line.moves[w] &= ~line.refused[w]
    return kept


@inlined
def is_forced(line, ply, count):
    """Whether the one move in a position costs no depth."""
    return line.candidates != 0 and count == 1 and 0 < ply < FORCED_PLIES


@inlined
def look_at_leaves(rules, judge, line, ply, frame, bounds, count):
    """The last ply: each of `count` moves is made, and the position after it judged, until one is good enough.

    Returns how many were.
    """
    base = ply * line.n_actions
    position, child = ahead(line.positions, ply * line.n_words), ahead(line.children, base * line.n_words)
    actions, order, credits = ahead(line.actions, base), ahead(line.order, base), credits_of(line, ply)
    ordered = line.n_values > 0  # a quick judge has judged them sooner than they are put in order
    if ordered:
        for k in range(count):
            actions[k] = nth_set_bit(line.moves, k)
            order[k] = credits[actions[k]]
    elif line.judge_of_moves != 0:
        judge_moves(line.judge_of_moves, judge, position, line.moves, count, line.opinions)
    for k in range(count):
        action = _next_of(actions, order, k, count) if ordered else nth_set_bit(line.moves, k)
        for w in range(line.n_words):
            child[w] = position[w]
        play(rules, child, action)
        if legal(rules, child, line.replies) == 0:
            value = -_end_value(rules, line, child, 1)
        elif line.judge_of_moves != 0 and not ordered:
            value = line.opinions[k]
        else:
            value = -worth_of(judge, line, child)
        if ply == 0:
            line.scores[action] = value
        if value > bounds[BEST]:
            take(line, ply, frame, bounds, action, value, 0)
            if value >= bounds[BETA]:
                credits[action] += 1
                return k + 1
    return count


@inlined
def expand(rules, judge, line, ply, frame, bounds):
    """Writes the moves after which the game goes on, and how promising they are; those that end it go into the frame.

    Returns whether one of these is good enough.
    """
    n_words, depth, n = line.n_words, frame[DEPTH], 0
    base = ply * line.n_actions
    position, children = ahead(line.positions, ply * n_words), ahead(line.children, base * n_words)
    actions, order, credits = ahead(line.actions, base), ahead(line.order, base), credits_of(line, ply)
    remembered = frame[BEST_ACTION]
    asks_judge = (line.judged_from <= depth or ply == 0) and (depth < TO_THE_END or frame[LEFT] > FEW + 2)
    count = choices(rules, line, ply)
    if asks_judge and line.judge_of_moves != 0:
        judge_moves(line.judge_of_moves, judge, position, line.moves, count, line.opinions)
    for k in range(count):
        action = nth_set_bit(line.moves, k)
        child = ahead(children, n * n_words)
        for w in range(n_words):
            child[w] = position[w]
        play(rules, child, action)
        n_replies = legal(rules, child, line.replies)
        if n_replies == 0:
            value = -_end_value(rules, line, child, depth)
            if ply == 0:
                line.scores[action] = value
            if value > bounds[BEST]:
                take(line, ply, frame, bounds, action, value, 0)
                if value >= bounds[BETA]:
                    return True
            continue
        actions[n] = action
        if action == remembered:
            order[n] = _FIRST
        elif asks_judge:
            worth = line.opinions[k] if line.judge_of_moves != 0 else -worth_of(judge, line, child)
            order[n] = worth - line.mobility * n_replies
        else:
            order[n] = credits[action] - 1e6 * line.mobility * n_replies
        n += 1
    frame[COUNT] = n
    frame[TRIED] = 0
    frame[FORCED] = is_forced(line, ply, count)
    return False
