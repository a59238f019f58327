"""Connect Four in lanes: many games at once."""

import numpy as np

from randori.kernels.bits import U0
from randori.kernels.compile import inner
from randori.kernels.lane_games import finish_with
from randori.kernels.lanes import random_bit

_BOTTOM_TO_TOP = np.uint64(5)
_TOP = np.uint64(sum(1 << (7 * column + 5) for column in range(7)))


@inner(forceinline=True)
def _fours(side):
    """Not empty where four of a side stand in a row: upwards, along both diagonals or across."""
    found = side & U0
    for step in (1, 6, 7, 8):
        pairs = side & (side >> np.uint64(step))
        found |= pairs & (pairs >> np.uint64(2 * step))
    return found


@inner(forceinline=True)
def step(mine, theirs, numbers, facts):
    occupied = mine | theirs
    tops = ~occupied & _TOP
    # Added to a column at its bottom, a bit is carried to the lowest empty square.
    stone = (occupied + (random_bit(tops, numbers) >> _BOTTOM_TO_TOP)) & ~occupied
    return theirs, mine | stone, (_fours(theirs) != U0) | (tops == U0)


@inner
def margin(mine, theirs):
    return -np.int64(_fours(theirs) != U0)


_finish = finish_with(step, margin, passes=False)


def lanes(states, n, streams, outcomes, plies):
    _finish(states, n, streams, outcomes, plies, 0)
