"""Othello's craft for the solver: the last disc counted at once, stable discs, moves ordered by mobility and parity.

A board smaller than 8x8 lies in the middle of one. Two words, mine and theirs, have a bit for each of the 64 squares,
row by row from the top left; `board` has those that exist. Squares beside the board are never filled, so that no line
of discs runs over them.
"""

import numpy as np

from randori.core.game import Game
from randori.games.othello.discs import flips, placements, rays
from randori.kernels.bits import U0, U1, lowest, popcount
from randori.kernels.compile import inner, kernel
from randori.kernels.solver import ADVANCE, OPEN, SETTLED, SMALL_AND_OPEN, Craft, search_with

PASS = 64
BOARD, CORNERS = range(2)
"""What `facts` tell: the squares that exist, and those of them that are corners."""

# Up to so many empty squares a look into the table, or at the replies to each move, costs more than it saves.
_FEW = 5
_RAYS = rays(8)
_INSIDE = np.uint64(0x7E7E7E7E7E7E7E7E)
_QUADRANTS = np.array([0x0F0F0F0F, 0xF0F0F0F0, 0x0F0F0F0F << 32, 0xF0F0F0F0 << 32], np.uint64)
_SIDES, _ENDS = np.uint64(0x8181818181818181), np.uint64(0xFF000000000000FF)
# Four directions: across, rising, down, falling; bits from one square to the next, and the squares that lack one.
_STEPS = np.array([1, 7, 8, 9], np.uint64)
_EDGES = np.array([_SIDES, _SIDES | _ENDS, _ENDS, _SIDES | _ENDS], np.uint64)


@inner
def _last_disc(mine, theirs, square):
    """The final margin when `square` alone is empty: mine goes there if it may, else theirs if it may."""
    margin = popcount(mine) - popcount(theirs)
    turned = popcount(flips(mine, theirs, square, _RAYS))
    if turned > 0:
        return margin + 2 * turned + 1
    turned = popcount(flips(theirs, mine, square, _RAYS))
    return margin - 2 * turned - 1 if turned > 0 else margin


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
def _stable_discs(side, empties, board):
    """How many discs of a side can surely never turn.

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
            return popcount(stable)
        stable = grown


@inner
def _odd_quadrants(empties):
    """The quadrants with an odd number of empty squares: who moves there first may move there last."""
    odd = U0
    for i in range(4):
        if popcount(empties & _QUADRANTS[i]) & 1:
            odd |= _QUADRANTS[i]
    return odd


@inner
def settle(position, facts, alpha, top):
    mine, theirs, board, corners = position[0], position[1], facts[BOARD], facts[CORNERS]
    empties = board & ~(mine | theirs)
    if empties & (empties - U1) == U0:
        return SETTLED, _last_disc(mine, theirs, lowest(empties))
    if popcount(empties) <= _FEW:
        return SMALL_AND_OPEN, 0
    # Before they hold a corner hardly any discs are stable.
    if theirs & corners != U0 and popcount(board) - 2 * popcount(theirs) <= alpha:
        bound = popcount(board) - 2 * _stable_discs(theirs, empties, board)
        return SETTLED if bound <= alpha else OPEN, bound
    return OPEN, 0


@inner
def expand(position, facts, children, actions, order):
    mine, theirs, board, corners = position[0], position[1], facts[BOARD], facts[CORNERS]
    empties = board & ~(mine | theirs)
    small = popcount(empties) <= _FEW
    targets = empties if small else placements(mine, theirs, 8, _INSIDE, board)
    odd = _odd_quadrants(empties)
    n = 0
    while targets != U0:
        disc = targets & (U0 - targets)
        targets ^= disc
        turned = flips(mine, theirs, lowest(disc), _RAYS)
        if turned == U0:
            continue
        left, placed = theirs ^ turned, mine ^ (turned | disc)
        actions[n] = lowest(disc)
        children[2 * n] = left
        children[2 * n + 1] = placed
        order[n] = np.int64(disc & odd != U0)
        if not small:
            replies = placements(left, placed, 8, _INSIDE, board)
            order[n] -= 2 * (popcount(replies) + popcount(replies & corners) - np.int64(disc & corners != U0))
        n += 1
    if n > 0:
        return n, 0
    if placements(theirs, mine, 8, _INSIDE, board) == U0:
        return 0, popcount(mine) - popcount(theirs)
    actions[0] = PASS
    order[0] = 0
    children[0] = theirs
    children[1] = mine
    return 1, 0


_search_on = search_with(settle, expand)


@kernel(ADVANCE)
def advance(rules, search, limit):
    return _search_on(rules, search, limit)


def craft(game: Game) -> Craft:
    size = game.shape[0]
    beside = (8 - size) // 2
    squares = [8 * (beside + r) + beside + c for r in range(size) for c in range(size)]
    bits = np.array([1 << square for square in squares], np.uint64)
    board = np.bitwise_or.reduce(bits)
    corners = np.bitwise_or.reduce(bits[[0, size - 1, -size, -1]])
    named = np.full(65, size * size, np.int16)
    named[squares] = np.arange(size * size)
    return Craft(advance, np.array([board, corners], np.uint64), bits, named)
