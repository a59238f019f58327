"""What a position is worth by its tuples: a sum of table entries, one for each tuple."""

import numpy as np
from numba import carray, types

from randori.kernels.bits import U1, popcount
from randori.kernels.compile import inner, kernel
from randori.kernels.judges import floats_at, int32s_at, int64s_at, uint16s_at
from randori.kernels.rules import CELLS, PLIES, RULES, cell, row
from randori.methods.ntuple.kernels.indices import indices

# The facts of a judge: arrays by their addresses, then sizes.
SHARES, PLACES, STARTS, STAGES, WEIGHTS, RULES_TABLE, N_BYTES, N_PADDED, N_TUPLES, N_WORDS = range(10)
"""SHARES and PLACES are for `indices`; STARTS is where the table of each tuple begins; STAGES is where the tables for a
number of pieces on the board begin. N_TUPLES is padded to a multiple of 4, N_WORDS counts the words of a side."""

MOST_WORDS = 6
"""Of a side, enough for 19x19 squares."""


@inner
def tell_pieces(rules, state, pieces):
    """Writes who stands where, square by square: MOST_WORDS words for each side."""
    for w in range(2 * MOST_WORDS):
        pieces[w] = np.uint64(0)
    for square in range(rules[CELLS]):
        told = cell(rules, state, square)
        if told != 0:
            side = 0 if told > 0 else MOST_WORDS
            pieces[side + (square >> 6)] |= U1 << np.uint64(square & 63)


@kernel(types.void(RULES, types.Array(types.uint64, 2, "C"), types.Array(types.uint64, 2, "C")))
def tell_all_pieces(rules, states, pieces):
    for i in range(states.shape[0]):
        tell_pieces(rules, row(states, i), row(pieces, i))


@inner
def stage_start(pieces, facts):
    """Where the tables for so many pieces on the board begin."""
    places, total = int64s_at(facts[PLACES]), 0
    for side in range(2):
        first = places[side] >> 6
        for w in range(facts[N_WORDS]):
            total += popcount(pieces[first + w])
    return int64s_at(facts[STAGES])[total]


@inner
def sum_up(pieces, facts):
    starts, weights = int32s_at(facts[STARTS]), floats_at(facts[WEIGHTS])
    found = indices(pieces, uint16s_at(facts[SHARES]), int64s_at(facts[PLACES]), facts[N_BYTES], facts[N_PADDED])
    stage = stage_start(pieces, facts)
    # Four sums side by side: one alone would wait for each addition.
    a, b, c, d = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    for k in range(0, facts[N_TUPLES], 4):
        a += weights[stage + starts[k] + np.int64(found[k])]
        b += weights[stage + starts[k + 1] + np.int64(found[k + 1])]
        c += weights[stage + starts[k + 2] + np.int64(found[k + 2])]
        d += weights[stage + starts[k + 3] + np.int64(found[k + 3])]
    return np.float64((a + b) + (c + d))


def value_by_words(state, facts):
    """Where the words of a state tell the pieces of each side."""
    return sum_up(state, facts)


def value_by_cells(state, facts):
    """Where only the rules tell them."""
    pieces = np.empty(2 * MOST_WORDS, np.uint64)
    tell_pieces(carray(int64s_at(facts[RULES_TABLE]), (PLIES + 1,)), state, row(pieces, 0))
    value = sum_up(row(pieces, 0), facts)
    pieces[0] = 0  # used until here: a pointer into an array does not keep it
    return value
