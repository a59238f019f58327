"""Othello's craft for the solver: the last squares, stable discs, moves ordered by mobility and parity.

A board smaller than 8x8 lies in the middle of one. Two words, mine and theirs, have a bit for each of the 64 squares,
row by row from the top left; `board` has those that exist. Squares beside the board are never filled, so that no line
of discs runs over them.
"""

import numpy as np

from randori.core.game import Game
from randori.games.othello.discs import flips, placements
from randori.games.othello.last_squares import RAYS, last_5, odd_quadrants
from randori.games.othello.stability import stable_discs
from randori.kernels.bits import U0, lowest, popcount
from randori.kernels.compile import inner, kernel
from randori.kernels.solver import ADVANCE, LARGE_AND_OPEN, OPEN, SETTLED, SMALL_AND_OPEN, Craft, search_with

PASS = 64
BOARD, CORNERS = range(2)
"""What `facts` tell: the squares that exist, and those of them that are corners."""

_INSIDE = np.uint64(0x7E7E7E7E7E7E7E7E)
# With so many empty squares a position is left to `last_5`: tables and orders cost more there than they save.
_FEW = 5
# From so many on the moves after each reply are counted for the order, and the table is asked for a refutation.
_MANY = 12
_LOCKED = 30  # better than any difference in moves: the other side has to pass


@inner
def settle(position, facts, alpha, top):
    mine, theirs, board, corners = position[0], position[1], facts[BOARD], facts[CORNERS]
    empties = board & ~(mine | theirs)
    n = popcount(empties)
    if n == _FEW:
        return SETTLED, last_5(mine, theirs, empties, alpha)
    if n < _FEW:
        return SMALL_AND_OPEN, 0
    # Before they hold a corner hardly any discs are stable.
    if theirs & corners != U0 and popcount(board) - 2 * popcount(theirs) <= alpha:
        bound = popcount(board) - 2 * popcount(stable_discs(theirs, empties, board))
        if bound <= alpha:
            return SETTLED, bound
    return LARGE_AND_OPEN if n >= _MANY else OPEN, 0


@inner
def _moves_and_corners(mine, theirs, board, corners):
    moves = placements(mine, theirs, 8, _INSIDE, board)
    return popcount(moves) + popcount(moves & corners)


@inner
def _after_replies(mine, theirs, moves, board, corners):
    """How many moves more theirs has than mine after that one of my `moves` which leaves the fewest; _LOCKED without any."""
    least = _LOCKED
    while moves != U0:
        disc = moves & (U0 - moves)
        moves ^= disc
        turned = flips(mine, theirs, lowest(disc), RAYS)
        left, placed = theirs ^ turned, mine ^ (turned | disc)
        more = _moves_and_corners(left, placed, board, corners) - _moves_and_corners(placed, left, board, corners)
        least = min(least, more)
    return least


@inner
def expand(position, facts, children, actions, order):
    mine, theirs, board, corners = position[0], position[1], facts[BOARD], facts[CORNERS]
    empties = board & ~(mine | theirs)
    targets = placements(mine, theirs, 8, _INSIDE, board)
    odd, many, n = odd_quadrants(empties), popcount(empties) >= _MANY, 0
    while targets != U0:
        disc = targets & (U0 - targets)
        targets ^= disc
        turned = flips(mine, theirs, lowest(disc), RAYS)
        left, placed = theirs ^ turned, mine ^ (turned | disc)
        actions[n] = lowest(disc)
        children[2 * n] = left
        children[2 * n + 1] = placed
        replies = placements(left, placed, 8, _INSIDE, board)
        freedom = popcount(replies) + popcount(replies & corners)
        order[n] = np.int64(disc & odd != U0) + 2 * np.int64(disc & corners != U0) - 2 * freedom
        if many:
            order[n] += _after_replies(left, placed, replies, board, corners)
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
