"""The candidates of every row of an array of states."""

import numpy as np
from numba import types

from randori.kernels.bits import bit
from randori.kernels.candidates import moves_by
from randori.kernels.compile import kernel
from randori.kernels.rules import ACTIONS, MOVE_WORDS, RULES, row


@kernel(types.void(RULES, types.int64, types.Array(types.uint64, 2, "C"), types.Array(types.boolean, 2, "C")))
def candidates_all(rules, address, states, mask):
    moves = np.zeros(rules[MOVE_WORDS], np.uint64)
    for i in range(states.shape[0]):
        moves_by(address, row(states, i), row(moves, 0))
        for action in range(rules[ACTIONS]):
            mask[i, action] = bit(moves, action)
