"""Othello in lanes: many games at once.

A run of theirs between a disc of mine and a new one is filled from both ends. So what my discs fill, looking for the squares
where a run ends, is used once more: whatever the new disc fills towards mine, and mine towards it, turns.
"""

from collections.abc import Callable

import numpy as np

from randori.kernels.bits import U0, U1, popcount
from randori.kernels.compile import inner
from randori.kernels.lane_games import finish_with
from randori.kernels.lanes import random_bit

_inlined = inner(forceinline=True)


@_inlined
def _fill(discs, between, step, size):
    """The runs of `between` that begin next to one of `discs`, towards high bits and towards low bits of one line.

    A run is at most `size - 2` long: one square, another, then two at a time.
    """
    two = step + step
    up = (discs << step) & between
    up |= (up << step) & between
    down = (discs >> step) & between
    down |= (down >> step) & between
    pairs = between & (between << step)
    if size > 4:
        up |= (up << two) & pairs
        down |= (down >> two) & (pairs >> step)
    if size > 6:
        up |= (up << two) & pairs
        down |= (down >> two) & (pairs >> step)
    return up, down


@_inlined
def _ends(runs, step):
    up, down = runs
    return (up << step) | (down >> step)


@_inlined
def _turned(disc, runs, between, step, size):
    up, down = runs
    to_high, to_low = _fill(disc, between, step, size)
    return (to_high & down) | (to_low & up)


@_inlined
def step(mine, theirs, numbers, facts):
    """A disc on a random square, or a pass."""
    size, inside, board = facts
    below, falling, rising = np.uint64(size), np.uint64(size + 1), np.uint64(size - 1)
    between = theirs & inside
    columns, rows = _fill(mine, theirs, below, size), _fill(mine, between, U1, size)
    falls, rises = _fill(mine, between, falling, size), _fill(mine, between, rising, size)
    ends = _ends(columns, below) | _ends(rows, U1) | _ends(falls, falling) | _ends(rises, rising)
    squares = ends & board & ~(mine | theirs)
    disc = random_bit(squares, numbers)
    turned = _turned(disc, columns, theirs, below, size) | _turned(disc, rows, between, U1, size)
    turned |= _turned(disc, falls, between, falling, size) | _turned(disc, rises, between, rising, size)
    return theirs ^ turned, mine ^ (turned | disc), squares == U0


@inner
def margin(mine, theirs):
    return popcount(mine) - popcount(theirs)


_finish = finish_with(step, margin, passes=True)


def facts(size: int) -> tuple[int, np.uint64, np.uint64]:
    """The size of the board, its squares without the outer columns, and all of them."""
    n_squares = size * size
    inside = sum(1 << square for square in range(n_squares) if 0 < square % size < size - 1)
    return size, np.uint64(inside), np.uint64((1 << n_squares) - 1)


def lanes(size: int) -> Callable[..., None]:
    of_board = facts(size)

    def finish(states, n, streams, outcomes, plies):
        _finish(states, n, streams, outcomes, plies, of_board)

    return finish
