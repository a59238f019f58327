"""Connect Four's craft for the solver: wins at once, forced answers, moves in the order of the threats they make.

Two words, mine and theirs, with the columns of `randori.games.connect4.rules`: seven bits each, the lowest square first, the
seventh always empty. A *threat* of a side is an empty square where a stone of its would make four.
"""

import numpy as np

from randori.core.game import Game
from randori.kernels.bits import U0, U1, lowest, popcount
from randori.kernels.compile import inner, kernel
from randori.kernels.solver import ADVANCE, OPEN, SETTLED, Craft, search_with

_BOTTOM = np.uint64(sum(1 << 7 * column for column in range(7)))
_BOARD = np.uint64(sum(0b111111 << 7 * column for column in range(7)))
_SQUARES = 42


@inner
def _completes(side, step):
    """Squares `step` apart from three stones of a side, in either direction or between them."""
    two, three = step + step, step + step + step
    above = (side << step) & (side << two)
    below = (side >> step) & (side >> two)
    return (above & ((side << three) | (side >> step))) | (below & ((side >> three) | (side << step)))


@inner
def _threats(side, occupied):
    upwards = (side << U1) & (side << np.uint64(2)) & (side << np.uint64(3))
    found = upwards | _completes(side, np.uint64(6)) | _completes(side, np.uint64(7)) | _completes(side, np.uint64(8))
    return found & _BOARD & ~occupied


@inner
def _sound(mine, theirs):
    """The squares where a stone of mine does not let the other side win at once, as far as there are any."""
    occupied = mine | theirs
    danger = _threats(theirs, occupied)
    landing = (occupied + _BOTTOM) & _BOARD
    forced = landing & danger
    if forced & (forced - U1) != U0:
        return U0
    if forced != U0:
        landing = forced
    return landing & ~(danger >> U1)


@inner
def settle(position, facts, alpha, top):
    mine, theirs = position[0], position[1]
    occupied = mine | theirs
    if _threats(mine, occupied) & (occupied + _BOTTOM) != U0:
        return SETTLED, top - 1
    if _sound(mine, theirs) == U0:
        return SETTLED, 2 - top
    # Two stones more and nobody can have won: I could not, and my stone leaves the other no win.
    if popcount(occupied) >= _SQUARES - 2:
        return SETTLED, 0
    if alpha >= top - 3:
        return SETTLED, top - 3
    return SETTLED if alpha < 4 - top else OPEN, 4 - top


@inner
def expand(position, facts, children, actions, order):
    """The sound moves; there are some wherever `settle` left the position open."""
    mine, theirs = position[0], position[1]
    n = 0
    left = _sound(mine, theirs)
    occupied = mine | theirs
    while left != U0:
        stone = left & (U0 - left)
        left ^= stone
        column = lowest(stone) // 7
        actions[n] = column
        # Among equals the middle comes first.
        order[n] = 8 * popcount(_threats(mine | stone, occupied)) - abs(column - 3)
        children[2 * n] = theirs
        children[2 * n + 1] = mine | stone
        n += 1
    return n, 0


_search_on = search_with(settle, expand)


@kernel(ADVANCE)
def advance(rules, search, limit):
    return _search_on(rules, search, limit)


def craft(game: Game) -> Craft:
    height, width = game.shape
    bits = [1 << (7 * (square % width) + height - 1 - square // width) for square in range(height * width)]
    no_facts = np.zeros(0, np.uint64)
    return Craft(advance, no_facts, np.array(bits, np.uint64), np.arange(width, dtype=np.int16))
