"""Clobber on 4x6, as somebody else would add it: a piece goes onto a neighbour of the other side, which it takes off the board.

Whoever cannot move has lost. Two words, mine and theirs; bit = square, row by row from the top left.
"""

import numpy as np

import randori
from randori.core.layout import Steps
from randori.core.turns import turned_as_rectangle
from randori.kernels.bits import U0, U1, bit
from randori.kernels.rules import LOSS, ONGOING, Rules

HEIGHT, WIDTH = 4, 6
PAIRS = tuple(
    (row * WIDTH + column, (row + down) * WIDTH + column + right)
    for row in range(HEIGHT)
    for column in range(WIDTH)
    for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0))
    if 0 <= row + down < HEIGHT and 0 <= column + right < WIDTH
)


def rules() -> Rules:
    begins, ends = np.array(PAIRS, np.int64).T.copy()
    n_actions, n_squares = len(PAIRS), HEIGHT * WIDTH
    light = sum(1 << square for square in range(n_squares) if (square // WIDTH + square % WIDTH) % 2 == 0)
    mine_first, theirs_first = np.uint64(light), np.uint64(light ^ (1 << n_squares) - 1)

    def start(state):
        state[0] = mine_first
        state[1] = theirs_first

    def legal(state, moves):
        count = 0
        moves[0] = U0
        moves[1] = U0
        for action in range(n_actions):
            if bit(state, begins[action]) and bit(state, 64 + ends[action]):
                moves[action >> 6] |= U1 << np.uint64(action & 63)
                count += 1
        return np.int64(count)

    def play(state, action):
        target = U1 << np.uint64(ends[action])
        mine = state[0] ^ (U1 << np.uint64(begins[action])) | target
        state[0] = state[1] ^ target
        state[1] = mine

    def outcome(state):
        for action in range(n_actions):
            if bit(state, begins[action]) and bit(state, 64 + ends[action]):
                return ONGOING
        return LOSS

    def margin(state):
        for action in range(n_actions):
            if bit(state, begins[action]) and bit(state, 64 + ends[action]):
                return 0
        return LOSS

    def cell(state, square):
        return np.int64(bit(state, square)) - np.int64(bit(state, 64 + square))

    def setup(state, cells):
        state[0] = U0
        state[1] = U0
        for square in range(n_squares):
            if cells[square] != 0:
                state[0 if cells[square] == 1 else 1] |= U1 << np.uint64(square)
        return np.int64(1)

    return Rules(start, legal, play, outcome, margin, cell, setup)


randori.register(
    randori.Game(
        name="clobber4x6",
        title="Clobber 4x6",
        shape=(HEIGHT, WIDTH),
        max_plies=HEIGHT * WIDTH,
        words=2,
        layout=Steps(PAIRS),
        symmetry=turned_as_rectangle,
        fills=False,
        definition=rules(),
    )
)
