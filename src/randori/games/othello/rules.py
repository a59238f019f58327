"""Othello on 8x8, 6x6 and 4x4 boards.

Two words, mine and theirs; bit = square = action, row by row from the top left. On the 8x8 board:

       a  b  c  d  e  f  g  h
    1  0  1  2  3  4  5  6  7        . . . . . . . .
    2  8  9 10 11 12 13 14 15        . . . . . . . .
    3 16 17 18 19 20 21 22 23        . . . . . . . .
    4 24 25 26 27 28 29 30 31        . . . O X . . .     Black (X) begins: mine   = bits 28 (e4) and 35 (d5),
    5 32 33 34 35 36 37 38 39        . . . X O . . .                       theirs = bits 27 (d4) and 36 (e5)
    6 40 41 42 43 44 45 46 47        . . . . . . . .
    7 48 49 50 51 52 53 54 55        . . . . . . . .
    8 56 57 58 59 60 61 62 63        . . . . . . . .

The last action, size * size, is the pass; it is legal exactly when nothing else is and the other side can move.
"""

import numpy as np

from randori.core.game import Family, Game
from randori.core.layout import Squares
from randori.core.turns import turned_as_square
from randori.games.othello.discs import flips, placements, rays
from randori.games.othello.knowledge import knowledge
from randori.games.othello.random_play import play_to_the_end
from randori.kernels.bits import U0, U1, popcount
from randori.kernels.rules import DRAW, LOSS, ONGOING, WIN, Rules

_OTHELLO = Family("othello", "Othello", "othello8", ("reversi",))


def othello_rules(size: int) -> Rules:
    """The rules; they close over numbers and an array only, so that numba can keep them on disk."""
    n_squares = size * size
    board = np.uint64((1 << n_squares) - 1)
    inside = np.uint64(sum(1 << square for square in range(n_squares) if 0 < square % size < size - 1))
    lines = rays(size)
    # The two middle squares of the upper middle row are o + 0 and o + 1, those below o + size and o + size + 1.
    corner = (size // 2 - 1) * (size + 1)
    black = np.uint64((1 << (corner + 1)) | (1 << (corner + size)))
    white = np.uint64((1 << corner) | (1 << (corner + size + 1)))

    def start(state):
        state[0] = black
        state[1] = white

    def legal(state, moves):
        squares = placements(state[0], state[1], size, inside, board)
        can_pass = squares == U0 and placements(state[1], state[0], size, inside, board) != U0
        if n_squares < 64:
            moves[0] = squares | (np.uint64(can_pass) << np.uint64(n_squares))
        else:
            moves[0] = squares
            moves[1] = np.uint64(can_pass)
        return np.int64(1) if can_pass else popcount(squares)

    def play(state, action):
        mine, theirs = state[0], state[1]
        if action < n_squares:
            turned = flips(mine, theirs, action, lines)
            mine ^= turned | (U1 << np.uint64(action))
            theirs ^= turned
        state[0] = theirs
        state[1] = mine

    def margin(state):
        return popcount(state[0]) - popcount(state[1])

    def outcome(state):
        if placements(state[0], state[1], size, inside, board) != U0:
            return ONGOING
        if placements(state[1], state[0], size, inside, board) != U0:
            return ONGOING
        discs = popcount(state[0]) - popcount(state[1])
        return WIN if discs > 0 else LOSS if discs < 0 else DRAW

    def cell(state, square):
        return np.int64((state[0] >> np.uint64(square)) & U1) - np.int64((state[1] >> np.uint64(square)) & U1)

    def setup(state, cells):
        mine, theirs = U0, U0
        for square in range(n_squares):
            mine |= np.uint64(cells[square] == 1) << np.uint64(square)
            theirs |= np.uint64(cells[square] == -1) << np.uint64(square)
        state[0] = mine
        state[1] = theirs
        return np.int64(1)

    def finish(state, stream):
        return play_to_the_end(state, stream, size, inside, board, lines)

    return Rules(start, legal, play, outcome, margin, cell, setup, finish)


def othello(size: int) -> Game:
    n_squares = size * size
    return Game(
        name=f"othello{size}",
        title=f"Othello {size}x{size}",
        shape=(size, size),
        layout=Squares(passes=True),
        max_plies=2 * (n_squares - 4),  # every placement may be followed by a pass, never by two
        opening_plies=size,
        symmetry=turned_as_square,
        counts="discs",
        words=2,
        definition=othello_rules(size),
        kind=_OTHELLO,
        knowledge=knowledge(size),
    )
