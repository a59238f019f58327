"""Clobber on a board of 5x5: a stone moves onto an enemy stone beside it and takes it; whoever cannot move loses.

Two words, mine and theirs; bit = square, row by row from the top left. X begins with the 13 stones on even squares:

     0  1  2  3  4        X O X O X
     5  6  7  8  9        O X O X O
    10 11 12 13 14        X O X O X        mine   = bits 0, 2, 4, ... 24
    15 16 17 18 19        O X O X O        theirs = bits 1, 3, 5, ... 23
    20 21 22 23 24        X O X O X

An action is a step, from a square to the one on its right, left, below or above, in this order: 80 in all, two words.
"""

import numpy as np

import randori
from randori import DRAW, LOSS, ONGOING, Game, Rules, Steps
from randori.core.turns import turned_as_square
from randori.kernels.bits import U0, U1, popcount
from randori.kernels.compile import inner

SIZE = 5
N_SQUARES = SIZE * SIZE
PAIRS = tuple(
    (row * SIZE + column, (row + down) * SIZE + column + right)
    for row in range(SIZE)
    for column in range(SIZE)
    for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0))
    if 0 <= row + down < SIZE and 0 <= column + right < SIZE
)
FROM = np.array([begin for begin, _ in PAIRS], np.int64)
TO = np.array([end for _, end in PAIRS], np.int64)
N_ACTIONS = len(PAIRS)
EVEN = np.uint64(sum(1 << square for square in range(0, N_SQUARES, 2)))
ODD = np.uint64(sum(1 << square for square in range(1, N_SQUARES, 2)))


@inner
def on(stones, square):
    return (stones >> np.uint64(square)) & U1 != U0


@inner
def takes(mine, theirs, action):
    """Whether a stone of mine stands where the step begins, and one of theirs where it ends."""
    return on(mine, FROM[action]) and on(theirs, TO[action])


@inner
def is_over(mine, theirs):
    count = 0
    for action in range(N_ACTIONS):
        count += takes(mine, theirs, action)
    return count == 0


def start(state):
    state[0] = EVEN
    state[1] = ODD


def legal(state, moves):
    moves[0] = U0
    moves[1] = U0
    for action in range(N_ACTIONS):
        if takes(state[0], state[1], action):
            moves[action >> 6] |= U1 << np.uint64(action & 63)
    return popcount(moves[0]) + popcount(moves[1])


def play(state, action):
    begin, end = U1 << np.uint64(FROM[action]), U1 << np.uint64(TO[action])
    mine = (state[0] & ~begin) | end
    state[0] = state[1] & ~end
    state[1] = mine


def outcome(state):
    return LOSS if is_over(state[0], state[1]) else ONGOING


def margin(state):
    return LOSS if is_over(state[0], state[1]) else DRAW


def cell(state, square):
    return np.int64(on(state[0], square)) - np.int64(on(state[1], square))


def setup(state, cells):
    state[0] = U0
    state[1] = U0
    for square in range(N_SQUARES):
        state[0] |= np.uint64(cells[square] == 1) << np.uint64(square)
        state[1] |= np.uint64(cells[square] == -1) << np.uint64(square)
    return np.int64(1)


clobber = Game(
    name="clobber5",
    title="Clobber 5x5",
    shape=(SIZE, SIZE),
    max_plies=N_SQUARES - 1,  # every move takes a stone, and the last one stays
    words=2,
    definition=Rules(start, legal, play, outcome, margin, cell, setup),
    layout=Steps(PAIRS),
    symmetry=turned_as_square,
    fills=False,
)
randori.register(clobber)
