"""The last moves of a game, searched to the end inside a kernel that plays. The solver is for longer endings."""

from typing import Any, NamedTuple

import numpy as np

from randori.kernels.bits import nth_set_bit
from randori.kernels.compile import inner
from randori.kernels.rules import CELLS, MOVE_WORDS, WORDS, legal, margin, play, row


class Line(NamedTuple):
    """Room for the one line of play that the search of the last moves is looking at."""

    states: Any
    moves: Any
    counts: Any
    tried: Any
    lows: Any
    highs: Any


@inner
def empty_line(rules, depth):
    # Every stone may be followed by a pass.
    plies = 2 * depth + 2
    return Line(
        np.zeros((plies, rules[WORDS]), np.uint64),
        np.zeros((plies, rules[MOVE_WORDS]), np.uint64),
        np.zeros(plies, np.int64),
        np.zeros(plies, np.int64),
        np.zeros(plies, np.int64),
        np.zeros(plies, np.int64),
    )


@inner
def final_margin(rules, state, line):
    """The margin for the side to move under best play of both to the end (alpha-beta)."""
    least = -(rules[CELLS] + 1)
    for word in range(rules[WORDS]):
        line.states[0, word] = state[word]
    line.counts[0] = legal(rules, row(line.states, 0), row(line.moves, 0))
    line.tried[0], line.lows[0], line.highs[0] = 0, least, -least
    if line.counts[0] == 0:
        return margin(rules, row(line.states, 0))
    ply = 0
    while True:
        if line.tried[ply] == line.counts[ply] or line.lows[ply] >= line.highs[ply]:
            if ply == 0:
                return line.lows[0]
            ply -= 1
            line.lows[ply] = max(line.lows[ply], -line.lows[ply + 1])
            continue
        line.states[ply + 1] = line.states[ply]
        play(rules, row(line.states, ply + 1), nth_set_bit(row(line.moves, ply), line.tried[ply]))
        line.tried[ply] += 1
        count = legal(rules, row(line.states, ply + 1), row(line.moves, ply + 1))
        if count == 0:
            line.lows[ply] = max(line.lows[ply], -margin(rules, row(line.states, ply + 1)))
        else:
            ply += 1
            line.counts[ply], line.tried[ply] = count, 0
            line.lows[ply], line.highs[ply] = -line.highs[ply - 1], -line.lows[ply - 1]


@inner
def best_ending(rules, state, moves, count, line, child):
    """The number of the move that search to the end likes best; the first of equals."""
    best, pick = -(rules[CELLS] + 2), 0
    for k in range(count):
        play_copy(rules, state, nth_set_bit(moves, k), child)
        found = -final_margin(rules, child, line)
        if found > best:
            best, pick = found, k
    return pick


@inner
def play_copy(rules, state, action, child):
    """Plays in a copy of the state."""
    for word in range(rules[WORDS]):
        child[word] = state[word]
    play(rules, child, action)
