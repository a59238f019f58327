"""The solver's table for games that number their positions: one word for each position instead of two.

A number of 49 bits is mixed to another, of which the low bits are the place in the table and the rest is kept:

    34 bits   of the mixed number, all but the lowest 15, which are the place's
     6 bits   work saved, as a power of two
     4 bits   best action + 1, 0 for none
     7 bits   64 - upper bound, 0 for none
     7 bits   lower bound + 64, 0 for none

so that a word of zeros says nothing about any position. A place has two words. Of the lowest 15 bits and the kept ones the
whole number follows: unlike hashed keys, two positions are never taken for each other.
"""

import numpy as np
from numpy.typing import NDArray

from randori.kernels.bits import U1
from randori.kernels.compile import inner

CHUNK = 1 << 20
"""Entries that move to a larger table at a time."""

_PLACE_BITS = np.uint64(15)
_FACT_BITS = np.uint64(30)
_NUMBERS = np.uint64((1 << 49) - 1)
_NONE = 64  # beyond every bound
# 8 MB, about what a processor keeps at hand: most positions are late ones, and waiting for the memory took half of the time.
_NEAR_ENTRIES = 1 << 20


@inner
def mixed(number):
    """A bijection of 49-bit numbers: odd factors and shifts to the right can be undone."""
    number = ((number ^ (number >> np.uint64(25))) * np.uint64(0x1BF58476D1CE4E5)) & _NUMBERS
    return number ^ (number >> np.uint64(25))


@inner
def place_of(n_entries, key, late):
    """Where the two words for a mixed number begin. Late positions share the first part of the table."""
    if late:
        n_entries = min(n_entries, _NEAR_ENTRIES)
    return np.int64(key & np.uint64(n_entries // 2 - 1)) * 2


@inner(forceinline=True)
def look_up(table, place, key):
    """Lower bound, upper bound and best action (or -1) of the position with a mixed number."""
    kept = key >> _PLACE_BITS
    word = table[place]
    if word >> _FACT_BITS != kept:
        word = table[place + 1]
        if word >> _FACT_BITS != kept:
            return -_NONE, _NONE, -1
    lower = np.int64(word & np.uint64(0x7F)) - _NONE
    upper = _NONE - np.int64((word >> np.uint64(7)) & np.uint64(0x7F))
    return lower, upper, np.int64((word >> np.uint64(14)) & np.uint64(0xF)) - 1


@inner(forceinline=True)
def store(table, place, key, lower, upper, action, work):
    """Of the two words of a place the first is kept while it saves more work than the new one would."""
    kept = key >> _PLACE_BITS
    word = table[place]
    if word >> _FACT_BITS != kept:
        saved = (word >> np.uint64(18)) & np.uint64(0x3F)
        if table[place + 1] >> _FACT_BITS == kept or saved > work:
            place += 1
    bounds = np.uint64(max(lower, -_NONE) + _NONE) | (np.uint64(_NONE - min(upper, _NONE)) << np.uint64(7))
    facts = bounds | (np.uint64(action + 1) << np.uint64(14)) | (work << np.uint64(18))
    table[place] = facts | (kept << _FACT_BITS)


def move_entries(old: NDArray[np.uint64], table: NDArray[np.uint64]) -> None:
    """Fills a larger table, `[n_entries, 1]`, with what an old one holds, piece by piece to save memory.

    Late positions are found again only while all have their places in the first part; they are soon searched again.
    """
    places = np.uint64(len(table) // 2 - 1)
    for begin in range(0, len(old), CHUNK):
        words = old[begin : begin + CHUNK, 0]
        used = np.flatnonzero(words)
        entries = (used + begin).astype(np.uint64)
        low = (entries >> U1) & np.uint64((1 << int(_PLACE_BITS)) - 1)
        keys = ((words[used] >> _FACT_BITS) << _PLACE_BITS) | low
        # In the same half of its place as before: so no two of them get into each other's way.
        table[((keys & places) << U1) | (entries & U1), 0] = words[used]
