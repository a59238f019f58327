"""Alpha-beta over rules and a judge, one compiled loop for all games and evaluators.

Principal variation search: the first move is searched with the whole window, each other one with a window that holds no
number, and again where it turns out better. A search can stop at any node and go on later, so that whoever runs it can
look at the clock and the keyboard; its results depend on the nodes alone.

Values are for the side to move, on the judge's scale. An end within the search is worth the margin where the game counts
and `by_margin` is set; elsewhere `end` for each ply by which it comes before the horizon, and `certain` above that: sooner
wins are better and later losses too. Positions with at most `exact` moves left are searched to the end: there an end
is worth its margin or `certain + end`.

*Probes* (multi-ProbCut, Buro 1995) leave out positions whose value is far from a window that holds no number, as a
shallower search shows: `shallow[depth]` plies must tell a value beyond the window by the margin for that depth and phase of
the game.

A game may name *candidates*, the only moves that are looked at. Where there is but one, it costs no depth: a line of forced
moves is followed to where there is a choice again.

The *best line* of a position is known wherever its value lies inside the window, because such values are searched again
and not taken from the table.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numba import types

from randori.kernels.compile import inner, kernel
from randori.kernels.expanding import FEW, TO_THE_END, choices, credits_of, expand, is_forced, look_at_leaves, take
from randori.kernels.judges import JUDGE
from randori.kernels.records import Bools, Float64s, Int64s, Words, numba_type, pointers
from randori.kernels.rules import RULES, ahead
from randori.kernels.searches import (
    ALPHA,
    AT,
    BEST,
    BEST_ACTION,
    BETA,
    BOUNDS,
    COUNT,
    DEPTH,
    FORCED,
    FRAME,
    LEFT,
    LINE,
    NODES,
    PHASES,
    PLY,
    PROBED,
    ROW,
    SEARCH,
    STAGE,
    TRIED,
    inlined,
    keep,
    key_of,
    recall,
    worth_of,
)

# Stages of a frame: whose value it waits for.
_WHOLE, _NARROW, _PROBE_ABOVE, _PROBE_BELOW = range(4)


@inlined
def _margin(line, frame):
    """By how much a probe must clear the window here."""
    phase = min(PHASES * frame[LEFT] // (line.most_left + 1), PHASES - 1)
    return line.margins[phase * PROBED + min(frame[DEPTH], PROBED - 1)]


@inlined
def _probe(judge, line, ply, frame, bounds):
    """Begins a probe where one may pay; the judge tells which side of the window to look at."""
    depth = frame[DEPTH]
    if ply == 0 or depth >= TO_THE_END or bounds[BETA] > np.nextafter(bounds[ALPHA], np.inf):
        return False
    shallow = line.shallow[min(depth, PROBED - 1)]
    if shallow == 0:
        return False
    position, below = ahead(line.positions, ply * line.n_words), ahead(line.positions, (ply + 1) * line.n_words)
    for w in range(line.n_words):
        below[w] = position[w]
    line.frames[(ply + 1) * FRAME + DEPTH] = shallow
    line.frames[(ply + 1) * FRAME + LEFT] = frame[LEFT]
    window = ahead(line.bounds, (ply + 1) * BOUNDS)
    if worth_of(judge, line, position) >= bounds[BETA]:
        frame[STAGE] = _PROBE_ABOVE
        window[BETA] = bounds[BETA] + _margin(line, frame)
        window[ALPHA] = np.nextafter(window[BETA], -np.inf)
    else:
        frame[STAGE] = _PROBE_BELOW
        window[ALPHA] = bounds[ALPHA] - _margin(line, frame)
        window[BETA] = np.nextafter(window[ALPHA], np.inf)
    return True


@inlined
def _enter(rules, judge, line, ply):
    """Opens the position at `ply`: true and its value, or false with its moves written."""
    frame, bounds = ahead(line.frames, ply * FRAME), ahead(line.bounds, ply * BOUNDS)
    bounds[BEST] = -np.inf
    line.progress[NODES] += 1
    if frame[LEFT] <= line.exact:
        frame[DEPTH] = TO_THE_END
    depth = frame[DEPTH]
    frame[BEST_ACTION] = -1
    frame[LINE] = 0
    if depth == 0:
        return True, worth_of(judge, line, ahead(line.positions, ply * line.n_words))
    # The next positions may be few enough moves from the end to be searched to it.
    if depth == 1 and frame[LEFT] - 1 > line.exact:
        count = choices(rules, line, ply)
        if not is_forced(line, ply, count):
            line.progress[NODES] += look_at_leaves(rules, judge, line, ply, frame, bounds, count)
            return True, bounds[BEST]
    if depth < TO_THE_END or frame[LEFT] > FEW:
        key = key_of(line, ply)
        line.keys[ply] = key
        known, value = recall(line, key, depth, frame, bounds)
        if known and ply > 0:
            return True, value
    frame[COUNT] = -1
    if _probe(judge, line, ply, frame, bounds):
        return False, 0.0
    return _begin_moves(rules, judge, line, ply, frame, bounds)


@inlined
def _begin_moves(rules, judge, line, ply, frame, bounds):
    """Writes the moves and makes the first: true and the position's value where there is none to be searched."""
    if expand(rules, judge, line, ply, frame, bounds) or frame[COUNT] == 0:
        return True, bounds[BEST]
    _descend(line, ply)
    return False, 0.0


@inlined
def _open_child(line, ply, lower, upper):
    """The position at `ply + 1` is to be searched with this window, as its parent sees it."""
    frame, below = ahead(line.frames, ply * FRAME), ahead(line.frames, (ply + 1) * FRAME)
    below[DEPTH] = frame[DEPTH] - (0 if frame[DEPTH] >= TO_THE_END or frame[FORCED] else 1)
    passed = line.actions[ply * line.n_actions + frame[TRIED] - 1] == line.passing
    below[LEFT] = frame[LEFT] - (0 if passed else 1)
    line.bounds[(ply + 1) * BOUNDS + ALPHA] = -upper
    line.bounds[(ply + 1) * BOUNDS + BETA] = -lower


@inlined
def _descend(line, ply):
    """Puts the most promising move not tried yet on the board."""
    frame, bounds, n_words = ahead(line.frames, ply * FRAME), ahead(line.bounds, ply * BOUNDS), line.n_words
    base = ply * line.n_actions
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
    lower = _needed(line, ply, bounds)
    if frame[TRIED] == 1 or lower == -np.inf:
        frame[STAGE] = _WHOLE
        _open_child(line, ply, lower, bounds[BETA])
    else:
        frame[STAGE] = _NARROW
        _open_child(line, ply, lower, np.nextafter(lower, np.inf))


@inlined
def _needed(line, ply, bounds):
    """What a move has to exceed. At the root a move as good as the best one counts too, where all the best are asked for."""
    lower = max(bounds[ALPHA], bounds[BEST])
    return np.nextafter(lower, -np.inf) if ply == 0 and line.all_best and lower > -np.inf else lower


@inlined
def _return(rules, judge, line, ply, value):
    """Takes a child's value into the position at `ply`: true and its value, or false with a child to be searched next."""
    frame, bounds = ahead(line.frames, ply * FRAME), ahead(line.bounds, ply * BOUNDS)
    if frame[STAGE] >= _PROBE_ABOVE:
        below = ahead(line.bounds, (ply + 1) * BOUNDS)
        if frame[STAGE] == _PROBE_ABOVE and value >= below[BETA]:
            return True, bounds[BETA]
        if frame[STAGE] == _PROBE_BELOW and value <= below[ALPHA]:
            return True, bounds[ALPHA]
        return _begin_moves(rules, judge, line, ply, frame, bounds)
    value = -value
    action = line.actions[ply * line.n_actions + frame[TRIED] - 1]
    lower = _needed(line, ply, bounds)
    if frame[STAGE] == _NARROW and lower < value < bounds[BETA]:
        frame[STAGE] = _WHOLE
        _open_child(line, ply, lower, bounds[BETA])
        return False, value
    if ply == 0:
        line.scores[action] = value
    if value > bounds[BEST]:
        take(line, ply, frame, bounds, action, value, line.frames[(ply + 1) * FRAME + LINE])
    if bounds[BEST] < bounds[BETA] and frame[TRIED] < min(frame[COUNT], line.width):
        _descend(line, ply)
        return False, value
    if bounds[BEST] >= bounds[BETA]:
        credits_of(line, ply)[action] += min(frame[DEPTH], 16) ** 2
    if frame[DEPTH] < TO_THE_END or frame[LEFT] > FEW:
        keep(line, line.keys[ply], frame, bounds)
    return True, bounds[BEST]


@inner
def search_on(rules, judge, search, limit):
    """Goes on until the root has its value, or until `limit` nodes are counted: then it returns False.

    To ask, write the root's words, `DEPTH`, `LEFT`, `ALPHA` and `BETA` and set `PLY` to 0.
    """
    line = pointers(search)
    ply = line.progress[PLY]
    settled, value = False, 0.0
    while line.progress[NODES] < limit and not settled:
        settled, value = _enter(rules, judge, line, ply)
        if not settled:
            ply += 1
            continue
        while settled and ply > 0:
            ply -= 1
            settled, value = _return(rules, judge, line, ply, value)
        if not settled:
            ply += 1
    line.progress[PLY] = ply
    line.answer[0] = value
    return settled


@inner
def ask(search, state, depth, left, alpha, beta):
    """Sets up the question what a position is worth, `depth` plies on, as far as it is between two bounds."""
    for w in range(search.n_words):
        search.positions[0, w] = state[w]
    search.frames[0, DEPTH] = depth
    search.frames[0, LEFT] = left
    search.bounds[0, ALPHA] = alpha
    search.bounds[0, BETA] = beta
    search.progress[PLY] = 0
    for action in range(search.n_actions):
        search.scores[action] = -np.inf


@kernel(types.boolean(RULES, JUDGE, SEARCH, types.int64))
def advance(rules, judge, search, limit):
    return search_on(rules, judge, search, limit)


@kernel(types.void(SEARCH, types.Array(types.uint64, 1, "C"), types.int64, types.int64))
def begin(search, state, depth, left):
    ask(search, state, depth, left, -np.inf, np.inf)


class Batch(NamedTuple):
    """Positions to be searched one after the other, and what is found."""

    states: Annotated[Words, "n, n_words"]
    left: Annotated[Int64s, "n"]  # moves, as `LEFT`
    depths: Annotated[Int64s, "n"]
    values: Annotated[Float64s, "n"]
    best: Annotated[Bools, "n, n_actions"]


@inner
def _deepen(search, batch, i):
    """Asks for the next depth of position `i`: every other one is enough to put moves in order."""
    if search.progress[AT] == 0:
        search.credits[:] = 0
        search.progress[AT] = 2 - batch.depths[i] % 2
    else:
        search.progress[AT] += 2
    ask(search, batch.states[i], search.progress[AT], batch.left[i], -np.inf, np.inf)


@kernel(types.boolean(RULES, JUDGE, SEARCH, numba_type(Batch), types.int64))
def advance_batch(rules, judge, search, batch, limit):
    """Goes on with the batch until all its positions have their values, or until `limit` nodes are counted.

    To ask, set `ROW` and `AT` to 0. One call for all: to call a kernel takes as long as to look at forty nodes.
    """
    progress = search.progress
    while progress[ROW] < batch.states.shape[0]:
        i = progress[ROW]
        if progress[AT] == 0:
            _deepen(search, batch, i)
        if not search_on(rules, judge, search, limit):
            return False
        if progress[AT] < batch.depths[i]:
            _deepen(search, batch, i)
            continue
        batch.values[i] = search.answer[0]
        for action in range(search.n_actions):
            batch.best[i, action] = search.scores[action] == search.answer[0]
        progress[ROW] += 1
        progress[AT] = 0
    return True
