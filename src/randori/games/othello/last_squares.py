"""The last empty squares of Othello, each number of them by a function of its own.

Each answers a question of the solver's: is the position worth more than `alpha` to the side to move? A value above `alpha` is
a lower bound of the margin, any other an upper bound. Squares lie on the craft's board of 8x8, whatever part of it exists.

Whoever moves first into a quadrant with an odd number of empty squares may move there last, so these are tried first.
"""

import numpy as np
from numpy.typing import NDArray

from randori.games.othello.discs import flips, rays
from randori.kernels.bits import U0, U1, highest, lowest, popcount
from randori.kernels.compile import inner

RAYS = rays(8)

_NONE = -1000  # below every margin: no move was found
# Two squares are in the same quadrant if these bits of their numbers are the same.
_QUADRANT = 0b100100
_QUADRANT_BITS, _FIRST_QUADRANT = np.uint64(0x0000001100000011), np.uint64(0x0F0F0F0F)
_COLUMN, _COLUMN_TO_ROW = np.uint64(0x0101010101010101), np.uint64(0x0102040810204080)

# The solver's loop is inlined by force, and so would be whatever it calls: five times the code, twice as long to compile.
_called = inner(forceinline=False)


def _turned_in_row() -> NDArray[np.int64]:
    """`[8, 256]`: how many discs turn when mine is placed at one of eight squares in a row, by the bits of mine.

    All other squares count as theirs. Those behind the end of a shorter line do no harm, as no disc of mine is there.
    """
    found = np.zeros((8, 256), np.int64)
    for place in range(8):
        for mine in range(256):
            for side in (range(place + 1, 8), range(place - 1, -1, -1)):
                found[place, mine] += next((i for i, at in enumerate(side) if mine >> at & 1), 0)
    return found


_TURNED = _turned_in_row()
_LINES = RAYS[:, :4] | RAYS[:, 4:8]
_RISING, _FALLING = np.ascontiguousarray(_LINES[:, 1]), np.ascontiguousarray(_LINES[:, 3])
# Without one of theirs beside it a square cannot be played.
_BESIDE = np.array(
    [sum(1 << at for at in range(64) if max(abs(at // 8 - it // 8), abs(at % 8 - it % 8)) == 1) for it in range(64)],
    np.uint64,
)


@inner
def _count_turned(mine, square):
    """How many discs turn when mine is placed on the only empty square."""
    r, c, last_byte = square >> 3, square & 7, np.uint64(56)
    turned = _TURNED[c, np.int64((mine >> np.uint64(square & 56)) & np.uint64(255))]
    # A product gathers the bits of a column, or of a diagonal, in the last byte.
    turned += _TURNED[r, np.int64((((mine >> np.uint64(c)) & _COLUMN) * _COLUMN_TO_ROW) >> last_byte)]
    turned += _TURNED[c, np.int64(((mine & _RISING[square]) * _COLUMN) >> last_byte)]
    return turned + _TURNED[c, np.int64(((mine & _FALLING[square]) * _COLUMN) >> last_byte)]


@inner
def last_1(mine, theirs, square):
    """The final margin: mine goes to `square` if it may, else theirs if it may."""
    margin = popcount(mine) - popcount(theirs)
    turned = _count_turned(mine, square)
    if turned > 0:
        return margin + 2 * turned + 1
    turned = _count_turned(theirs, square)
    return margin - 2 * turned - 1 if turned > 0 else margin


@inner
def _turned_at(mine, theirs, square):
    return flips(mine, theirs, square, RAYS) if theirs & _BESIDE[square] != U0 else U0


@inner
def last_2(mine, theirs, alpha, a, b):
    passed = False
    while True:
        best = _NONE
        turned = _turned_at(mine, theirs, a)
        if turned != U0:
            best = -last_1(theirs ^ turned, mine ^ turned ^ (U1 << np.uint64(a)), b)
        if best <= alpha:
            turned = _turned_at(mine, theirs, b)
            if turned != U0:
                best = max(best, -last_1(theirs ^ turned, mine ^ turned ^ (U1 << np.uint64(b)), a))
        if best != _NONE:
            return -best if passed else best
        if passed:
            return popcount(theirs) - popcount(mine)
        passed = True
        mine, theirs, alpha = theirs, mine, -alpha - 1


@_called
def last_3(mine, theirs, empties, alpha):
    a = lowest(empties)
    b = lowest(empties & (empties - U1))
    c = 63 - highest(empties)
    # The one that is alone in its quadrant comes first.
    if (a ^ b) & _QUADRANT == 0:
        a, c = c, a
    elif (a ^ c) & _QUADRANT == 0:
        a, b = b, a
    passed = False
    while True:
        best = _NONE
        for _ in range(3):
            turned = _turned_at(mine, theirs, a) if best <= alpha else U0
            if turned != U0:
                left, placed = theirs ^ turned, mine ^ turned ^ (U1 << np.uint64(a))
                best = max(best, -last_2(left, placed, -alpha - 1, b, c))
            a, b, c = b, c, a
        if best != _NONE:
            return -best if passed else best
        if passed:
            return popcount(theirs) - popcount(mine)
        passed = True
        mine, theirs, alpha = theirs, mine, -alpha - 1


@inner
def odd_quadrants(empties):
    """The squares of all quadrants with an odd number of empty ones."""
    odd = empties ^ (empties >> U1)
    odd ^= odd >> np.uint64(2)
    odd ^= odd >> np.uint64(8)
    odd ^= odd >> np.uint64(16)
    return (odd & _QUADRANT_BITS) * _FIRST_QUADRANT


def _one_more(fewer):
    """The function for one empty square more than `fewer` is for."""

    @_called
    def last(mine, theirs, empties, alpha):
        odd = odd_quadrants(empties)
        passed = False
        while True:
            best = _NONE
            sooner, later = empties & odd, empties & ~odd
            while sooner | later != U0 and best <= alpha:
                if sooner == U0:
                    sooner, later = later, U0
                disc = sooner & (U0 - sooner)
                sooner ^= disc
                turned = _turned_at(mine, theirs, lowest(disc))
                if turned != U0:
                    best = max(best, -fewer(theirs ^ turned, mine ^ turned ^ disc, empties ^ disc, -alpha - 1))
            if best != _NONE:
                return -best if passed else best
            if passed:
                return popcount(theirs) - popcount(mine)
            passed = True
            mine, theirs, alpha = theirs, mine, -alpha - 1

    return last


last_4 = _one_more(last_3)
last_5 = _one_more(last_4)
