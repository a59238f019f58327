"""Tic-Tac-Toe.

Two words, mine and theirs; bit = square, row by row from the top left:

    0 1 2        X O .      X to move: mine   = 000 010 001  (squares 0, 4)
    3 4 5        . X .                 theirs = 000 000 010  (square 1; the dots are empty)
    6 7 8        . . .      (bits written from square 8 down to square 0)
"""

from functools import partial

import numpy as np

from randori.core.features import DEFAULT, FeatureSet
from randori.core.game import Game
from randori.core.knowledge import HowTo, Knowledge, Look, Rows, bits_in_order
from randori.core.turns import turned_as_square
from randori.games.rows.features import line_features
from randori.games.rows.knowledge import OpenLines, crossings, forced_wins, winning_line
from randori.games.rows.programs import WinBlockCentre
from randori.games.rows.remarks import remarks
from randori.kernels.bits import U0, U1, popcount
from randori.kernels.compile import inner
from randori.kernels.rules import DRAW, LOSS, ONGOING, Rules

_FULL = np.uint64(0b111_111_111)


@inner
def _three(side):
    """Whether a side holds a row, a column or a diagonal."""
    rows = side & (side >> U1) & (side >> np.uint64(2)) & np.uint64(0b001_001_001)
    columns = side & (side >> np.uint64(3)) & (side >> np.uint64(6))
    falling = side & np.uint64(0b100_010_001) == np.uint64(0b100_010_001)
    rising = side & np.uint64(0b001_010_100) == np.uint64(0b001_010_100)
    return (rows | columns) != U0 or falling or rising


def start(state):
    state[0] = U0
    state[1] = U0


def legal(state, moves):
    if _three(state[1]):
        moves[0] = U0
        return 0
    moves[0] = _FULL & ~(state[0] | state[1])
    return popcount(moves[0])


def play(state, action):
    mine = state[0] | (U1 << np.uint64(action))
    state[0] = state[1]
    state[1] = mine


def outcome(state):
    if _three(state[1]):
        return LOSS
    return DRAW if state[0] | state[1] == _FULL else ONGOING


def margin(state):
    return LOSS if _three(state[1]) else DRAW


def cell(state, square):
    return np.int64((state[0] >> np.uint64(square)) & U1) - np.int64((state[1] >> np.uint64(square)) & U1)


def setup(state, cells):
    mine, theirs = U0, U0
    for square in range(9):
        mine |= np.uint64(cells[square] == 1) << np.uint64(square)
        theirs |= np.uint64(cells[square] == -1) << np.uint64(square)
    state[0] = mine
    state[1] = theirs
    ahead = popcount(theirs) - popcount(mine)
    return np.int64((ahead == 0 or ahead == 1) and not _three(mine))


def tictactoe() -> Game:
    return Game(
        name="tictactoe",
        title="Tic-Tac-Toe",
        shape=(3, 3),
        max_plies=9,
        opening_plies=1,
        symmetry=turned_as_square,
        words=2,
        definition=Rules(start, legal, play, outcome, margin, cell, setup),
        knowledge=_knowledge(),
    )


def _features(game: Game) -> FeatureSet:
    regions = {"edges": [1, 3, 5, 7], "corners": [0, 2, 6, 8], "centre": [4]}
    return line_features(game, regions, (DEFAULT,))


_HOW_TO_PLAY = HowTo(
    (
        "You take turns to mark an empty square; cross begins.",
        "Whoever first has three marks in a row, across, down or diagonally, wins.",
        "If the board is full and nobody has three in a row, the game is a draw.",
    ),
    example=(0, 1, 4, 2, 8),
    caption="Cross has three in a row and wins.",
)


def _knowledge() -> Knowledge:
    return Knowledge(
        bits=bits_in_order(9),
        preferences=crossings,
        evaluator=OpenLines,
        program=WinBlockCentre,
        features=_features,
        forced_wins=forced_wins,
        remarks=remarks,
        rows=Rows(3, anywhere=True),
        winning_line=partial(winning_line, 3),
        how_to_play=_HOW_TO_PLAY,
        look=Look("marks", ("cross", "nought")),
        agents=("player_1", "player_2"),
        transposed=True,
    )
