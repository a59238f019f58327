"""Positions as networks see them, and what networks say of their actions."""

import math

import numpy as np
from numba import types

from randori.kernels.bits import bit
from randori.kernels.compile import kernel
from randori.kernels.rules import ACTIONS, CELLS, MOVE_WORDS, RULES, cell, legal, row

_STATES, _TABLE = types.Array(types.uint64, 2, "C"), types.Array(types.float32, 2, "C")


@kernel(types.void(RULES, _STATES, types.Array(types.float32, 1, "C"), types.Array(types.float32, 3, "C")))
def planes_all(rules, states, last, planes):
    """Writes `[B, 3, squares]`: mine, theirs, and the number in `last`, `[B]`."""
    for i in range(states.shape[0]):
        for square in range(rules[CELLS]):
            found = cell(rules, row(states, i), square)
            planes[i, 0, square] = np.float32(found == 1)
            planes[i, 1, square] = np.float32(found == -1)
            planes[i, 2, square] = last[i]


@kernel(types.void(RULES, _STATES, _TABLE, _TABLE))
def policies_all(rules, states, logits, policies):
    """The softmax of logits `[B, A]` over the legal actions; the others have 0."""
    moves = np.zeros(rules[MOVE_WORDS], np.uint64)
    for i in range(states.shape[0]):
        legal(rules, row(states, i), row(moves, 0))
        greatest, total = np.float32(-np.inf), 0.0
        for action in range(rules[ACTIONS]):
            if bit(moves, action):
                greatest = max(greatest, logits[i, action])
        for action in range(rules[ACTIONS]):
            policies[i, action] = np.float32(0.0)
            if bit(moves, action):
                policies[i, action] = math.exp(logits[i, action] - greatest)
                total += policies[i, action]
        for action in range(rules[ACTIONS]):
            if bit(moves, action):
                policies[i, action] = np.float32(policies[i, action] / total)
