"""Snort on a board of 5x5: a stone may not touch an enemy stone, and whoever cannot move loses.

Two words, mine and theirs; bit = square = action, row by row from the top left:

       a  b  c  d  e
    1  0  1  2  3  4        . . . . .
    2  5  6  7  8  9        . . . . .
    3 10 11 12 13 14        . . X . .      X has played c3, O has played e5. X is to move:
    4 15 16 17 18 19        . . . . .      mine   = bit 12
    5 20 21 22 23 24        . . . . O      theirs = bit 24, so that X may go neither to e4 (19) nor to d5 (23)
"""

from dataclasses import dataclass

import numpy as np

import randori
from randori import DRAW, LOSS, ONGOING, Evaluation, Family, Game, Knowledge, Look, Rules
from randori.core.turns import turned_as_square
from randori.kernels.bits import U0, U1, popcount
from randori.kernels.compile import inner

SIZE = 5
BOARD = np.uint64((1 << SIZE * SIZE) - 1)
LEFT = np.uint64(sum(1 << row * SIZE for row in range(SIZE)))
RIGHT = np.uint64(sum(1 << row * SIZE + SIZE - 1 for row in range(SIZE)))
ROW = np.uint64(SIZE)


@inner
def beside(stones):
    """The squares that touch one of the stones. A stone in the last column has no neighbour on the right."""
    return (((stones & ~RIGHT) << U1) | ((stones & ~LEFT) >> U1) | (stones << ROW) | (stones >> ROW)) & BOARD


@inner
def open_to(mine, theirs):
    """The squares where the side to move may put a stone."""
    return BOARD & ~(mine | theirs | beside(theirs))


def start(state):
    state[0] = U0
    state[1] = U0


def legal(state, moves):
    moves[0] = open_to(state[0], state[1])
    return popcount(moves[0])


def play(state, action):
    mine = state[0] | (U1 << np.uint64(action))
    state[0] = state[1]
    state[1] = mine


def outcome(state):
    return ONGOING if open_to(state[0], state[1]) != U0 else LOSS


def margin(state):
    return DRAW if open_to(state[0], state[1]) != U0 else LOSS


def cell(state, square):
    return np.int64((state[0] >> np.uint64(square)) & U1) - np.int64((state[1] >> np.uint64(square)) & U1)


def setup(state, cells):
    mine, theirs = U0, U0
    for square in range(SIZE * SIZE):
        mine |= np.uint64(cells[square] == 1) << np.uint64(square)
        theirs |= np.uint64(cells[square] == -1) << np.uint64(square)
    state[0] = mine
    state[1] = theirs
    ahead = popcount(theirs) - popcount(mine)
    return np.int64((ahead == 0 or ahead == 1) and mine & beside(theirs) == U0)


def preferences(game):
    """The middle first: a stone there keeps the enemy away from more squares."""
    rows, columns = np.indices(game.shape)
    return -(abs(rows - (SIZE - 1) / 2) + abs(columns - (SIZE - 1) / 2)).reshape(-1)


@dataclass(frozen=True)
class Freedom:
    """Squares open to me less squares open to them."""

    game: Game

    def __call__(self, states, rng):
        cells = self.game.cells(states)
        mine, theirs = self.open_squares(cells, -1), self.open_squares(cells, 1)
        return Evaluation(np.tanh((mine - theirs) / 5))

    def open_squares(self, cells, enemy):
        """`[B]`: how many empty squares touch no enemy stone."""
        near = np.pad(cells == enemy, ((0, 0), (1, 1), (1, 1)))
        touched = near[:, :-2, 1:-1] | near[:, 2:, 1:-1] | near[:, 1:-1, :-2] | near[:, 1:-1, 2:]
        return ((cells == 0) & ~touched).sum(axis=(1, 2))


snort = Game(
    name="snort5",
    title="Snort 5x5",
    shape=(SIZE, SIZE),
    max_plies=SIZE * SIZE,
    words=2,
    opening_plies=2,
    definition=Rules(start, legal, play, outcome, margin, cell, setup),
    symmetry=turned_as_square,
    kind=Family("snort", "Snort", "snort5", ("catsanddogs",)),
    knowledge=Knowledge(
        preferences=preferences,
        evaluator=Freedom,
        reach=20,
        exam=(12, 20),
        look=Look("stones", stars=(12,)),
    ),
)
randori.register(snort)
