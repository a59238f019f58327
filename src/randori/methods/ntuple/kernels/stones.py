"""Values by tuples where a move only adds a stone: patterns are counted stone by stone, and moves are judged all at once.

A tuple without a stone adds nothing. What a move changes are the few tuples that cover its square, so once the patterns of a
position are known, judging a move takes a small part of the time for a position.
"""

import numpy as np
from numba import types

from randori.kernels.bits import U1, lowest, popcount
from randori.kernels.compile import inner, kernel
from randori.kernels.judges import floats_at, int32s_at, int64s_at
from randori.kernels.rules import row
from randori.kernels.vectors import int32s_on_stack
from randori.methods.ntuple.kernels.learning import LEARNING

# The facts of a judge: arrays by their addresses, then sizes.
FIRSTS, COVERS, STARTS, STAGES, WEIGHTS, N_TUPLES, N_WORDS, THEIRS = range(8)
"""COVERS has a number for each tuple that covers a square, the tuple's times 2^16 and the power of 3 there, those of square
`s` from place FIRSTS[s] on. STARTS is where the table of each tuple begins; STAGES is where the tables for a number of pieces
on the board begin. A side has N_WORDS words, theirs from the word THEIRS on."""
_POWER = (1 << 16) - 1


@inner
def _add_stones(state, first, weight, facts, found):
    """Adds the stones of a side to the patterns of the tuples; how many there are."""
    firsts, covers = int64s_at(facts[FIRSTS]), int32s_at(facts[COVERS])
    count = 0
    for w in range(facts[N_WORDS]):
        word = state[first + w]
        count += popcount(word)
        while word:
            square = 64 * w + lowest(word)
            word &= word - U1
            for i in range(firsts[square], firsts[square + 1]):
                cover = covers[i]
                found[cover >> 16] += weight * (cover & _POWER)
    return count


@inner
def tell_patterns(state, facts, mine, theirs, found):
    """Writes the pattern of each tuple, my stones counting `mine` and theirs `theirs`; how many stones there are."""
    for k in range(facts[N_TUPLES]):
        found[k] = 0
    count = _add_stones(state, 0, mine, facts, found)
    return count + _add_stones(state, facts[THEIRS], theirs, facts, found)


def value_by_stones(state, facts):
    found = int32s_on_stack(facts[N_TUPLES])
    count = tell_patterns(state, facts, 1, 2, found)
    starts, weights = int32s_at(facts[STARTS]), floats_at(facts[WEIGHTS])
    stage = int64s_at(facts[STAGES])[count]
    total = 0.0
    for k in range(facts[N_TUPLES]):
        total += weights[stage + starts[k] + found[k]]
    return total


def values_of_moves(state, facts, moves, n, worth):
    """The positions after the moves are seen by the other side, and sums are worth the opposite to mine."""
    found = int32s_on_stack(facts[N_TUPLES])
    count = tell_patterns(state, facts, 2, 1, found)
    firsts, covers = int64s_at(facts[FIRSTS]), int32s_at(facts[COVERS])
    starts, weights = int32s_at(facts[STARTS]), floats_at(facts[WEIGHTS])
    stage = np.int32(int64s_at(facts[STAGES])[count + 1])
    total = 0.0
    for k in range(facts[N_TUPLES]):
        found[k] += stage + starts[k]
        total += weights[found[k]]
    move, w = 0, 0
    while move < n:
        word = moves[w]
        while word:
            square = 64 * w + lowest(word)
            word &= word - U1
            change = 0.0
            for i in range(firsts[square], firsts[square + 1]):
                cover = covers[i]
                place = found[cover >> 16]
                change += weights[place + 2 * (cover & _POWER)] - weights[place]
            worth[move] = -(total + change)
            move += 1
        w += 1


@kernel(types.float64(*LEARNING, types.float64))
def learn_by_stones(facts_of, learned, states, targets, rate):
    """Learns each position once, in order; returns the sum of the absolute errors.

    A pattern may be on the board many times. Each different one takes the same share of the error, so that rare ones, which
    decide games, learn as fast as those that are everywhere. Values are tanh of the sum, as in `learn_all`.
    """
    facts = row(facts_of, 0)
    starts, weights = int32s_at(facts[STARTS]), learned.weights
    found = np.empty(facts[N_TUPLES], np.int32)
    places, times = np.empty(facts[N_TUPLES], np.int64), np.zeros(weights.size, np.int32)
    total = 0.0
    for i in range(targets.shape[0]):
        count = tell_patterns(row(states, i), facts, 1, 2, row(found, 0))
        stage = int64s_at(facts[STAGES])[count]
        value, different = 0.0, 0
        for k in range(facts[N_TUPLES]):
            if found[k] == 0:
                continue
            place = stage + learned.twins[starts[k] + found[k]]
            value += weights[place]
            if times[place] == 0:
                places[different] = place
                different += 1
            times[place] += 1
        error = targets[i] - np.tanh(value)
        total += abs(error)
        for k in range(different):
            place = places[k]
            size = learned.sizes[place]
            coherence = abs(learned.sums[place]) / size if size > 0 else 1.0
            weights[place] += rate * error / (different * times[place]) * coherence
            learned.sums[place] += error
            learned.sizes[place] = size + abs(error)
            times[place] = 0
    return total
