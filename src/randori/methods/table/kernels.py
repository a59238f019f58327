"""A table of positions as a judge."""

import numpy as np

from randori.kernels.bits import hash_words
from randori.kernels.judges import doubles_at, int64s_at, rules_at, words_at
from randori.kernels.rules import CELLS, WORDS, ahead, cell, row, setup

# Facts: the rules; the keys, rising, and the values of so many positions; the square that each turn of the board shows in a
# square's place, `[turns, squares]`. Without a turn the position's own key counts.
TABLE, KEYS, VALUES, N_KNOWN, TURNED, N_TURNS = range(6)


def by_key(state, facts):
    """The value of a position, or 0 where the table does not know it."""
    rules, keys = rules_at(facts[TABLE]), words_at(facts[KEYS])
    n_squares = rules[CELLS]
    key = hash_words(state, rules[WORDS]) if facts[N_TURNS] == 0 else np.uint64(0xFFFFFFFFFFFFFFFF)
    cells, words = np.empty(n_squares, np.int8), np.empty(rules[WORDS], np.uint64)
    for turn in range(facts[N_TURNS]):
        turned = ahead(int64s_at(facts[TURNED]), turn * n_squares)
        for square in range(n_squares):
            cells[square] = cell(rules, state, turned[square])
        setup(rules, row(words, 0), row(cells, 0))
        key = min(key, hash_words(words, rules[WORDS]))
    low, high = 0, facts[N_KNOWN]
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    found = low < facts[N_KNOWN] and keys[low] == key
    return doubles_at(facts[VALUES])[low] if found else 0.0
