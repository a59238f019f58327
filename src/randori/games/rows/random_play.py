"""Five in a row played at random to the end, on square boards where a stone may go anywhere.

Each side has a number for every *line* of the board, so that a stone is four bits: one in its row, one in its column and one
in either diagonal. Lines are numbered in this order; in a row a bit is a column, elsewhere a row:

    size 3      rows        columns     falling     rising
                0 0 0       3 4 5       8 7 6       11 12 13
                1 1 1       3 4 5       9 8 7       12 13 14
                2 2 2       3 4 5      10 9 8       13 14 15
"""

import numpy as np
from numpy.typing import NDArray

from randori.kernels.bits import U0, U1, clear, highest, next_word, split
from randori.kernels.compile import inner
from randori.kernels.rules import ahead

_BITS = 5


def places(size: int) -> NDArray[np.uint16]:
    """Where each square is, `row << 5 | column`."""
    return np.array([row << _BITS | column for row in range(size) for column in range(size)], np.uint16)


@inner
def n_lines(size):
    return 6 * size - 2


@inner
def _put(lines, place, size):
    """Adds a stone to the lines of its side; whether one of them has five now."""
    row, column = place >> _BITS, place & ((1 << _BITS) - 1)
    across, down = U1 << np.uint64(column), U1 << np.uint64(row)
    five = U0
    for line, stone in (
        (row, across),
        (size + column, down),
        (3 * size - 1 + row - column, down),
        (4 * size - 1 + row + column, down),
    ):
        stones = np.uint64(lines[line]) | stone
        lines[line] = stones
        pairs = stones & (stones >> U1)
        five |= pairs & (pairs >> np.uint64(2)) & (stones >> np.uint64(4))
    return five != U0


@inner
def _set_up(state, n, lines, left, everywhere, size):
    """Writes the lines of both sides, mine first, and the places of the empty squares; returns how many these are."""
    for line in range(2 * n_lines(size)):
        lines[line] = 0
    for square in range(size * size):
        left[square] = everywhere[square]
    n_left = size * size
    # The highest first: what fills a gap comes from above it, so that lower squares are still at their own number.
    for w in range(n - 1, -1, -1):
        stones = state[w] | state[n + w]
        while stones != U0:
            at = np.uint64(63 - highest(stones))
            stones ^= U1 << at
            square = 64 * w + np.int64(at)
            theirs = np.int64((state[n + w] >> at) & U1)
            _put(ahead(lines, theirs * n_lines(size)), np.int64(everywhere[square]), size)
            n_left -= 1
            left[square] = left[n_left]
    return n_left


@inner
def _write(lines, size, words, n):
    """The rows of a side in `n` words, square by square."""
    clear(words, n)
    for row in range(size):
        stones, at = np.uint64(lines[row]), row * size
        words[at >> 6] |= stones << np.uint64(at & 63)
        if (at & 63) + size > 64:
            words[(at >> 6) + 1] |= stones >> np.uint64(64 - (at & 63))


@inner
def play_to_five(state, n, size, everywhere, lines, left, stream):
    """Plays on until a side has five or the board is full; returns the plies, and whether there is a five.

    `state` has `n` words of mine, then as many of theirs. `lines` has room for those of two sides, `left` for all squares.
    """
    n_left = _set_up(state, n, lines, left, everywhere, size)
    side, plies, five, word = 0, 0, False, U0
    while n_left > 0 and not five:
        if plies & 3 == 0:  # a word is enough for four places: 400**4 is small beside 2**64
            word = next_word(stream)
        drawn, word = split(word, n_left)
        place = np.int64(left[drawn])
        n_left -= 1
        left[drawn] = left[n_left]
        five = _put(ahead(lines, side), place, size)
        side = n_lines(size) - side
        plies += 1
    _write(ahead(lines, side), size, state, n)
    _write(ahead(lines, n_lines(size) - side), size, ahead(state, n), n)
    return plies, five
