"""Random games to the end, and exhaustive counts of games."""

import numpy as np
from numba import types

from randori.kernels.bits import nth_set_bit
from randori.kernels.compile import inner, kernel
from randori.kernels.rules import MOVE_WORDS, PLIES, RULES, WORDS, finish, legal, margin, play, row

_STATES = types.Array(types.uint64, 2, "C")
_ROW = types.Array(types.uint64, 1, "C")


@inner
def result_after(rules, end, plies):
    """The result of a game that is over for the side that was to move `plies` before."""
    # The sign of the margin is the outcome then, and cheaper.
    result = np.sign(np.float64(margin(rules, end)))
    return result if plies % 2 == 0 else -result


@kernel(types.void(RULES, _STATES, _ROW, types.Array(types.int8, 1, "C"), types.Array(types.int16, 1, "C")))
def random_games(rules, states, seeds, outcomes, plies):
    """Plays every state to its end, in place; `outcomes` are for the side to move in the state given."""
    for i in range(states.shape[0]):
        state = row(states, i)
        plies[i] = finish(rules, state, row(seeds, i))
        outcomes[i] = result_after(rules, state, plies[i])


@inner
def _walk(rules, root, depth, complete):
    """Paths of exactly `depth` plies from `root`; where `complete`, the games that end within them instead."""
    states = np.zeros((depth + 1, rules[WORDS]), np.uint64)
    moves = np.zeros((depth + 1, rules[MOVE_WORDS]), np.uint64)
    tried = np.zeros(depth + 1, np.int64)
    counts = np.zeros(depth + 1, np.int64)
    states[0] = root
    counts[0] = legal(rules, row(states, 0), row(moves, 0))
    paths = 0
    ply = 0
    while ply >= 0:
        if ply == depth or counts[ply] == 0:
            paths += (counts[ply] == 0) if complete else (ply == depth)
            ply -= 1
        elif not complete and ply == depth - 1:
            paths += counts[ply]
            ply -= 1
        elif tried[ply] == counts[ply]:
            ply -= 1
        else:
            action = nth_set_bit(row(moves, ply), tried[ply])
            tried[ply] += 1
            states[ply + 1] = states[ply]
            ply += 1
            play(rules, row(states, ply), action)
            tried[ply] = 0
            counts[ply] = legal(rules, row(states, ply), row(moves, ply))
    return paths


@kernel(types.int64(RULES, _ROW, types.int64))
def perft(rules, state, depth):
    """The number of paths of exactly `depth` plies."""
    return _walk(rules, state, depth, False)


@kernel(types.int64(RULES, _ROW))
def count_games(rules, state):
    """The number of games that can be played to their end; only for games as small as Tic-Tac-Toe."""
    return _walk(rules, state, rules[PLIES], True)
