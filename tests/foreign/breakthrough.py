"""Breakthrough on a board of 5x5: pieces step forward, straight or diagonally, and take diagonally.

Whoever reaches the far row or takes all enemy pieces wins. Three words: mine, theirs, and whose turn it is, since that
tells which way is forward and the pieces alone do not. Bit = square, row by row from the top left:

     0  1  2  3  4        O O O O O
     5  6  7  8  9        O O O O O      X begins and goes up: mine   = bits 15 to 24,
    10 11 12 13 14        . . . . .                            theirs = bits 0 to 9,
    15 16 17 18 19        X X X X X                            word 2 = 0; it is 1 when O, who goes down, is to move
    20 21 22 23 24        X X X X X
"""

import numpy as np

import randori
from randori import DRAW, LOSS, ONGOING, Game, Rules, Steps
from randori.core.turns import mirrored
from randori.kernels.bits import U0, U1, popcount
from randori.kernels.compile import inner

SIZE = 5
N_SQUARES = SIZE * SIZE
PAIRS = tuple(
    (row * SIZE + column, (row + down) * SIZE + column + right)
    for down in (-1, 1)
    for row in range(SIZE)
    for column in range(SIZE)
    for right in (-1, 0, 1)
    if 0 <= row + down < SIZE and 0 <= column + right < SIZE
)
FROM = np.array([begin for begin, _ in PAIRS], np.int64)
TO = np.array([end for _, end in PAIRS], np.int64)
STRAIGHT = np.array([abs(begin - end) == SIZE for begin, end in PAIRS])
HALF = len(PAIRS) // 2  # the first half of the steps goes up
TOP = np.uint64((1 << SIZE) - 1)
BOTTOM = TOP << np.uint64(N_SQUARES - SIZE)
DOWN_SIDE = TOP | TOP << np.uint64(SIZE)
UP_SIDE = BOTTOM | BOTTOM >> np.uint64(SIZE)


@inner
def on(pieces, square):
    return (pieces >> np.uint64(square)) & U1 != U0


@inner
def has_lost(state):
    """Whether the other side has broken through or taken everything."""
    goal = BOTTOM if state[2] == U0 else TOP
    return state[0] == U0 or state[1] & goal != U0


def start(state):
    state[0] = UP_SIDE
    state[1] = DOWN_SIDE
    state[2] = U0


def legal(state, moves):
    moves[0] = U0
    moves[1] = U0
    if has_lost(state):
        return np.int64(0)
    first = HALF if state[2] else 0
    for action in range(first, first + HALF):
        end = TO[action]
        blocked = on(state[0], end) or (STRAIGHT[action] and on(state[1], end))
        if on(state[0], FROM[action]) and not blocked:
            moves[action >> 6] |= U1 << np.uint64(action & 63)
    return popcount(moves[0]) + popcount(moves[1])


def play(state, action):
    begin, end = U1 << np.uint64(FROM[action]), U1 << np.uint64(TO[action])
    mine = (state[0] & ~begin) | end
    state[0] = state[1] & ~end
    state[1] = mine
    state[2] ^= U1


def outcome(state):
    return LOSS if has_lost(state) else ONGOING


def margin(state):
    return LOSS if has_lost(state) else DRAW


def cell(state, square):
    return np.int64(on(state[0], square)) - np.int64(on(state[1], square))


def setup(state, cells):
    return np.int64(0)  # cells do not tell whose turn it is


breakthrough = Game(
    name="breakthrough5",
    title="Breakthrough 5x5",
    shape=(SIZE, SIZE),
    max_plies=70,  # a side has five pieces that can go three rows and five that can go four
    words=3,
    definition=Rules(start, legal, play, outcome, margin, cell, setup),
    layout=Steps(PAIRS),
    symmetry=mirrored,
    fills=False,
    cells_suffice=False,
    rows_from="bottom",
)
randori.register(breakthrough)
