"""Othello square by square on an array of cells, compiled so that thousands of endings can be tried out; the judge of words."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.int8]
"""`[size, size]`: 1, -1, and 0 for an empty square."""


@numba.njit
def turn(cells: Cells, row: int, column: int, side: int) -> int:
    """Puts a disc of `side` on a square, if it turns any; how many it turned."""
    size, turned = len(cells), 0
    if cells[row, column] != 0:
        return 0
    for down in range(-1, 2):
        for right in range(-1, 2):
            far = 1
            while True:
                r, c = row + far * down, column + far * right
                if (down == 0 and right == 0) or not (0 <= r < size and 0 <= c < size) or cells[r, c] == 0:
                    break
                if cells[r, c] == side:
                    for back in range(1, far):
                        cells[row + back * down, column + back * right] = side
                    turned += far - 1
                    break
                far += 1
    if turned > 0:
        cells[row, column] = side
    return turned


@numba.njit
def worth(cells: Cells, side: int, passed: bool) -> int:
    """The final margin for `side`, who is to move, when both sides play perfectly."""
    size, best = len(cells), -1000
    for row in range(size):
        for column in range(size):
            after = cells.copy()
            if turn(after, row, column, side) > 0:
                best = max(best, -worth(after, -side, False))
    if best > -1000:
        return best
    if passed:
        return side * int(cells.astype(np.int64).sum())
    return -worth(cells, -side, True)


@numba.njit
def keep_what_stays(cells: Cells, side: int, passed: bool, stays: NDArray[np.bool_], before: Cells) -> None:
    """Clears `stays` wherever some line of play turns what `before` had there."""
    size, moved = len(cells), False
    for row in range(size):
        for column in range(size):
            after = cells.copy()
            if turn(after, row, column, side) > 0:
                moved = True
                keep_what_stays(after, -side, False, stays, before)
    for row in range(size):
        for column in range(size):
            if before[row, column] != 0 and cells[row, column] != before[row, column]:
                stays[row, column] = False
    if not moved and not passed:
        keep_what_stays(cells, -side, True, stays, before)
