"""Connect Four's craft for the solver: wins at once, forced answers, what follow-up play proves, moves in the order of the
threats they make.

Two words, mine and theirs, with the columns of `randori.games.connect4.rules`: seven bits each, the lowest square first, the
seventh always empty. A *threat* of a side is an empty square where a stone of its would make four. Rows count from one, as
people count them: the second, fourth and sixth are even.
"""

import numpy as np

from randori.core.game import Game
from randori.games.connect4.fours import four
from randori.kernels.bits import U0, U1, lowest, popcount
from randori.kernels.compile import inner, kernel
from randori.kernels.solver import ADVANCE, OPEN, SETTLED, Craft, search_with

_BOTTOM = np.uint64(sum(1 << 7 * column for column in range(7)))
_BOARD = np.uint64(sum(0b111111 << 7 * column for column in range(7)))
_ODD_ROWS = np.uint64(sum(0b010101 << 7 * column for column in range(7)))
_EVEN_ROWS = np.uint64(sum(0b101010 << 7 * column for column in range(7)))
_COLUMNS = np.array([0b111111 << 7 * column for column in range(7)], np.uint64)
_SQUARES = 42
_LATE = 22  # stones; tried with 18 and 26 as well


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
def _follow_up(mine, theirs, alpha, least):
    """What is proved if a side puts each stone on top of the other side's last; `least` is a win with the board's last square.

    A side that can do so wherever the other plays fills all empty squares of even rows, and the other those of odd rows.
    Whoever has no four on all squares that it may get cannot win.
    """
    occupied = mine | theirs
    empty = _BOARD & ~occupied
    # The landing squares of the columns with an odd number of empty squares.
    uneven = (occupied + _BOTTOM) & _EVEN_ROWS
    others = uneven & (uneven - U1)
    if uneven == U0:
        if alpha >= -least and not four(mine | (empty & _ODD_ROWS)):
            if four(theirs | (empty & _EVEN_ROWS)):
                return SETTLED, -least
            if alpha >= 0:
                return SETTLED, 0
    elif others == U0:
        # My stone there makes all columns even, and I am the one who follows.
        if alpha < least and not four(theirs | (empty & _ODD_ROWS)):
            if four(mine | (empty & _EVEN_ROWS)):
                return SETTLED, least
            if alpha < 0:
                return SETTLED, 0
        if alpha >= -least and _runs_out_of_moves(mine, theirs, uneven):
            return SETTLED, -least
    elif alpha >= 0 and others & (others - U1) == U0:
        # They follow, and take one of two uneven columns when I take the other.
        squares = mine | (empty & _ODD_ROWS)
        if not four(squares | others) and not four(squares | (uneven ^ others)):
            return SETTLED, 0
    return OPEN, 0


@inner
def _runs_out_of_moves(mine, theirs, landing):
    """Whether they win by following me, since the only column with an odd number of empty squares has a threat of theirs in
    an odd row: at last I have to play below it."""
    occupied = mine | theirs
    column = _COLUMNS[lowest(landing) // 7]
    goal = _threats(theirs, occupied) & column & _ODD_ROWS
    if goal == U0:
        return False
    below = ((goal & (U0 - goal)) - U1) & column & _EVEN_ROWS
    return not four(mine | (~occupied & ((_ODD_ROWS & ~column) | below)))


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
    if alpha < 4 - top:
        return SETTLED, 4 - top
    return _follow_up(mine, theirs, alpha, top - (_SQUARES - popcount(occupied)))


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


@inner
def _mirrored(word):
    """The columns in the opposite order, the seventh bits too."""
    mirrored = U0
    for column in range(7):
        bits = (word >> np.uint64(7 * column)) & np.uint64(0b1111111)
        mirrored |= bits << np.uint64(7 * (6 - column))
    return mirrored


@inner
def number(position):
    """In each column the highest bit is the landing square, and the bits below it are the stones of mine."""
    occupied = position[0] | position[1]
    straight = position[0] | (occupied + _BOTTOM)
    mirrored = _mirrored(straight)
    return min(straight, mirrored), mirrored < straight, popcount(occupied) >= _LATE


_search_on = search_with(settle, expand, number)


@kernel(ADVANCE)
def advance(rules, search, limit):
    return _search_on(rules, search, limit)


def craft(game: Game) -> Craft:
    height, width = game.shape
    bits = [1 << (7 * (square % width) + height - 1 - square // width) for square in range(height * width)]
    no_facts = np.zeros(0, np.uint64)
    return Craft(advance, no_facts, np.array(bits, np.uint64), np.arange(width, dtype=np.int16), numbers=True)
