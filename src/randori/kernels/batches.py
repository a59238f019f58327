"""Batches: each rule applied to every row of an array of states, one compiled loop for all games."""

import numpy as np
from numba import types

from randori.kernels.bits import bit, hash_words, nth_set_bit
from randori.kernels.compile import kernel
from randori.kernels.rules import (
    ACTIONS,
    CELLS,
    MOVE_WORDS,
    RULES,
    WORDS,
    cell,
    legal,
    margin,
    outcome,
    play,
    row,
    setup,
    start,
)

_STATES = types.Array(types.uint64, 2, "C")
_ACTIONS = types.Array(types.int16, 1, "C")


@kernel(types.void(RULES, _STATES))
def start_all(rules, states):
    for i in range(states.shape[0]):
        start(rules, row(states, i))


@kernel(types.void(RULES, _STATES, types.Array(types.boolean, 2, "C")))
def legal_all(rules, states, mask):
    moves = np.zeros(rules[MOVE_WORDS], np.uint64)
    for i in range(states.shape[0]):
        legal(rules, row(states, i), row(moves, 0))
        for action in range(rules[ACTIONS]):
            mask[i, action] = bit(moves, action)


@kernel(types.int64(RULES, _STATES, _ACTIONS))
def play_all(rules, states, actions):
    """Plays in place and returns -1; or stops at the first illegal action and returns its row."""
    moves = np.zeros(rules[MOVE_WORDS], np.uint64)
    for i in range(states.shape[0]):
        state = row(states, i)
        action = np.int64(actions[i])
        if action < 0 or action >= rules[ACTIONS] or legal(rules, state, row(moves, 0)) == 0 or not bit(moves, action):
            return i
        play(rules, state, action)
    return -1


@kernel(types.void(RULES, _STATES, types.Array(types.int8, 1, "C")))
def outcome_all(rules, states, outcomes):
    for i in range(states.shape[0]):
        outcomes[i] = outcome(rules, row(states, i))


@kernel(types.void(RULES, _STATES, types.Array(types.int16, 1, "C")))
def margin_all(rules, states, margins):
    for i in range(states.shape[0]):
        margins[i] = margin(rules, row(states, i))


@kernel(types.void(RULES, _STATES, types.Array(types.int8, 2, "C")))
def cells_all(rules, states, cells):
    for i in range(states.shape[0]):
        for square in range(rules[CELLS]):
            cells[i, square] = cell(rules, row(states, i), square)


@kernel(types.int64(RULES, _STATES, types.Array(types.int8, 2, "C")))
def setup_all(rules, states, cells):
    """Writes the states with these cells and returns -1; or returns the first row that is no position."""
    for i in range(states.shape[0]):
        if setup(rules, row(states, i), row(cells, i)) == 0:
            return i
    return -1


@kernel(types.void(_STATES, types.Array(types.uint64, 1, "C")))
def key_all(states, keys):
    for i in range(states.shape[0]):
        keys[i] = hash_words(row(states, i), states.shape[1])


@kernel(types.void(RULES, _STATES, types.Array(types.int64, 1, "C")))
def count_all(rules, states, counts):
    """The number of legal actions of each state."""
    moves = np.zeros(rules[MOVE_WORDS], np.uint64)
    for i in range(states.shape[0]):
        counts[i] = legal(rules, row(states, i), row(moves, 0))


@kernel(types.void(RULES, _STATES, _STATES, _ACTIONS, types.Array(types.int64, 1, "C")))
def children_all(rules, states, children, actions, parents):
    """Fills the flat arrays, whose length is the sum of `count_all`, in the order of states and actions."""
    moves = np.zeros(rules[MOVE_WORDS], np.uint64)
    child = 0
    for i in range(states.shape[0]):
        for k in range(legal(rules, row(states, i), row(moves, 0))):
            action = nth_set_bit(moves, k)
            for w in range(rules[WORDS]):
                children[child, w] = states[i, w]
            play(rules, row(children, child), action)
            actions[child] = action
            parents[child] = i
            child += 1


@kernel(types.void(RULES, _STATES, types.Array(types.float64, 1, "C"), _ACTIONS))
def pick_all(rules, states, quantiles, actions):
    """The legal action at each quantile of [0, 1), so that uniform ones give uniform actions; -1 where it is over."""
    moves = np.zeros(rules[MOVE_WORDS], np.uint64)
    for i in range(states.shape[0]):
        count = legal(rules, row(states, i), row(moves, 0))
        actions[i] = nth_set_bit(moves, np.int64(quantiles[i] * count)) if count > 0 else -1
