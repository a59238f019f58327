"""Reversi on 4 rows and 6 columns: a disc turns the enemy discs between it and another of its own; most discs win.

Two words, mine and theirs; bit = square = action, row by row from the top left; action 24 is the pass:

       a  b  c  d  e  f
    1  0  1  2  3  4  5        . . . . . .
    2  6  7  8  9 10 11        . . O X . .     X begins: mine   = bits 9 (d2) and 14 (c3),
    3 12 13 14 15 16 17        . . X O . .               theirs = bits 8 (c2) and 15 (d3)
    4 18 19 20 21 22 23        . . . . . .
"""

import numpy as np

import randori
from randori import DRAW, LOSS, ONGOING, WIN, Game, Knowledge, Look, Rules, Squares
from randori.core.turns import turned_as_rectangle
from randori.kernels.bits import U0, U1, popcount
from randori.kernels.compile import inner

HEIGHT, WIDTH = 4, 6
PASS = HEIGHT * WIDTH


@inner
def run(mine, theirs, square, down, right):
    """The enemy discs that a disc on `square` turns in one direction."""
    row, column = square // WIDTH + down, square % WIDTH + right
    turned = U0
    while 0 <= row < HEIGHT and 0 <= column < WIDTH:
        disc = U1 << np.uint64(row * WIDTH + column)
        if mine & disc:
            return turned
        if not theirs & disc:
            return U0
        turned |= disc
        row += down
        column += right
    return U0


@inner
def turns(mine, theirs, square):
    turned = U0
    for down in range(-1, 2):
        for right in range(-1, 2):
            if down != 0 or right != 0:
                turned |= run(mine, theirs, square, down, right)
    return turned


@inner
def placements(mine, theirs):
    found = U0
    for square in range(PASS):
        disc = U1 << np.uint64(square)
        if not (mine | theirs) & disc and turns(mine, theirs, square):
            found |= disc
    return found


def start(state):
    state[0] = np.uint64(1 << 9 | 1 << 14)
    state[1] = np.uint64(1 << 8 | 1 << 15)


def legal(state, moves):
    moves[0] = placements(state[0], state[1])
    if moves[0] == U0 and placements(state[1], state[0]) != U0:
        moves[0] = U1 << np.uint64(PASS)
    return popcount(moves[0])


def play(state, action):
    mine, theirs = state[0], state[1]
    if action < PASS:
        turned = turns(mine, theirs, action)
        mine |= turned | (U1 << np.uint64(action))
        theirs &= ~turned
    state[0] = theirs
    state[1] = mine


def outcome(state):
    if placements(state[0], state[1]) != U0 or placements(state[1], state[0]) != U0:
        return ONGOING
    discs = popcount(state[0]) - popcount(state[1])
    return WIN if discs > 0 else LOSS if discs < 0 else DRAW


def margin(state):
    return popcount(state[0]) - popcount(state[1])


def cell(state, square):
    return np.int64((state[0] >> np.uint64(square)) & U1) - np.int64((state[1] >> np.uint64(square)) & U1)


def setup(state, cells):
    state[0] = U0
    state[1] = U0
    for square in range(PASS):
        state[0] |= np.uint64(cells[square] == 1) << np.uint64(square)
        state[1] |= np.uint64(cells[square] == -1) << np.uint64(square)
    return np.int64(1)


reversi = Game(
    name="reversi4x6",
    title="Reversi 4x6",
    shape=(HEIGHT, WIDTH),
    max_plies=2 * (PASS - 4),  # every disc may be followed by a pass, never by two
    words=2,
    definition=Rules(start, legal, play, outcome, margin, cell, setup),
    layout=Squares(passes=True),
    symmetry=turned_as_rectangle,
    counts="discs",
    knowledge=Knowledge(wins_at_once=False, look=Look("discs")),
)
randori.register(reversi)
