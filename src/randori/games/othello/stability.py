"""Discs of Othello that can never turn."""

import numpy as np

from randori.kernels.bits import U0
from randori.kernels.compile import inner

_SIDES, _ENDS = np.uint64(0x8181818181818181), np.uint64(0xFF000000000000FF)
# Four directions: across, rising, down, falling; bits from one square to the next, and the squares that lack one.
_STEPS = np.array([1, 7, 8, 9], np.uint64)
_EDGES = np.array([_SIDES, _SIDES | _ENDS, _ENDS, _SIDES | _ENDS], np.uint64)


@inner
def _open_lines(empties, step, inner_squares):
    """The squares that share a line of one direction with an empty one, as far as they have a next square both ways."""
    up, above = empties, inner_squares
    down, below = empties, inner_squares
    for _ in range(3):
        up |= above & (up << step)
        above &= above << step
        down |= below & (down >> step)
        below &= below >> step
        step += step
    return up | down


@inner
def stable_discs(side, empties, board):
    """Discs of a side that can surely never turn; not all of them.

    Such a disc is safe along each of the four lines through it: the line is full, or on one side of the disc the board
    ends or another such disc stands.
    """
    stable = U0
    while True:
        grown = side
        wall = stable | ~board
        for direction in range(4):
            step, edges = _STEPS[direction], _EDGES[direction]
            grown &= edges | ~_open_lines(empties, step, ~edges) | (wall << step) | (wall >> step)
        if grown == stable:
            return stable
        stable = grown
