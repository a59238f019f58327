"""Lines of stones: what five (three, four, ...) adjacent squares hold, for games of stones in a row.

A *window* is `k` squares in a row on the board. It is open to a side while the other has no stone in it.
"""

import numpy as np
from numba import types

from randori.kernels.bits import U0, U1, popcount
from randori.kernels.compile import inner, kernel
from randori.kernels.judges import doubles_at, int64s_at, rules_at, words_at
from randori.kernels.rules import CELLS, ahead, cell, row

_BOARDS = types.Array(types.int8, 3, "C")
_WEIGHTS = types.Array(types.float64, 1, "C")
_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


@inner
def _count(board, r, c, down, right, k):
    """Stones of (mine, theirs) in the window that begins at (r, c); (-1, -1) where it leaves the board."""
    height, width = board.shape
    last_row, last_column = r + (k - 1) * down, c + (k - 1) * right
    if r < 0 or c < 0 or c >= width or last_row >= height or last_column < 0 or last_column >= width:
        return -1, -1
    mine, theirs = 0, 0
    for step in range(k):
        stone = board[r + step * down, c + step * right]
        mine += stone == 1
        theirs += stone == -1
    return mine, theirs


@kernel(types.void(_BOARDS, types.int64, _WEIGHTS, _WEIGHTS, types.Array(types.float64, 3, "C")))
def star_scores(boards, k, attack, defence, scores):
    """Scores every empty square by the windows through it, `scores[b, r, c]`; occupied squares get -1.

    A window with n of mine that is open to me adds `attack[n]`, one with n of theirs that is open to them `defence[n]`.
    """
    for b in range(boards.shape[0]):
        board = boards[b]
        for r in range(board.shape[0]):
            for c in range(board.shape[1]):
                if board[r, c] != 0:
                    scores[b, r, c] = -1.0
                    continue
                total = 0.0
                for down, right in _DIRECTIONS:
                    for back in range(k):
                        mine, theirs = _count(board, r - back * down, c - back * right, down, right, k)
                        if theirs == 0:
                            total += attack[mine]
                        if mine == 0:
                            total += defence[theirs]
                scores[b, r, c] = total


# Facts of the judge of open lines: how many stones win; what a window of one's own stones is worth by their number, and
# one of the other side's; how far apart the bits of neighbours are in each direction, and where windows begin, as bits,
# `[directions, n_words]`; the words of a side, and how far on the other's begin; the rules, where bits have to be asked for.
LENGTH, OWN, OTHERS, SHIFTS, STARTS, N_WORDS, THEIRS, ASKS, TABLE = range(9)
MOST_STONES = 15
"""A number of four bits counts those of a window."""


@inner(forceinline=True)
def _moved(words, n, w, shift):
    """Word `w` of the board moved down by `shift` bits."""
    first, rest = w + (shift >> 6), np.uint64(shift & 63)
    word = words[first] >> rest if first < n else U0
    if rest != U0 and first + 1 < n:
        word |= words[first + 1] << (np.uint64(64) - rest)
    return word


@inner(forceinline=True)
def _stones_of_windows(words, n, w, shift, k):
    """For the windows that begin in word `w`, those with a stone, and the four digits of how many they have."""
    some = ones = twos = fours = eights = U0
    for step in range(k):
        carry = _moved(words, n, w, step * shift)
        some |= carry
        ones, carry = ones ^ carry, ones & carry
        twos, carry = twos ^ carry, twos & carry
        fours, carry = fours ^ carry, fours & carry
        eights ^= carry
    return some, (ones, twos, fours, eights)


@inner(forceinline=True)
def _worth_of(windows, digits, k, worth):
    """The sum over these windows, each by its number of stones."""
    ones, twos, fours, eights = digits
    total = 0.0
    for n in range(1, k + 1):
        same = windows & (ones if n & 1 else ~ones) & (twos if n & 2 else ~twos)
        same &= (fours if n & 4 else ~fours) & (eights if n & 8 else ~eights)
        total += worth[n] * popcount(same)
    return total


@inner
def _worth_of_board(mine, theirs, facts):
    """Of all windows that one side alone can still fill."""
    k, n, starts, total = facts[LENGTH], facts[N_WORDS], words_at(facts[STARTS]), 0.0
    for direction in range(len(_DIRECTIONS)):
        shift = int64s_at(facts[SHIFTS])[direction]
        for w in range(n):
            windows = starts[direction * n + w]
            my_some, my_digits = _stones_of_windows(mine, n, w, shift, k)
            their_some, their_digits = _stones_of_windows(theirs, n, w, shift, k)
            total += _worth_of(windows & ~their_some, my_digits, k, doubles_at(facts[OWN]))
            total += _worth_of(windows & ~my_some, their_digits, k, doubles_at(facts[OTHERS]))
    return np.tanh(total / 4.0**k)


def open_lines(state, facts):
    """The worth of all windows of the board."""
    if not facts[ASKS]:
        return _worth_of_board(state, ahead(state, facts[THEIRS]), facts)
    rules, n = rules_at(facts[TABLE]), facts[N_WORDS]
    board = np.zeros(2 * n, np.uint64)
    for square in range(rules[CELLS]):
        stone = cell(rules, state, square)
        if stone != 0:
            board[(square >> 6) + (n if stone < 0 else 0)] |= U1 << np.uint64(square & 63)
    value = _worth_of_board(row(board, 0), row(board, n), facts)
    board[0] = U0  # what only a pointer leads to must not be freed before
    return value
