"""Moves worth looking at where five stones in a row win and stones may go anywhere: what threats leave, else what is near.

The stones of a side are one word for each row of the board, with a margin around it: the square in column `c` is bit
`c + MARGIN` of its row's word. So all windows that begin in one row are looked at together.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from randori.kernels.bits import U0, U1, popcount
from randori.kernels.compile import inner

MARGIN = 6
"""As long as the longest window."""
_NEAR = 2
_LINES = ((0, 1), (1, 0), (1, 1), (1, -1))

# What is known of a position, a plane of rows each.
MINE, THEIRS, EMPTY, FOUND, COMMON, WINDOW, PLANES = range(7)


@inner
def _write_rows(state, first, size, rows):
    mask = (U1 << np.uint64(size)) - U1
    for r in range(size):
        begin = r * size
        word, place = first + (begin >> 6), begin & 63
        told = state[word] >> np.uint64(place)
        if place + size > 64:
            told |= state[word + 1] << np.uint64(64 - place)
        rows[MARGIN + r] = (told & mask) << np.uint64(MARGIN)


@inner
def _seen(rows, r, j, down, right):
    """The squares `j` steps further on, each at the place of the square it is seen from."""
    told = rows[r + j * down]
    return told >> np.uint64(j) if right > 0 else told << np.uint64(j) if right < 0 else told


@inner
def _back(told, j, right):
    """The other way round."""
    return told << np.uint64(j) if right > 0 else told >> np.uint64(j) if right < 0 else told


@inner
def _find_holes(stones, empty, size, missing, found):
    """Marks the empty squares of windows of five that lack only `missing` stones, one or two; whether there are any."""
    any_found = U0
    for line in range(4):
        down, right = _LINES[line]
        for r in range(MARGIN, MARGIN + size - 4 * down):
            some = U0
            for j in range(5):
                some |= _seen(stones, r, j, down, right)
            if some == U0:
                continue
            # Windows by the number of holes so far; a window with a stone of the other side is none.
            none, one, two = ~U0, U0, U0
            for j in range(5):
                s, e = _seen(stones, r, j, down, right), _seen(empty, r, j, down, right)
                two = (two & s) | (one & e)
                one = (one & s) | (none & e)
                none &= s
            windows = one if missing == 1 else two
            if windows != U0:
                any_found |= windows
                for j in range(5):
                    found[r + j * down] |= _back(windows & _seen(empty, r, j, down, right), j, right)
    return any_found != U0


@inner
def _open_four_windows(stones, empty, r, down, right):
    """The windows of six squares that begin in a row, with empty ends, in which one stone more makes four."""
    none, one = _seen(empty, r, 0, down, right) & _seen(empty, r, 5, down, right), U0
    for j in range(1, 5):
        s, e = _seen(stones, r, j, down, right), _seen(empty, r, j, down, right)
        one = (one & s) | (none & e)
        none &= s
    return one


@inner
def _find_open_fours(stones, empty, size, found):
    """Marks the squares where a stone makes an open four; whether there are any."""
    any_found = U0
    for line in range(4):
        down, right = _LINES[line]
        for r in range(MARGIN, MARGIN + size - 5 * down):
            windows = _open_four_windows(stones, empty, r, down, right)
            if windows != U0:
                any_found |= windows
                for j in range(1, 5):
                    found[r + j * down] |= _back(windows & _seen(empty, r, j, down, right), j, right)
    return any_found != U0


@inner
def _find_stops(stones, empty, size, found, common, window):
    """Marks the squares that stop every open four that could be made, or where no square does, those that stop one.

    Returns whether there is anything to stop. `common` and `window` are room for it.
    """
    count = 0
    for line in range(4):
        down, right = _LINES[line]
        for r in range(MARGIN, MARGIN + size - 5 * down):
            windows = _open_four_windows(stones, empty, r, down, right)
            while windows != U0:
                one = windows & (~windows + U1)
                windows ^= one
                for j in range(6):
                    window[r + j * down] |= _back(one, j, right) & empty[r + j * down]
                for row in range(MARGIN, MARGIN + size):
                    found[row] |= window[row]
                    common[row] = window[row] & (common[row] if count > 0 else ~U0)
                    window[row] = U0
                count += 1
    any_common = U0
    for row in range(MARGIN, MARGIN + size):
        any_common |= common[row]
    if any_common != U0:
        found[:] = common
    return count > 0


@inner
def _find_near(mine, theirs, empty, size, found):
    """Marks the empty squares at most two rows and two columns from a stone; whether there are any."""
    any_found = U0
    for r in range(MARGIN - _NEAR, MARGIN + size + _NEAR):
        told = mine[r] | theirs[r]
        told |= told << U1 | told >> U1
        told |= told << U1 | told >> U1
        if told != U0:
            for near in range(r - _NEAR, r + _NEAR + 1):
                found[near] |= told & empty[near]
    for r in range(MARGIN, MARGIN + size):
        any_found |= found[r]
    return any_found != U0


@inner
def _write_moves(rows, size, n_words, moves):
    for w in range(n_words):
        moves[w] = U0
    count = 0
    for r in range(size):
        told = rows[MARGIN + r] >> np.uint64(MARGIN)
        count += popcount(told)
        begin = r * size
        word, place = begin >> 6, begin & 63
        moves[word] |= told << np.uint64(place)
        if place + size > 64:
            moves[word + 1] |= told >> np.uint64(64 - place)
    return count


@inner
def _find(board, size):
    """Marks the candidates in the plane FOUND."""
    mine, theirs, empty, found = board[MINE], board[THEIRS], board[EMPTY], board[FOUND]
    if _find_holes(mine, empty, size, 1, found) or _find_holes(theirs, empty, size, 1, found):
        return
    if _find_open_fours(mine, empty, size, found):
        return
    if _find_stops(theirs, empty, size, found, board[COMMON], board[WINDOW]):
        _find_holes(mine, empty, size, 2, found)
        return
    if not _find_near(mine, theirs, empty, size, found):
        no_stones = True
        for r in range(MARGIN, MARGIN + size):
            no_stones = no_stones and mine[r] | theirs[r] == U0
        middle = MARGIN + size // 2
        if no_stones:
            found[middle] = U1 << np.uint64(middle)
        else:
            found[:] = empty


def candidates_on(size: int) -> Callable[[Any, Any], int]:
    """`candidates(state, moves)` on a board whose states hold my stones, then theirs, then a word that is odd at the end.

    Where five can be made, only that; else where it must be stopped, only that; else where an open four can be made,
    only that, since it wins; else where the other side could make one, what takes a square of each such chance
    or gains time by a four; else the squares near a stone.
    """
    n_squares = size * size
    n = (n_squares + 63) // 64
    status = 2 * n
    mask = np.uint64(((1 << size) - 1) << MARGIN)

    def candidates(state, moves):
        if state[status] & U1:
            for w in range(n):
                moves[w] = U0
            return np.int64(0)
        board = np.zeros((PLANES, size + 2 * MARGIN), np.uint64)
        _write_rows(state, 0, size, board[MINE])
        _write_rows(state, n, size, board[THEIRS])
        for r in range(MARGIN, MARGIN + size):
            board[EMPTY, r] = mask & ~(board[MINE, r] | board[THEIRS, r])
        _find(board, size)
        return np.int64(_write_moves(board[FOUND], size, n, moves))

    return candidates
