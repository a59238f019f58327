"""Moves that end the game and win it."""

import numpy as np
from numba import types

from randori.kernels.bits import nth_set_bit
from randori.kernels.compile import kernel
from randori.kernels.rules import LOSS, MOVE_WORDS, RULES, WORDS, legal, outcome, play, row


@kernel(types.void(RULES, types.Array(types.uint64, 2, "C"), types.Array(types.int16, 1, "C")))
def find_winning_moves(rules, states, actions):
    """Writes the first move that wins at once, or -1 where none does."""
    moves, after = np.zeros(rules[MOVE_WORDS], np.uint64), np.zeros(rules[WORDS], np.uint64)
    for i in range(states.shape[0]):
        actions[i] = -1
        for n in range(legal(rules, row(states, i), row(moves, 0))):
            action = nth_set_bit(row(moves, 0), n)
            for word in range(rules[WORDS]):
                after[word] = states[i, word]
            play(rules, row(after, 0), action)
            if outcome(rules, row(after, 0)) == LOSS:
                actions[i] = action
                break
