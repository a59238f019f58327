"""Othello's discs: where one may be put and what it turns, on one word a side. Rules and endgame share them."""

import numpy as np
from numpy.typing import NDArray

from randori.kernels.bits import U0, U1, highest
from randori.kernels.compile import inner


@inner
def _ends(mine, between, step):
    """Squares that end a run of `between` begun at one of `mine`, along both directions of one line.

    A run is at most six long: one square, then doubled twice by shifts of two.
    """
    up = (mine << step) & between
    up |= (up << step) & between
    pairs = between & (between << step)
    up |= (up << (step + step)) & pairs
    up |= (up << (step + step)) & pairs
    down = (mine >> step) & between
    down |= (down >> step) & between
    pairs >>= step
    down |= (down >> (step + step)) & pairs
    down |= (down >> (step + step)) & pairs
    return (up << step) | (down >> step)


@inner
def placements(mine, theirs, size, inside, board):
    """The empty squares where a disc of mine turns at least one of theirs. `inside` leaves out the outer columns."""
    step = np.uint64(size)
    between = theirs & inside
    ends = _ends(mine, theirs, step) | _ends(mine, between, U1)
    ends |= _ends(mine, between, step - U1) | _ends(mine, between, step + U1)
    return ends & board & ~(mine | theirs)


@inner
def flips(mine, theirs, square, rays):
    """The discs that turn when mine is placed on `square`; `rays[square]` holds its eight lines, four upwards in bits.

    Upwards, a carry started at the first square of the line runs through theirs and stops at the first square that
    is not: it flips what it ran over if it stopped at mine. Downwards the highest square that is not theirs stops it.
    """
    turned = U0
    for direction in range(4):
        line = rays[square, direction]
        stop = ((theirs | ~line) + U1) & line & mine
        turned |= (stop - np.uint64(stop != U0)) & line
        line = rays[square, direction + 4]
        stop = (np.uint64(1 << 63) >> np.uint64(highest((line & ~theirs) | U1))) & line & mine
        turned |= (U0 - (stop << U1)) & line
    return turned


def rays(size: int) -> NDArray[np.uint64]:
    """The lines from each square, `[size * size, 8]`: first the four towards higher bits, then the four opposite."""
    steps = [(0, 1), (1, -1), (1, 0), (1, 1)]
    found = np.zeros((size * size, 8), np.uint64)
    for square in range(size * size):
        for direction, (down, right) in enumerate(steps + [(-down, -right) for down, right in steps]):
            r, c = square // size + down, square % size + right
            while 0 <= r < size and 0 <= c < size:
                found[square, direction] |= np.uint64(1 << (r * size + c))
                r, c = r + down, c + right
    return found
