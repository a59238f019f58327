"""Connect Four.

Two words, mine and theirs. A column has seven bits, its lowest square first; the seventh bit stays empty, so that a
shift never runs from one column into the next:

     6 13 20 27 34 41 48   <- always empty        . . . . . . .
     5 12 19 26 33 40 47   <- top row             . . . . . . .
     4 11 18 25 32 39 46                          . . . . . . .
     3 10 17 24 31 38 45                          . . . X . . .
     2  9 16 23 30 37 44                          . . . O . . .
     1  8 15 22 29 36 43                          . . . X . . .      after 4, 4, 4: O to move,
     0  7 14 21 28 35 42                          (rows 0-2)         mine = bit 22, theirs = bits 21 and 23

The drawing on the right shows the three lowest rows only. An action is a column, 0 to 6.
"""

from functools import partial
from pathlib import Path

import numpy as np

from randori.core.features import DEFAULT, PAPER
from randori.core.game import Family, Game
from randori.core.knowledge import HowTo, Knowledge, KnownOutcomes, Look, Rows
from randori.core.layout import Columns
from randori.core.tuples import distinct, lines
from randori.core.turns import mirrored
from randori.games.connect4.craft import craft
from randori.games.connect4.fours import four
from randori.games.connect4.lanes import lanes
from randori.games.rows.features import line_features, middle_third
from randori.games.rows.knowledge import OpenLines, crossings, winning_line
from randori.games.rows.programs import WinBlockCentre
from randori.games.rows.remarks import remarks
from randori.kernels.bits import U0, U1, next_word, nth_bit, popcount, random_below, split
from randori.kernels.compile import inner
from randori.kernels.rules import DRAW, LOSS, ONGOING, Rules

_HEIGHT, _WIDTH = 6, 7
_BITS = np.array([7 * column + row for row in reversed(range(_HEIGHT)) for column in range(_WIDTH)])
_BOTTOM = np.uint64(sum(1 << 7 * column for column in range(_WIDTH)))
_TOP = np.uint64(int(_BOTTOM) << (_HEIGHT - 1))
_BOARD = np.uint64(int(_BOTTOM) * 0b111111)
# Bit 7k of a word, multiplied by this, lands on bit 42 + k, and no two products share a bit: the bottom bits of
# the seven columns come to lie side by side.
_GATHER = np.uint64(sum(1 << (42 - 6 * column) for column in range(_WIDTH)))


def start(state):
    state[0] = U0
    state[1] = U0


def legal(state, moves):
    if four(state[1]):
        moves[0] = U0
        return 0
    open_columns = (~(state[0] | state[1]) & _TOP) >> np.uint64(_HEIGHT - 1)
    moves[0] = ((open_columns * _GATHER) >> np.uint64(42)) & np.uint64(0b1111111)
    return popcount(open_columns)


def play(state, action):
    # Adding a bottom bit carries through the filled squares of its column to the lowest empty one.
    occupied = state[0] | state[1]
    column = np.uint64(0b111111) << np.uint64(7 * action)
    stone = (occupied + (U1 << np.uint64(7 * action))) & column & ~occupied
    mine = state[0] | stone
    state[0] = state[1]
    state[1] = mine


def outcome(state):
    if four(state[1]):
        return LOSS
    return DRAW if (state[0] | state[1]) & _TOP == _TOP else ONGOING


def margin(state):
    return LOSS if four(state[1]) else DRAW


@inner
def _bit(square):
    """The bit of a square counted row by row from the top left."""
    return np.uint64(7 * (square % _WIDTH) + _HEIGHT - 1 - square // _WIDTH)


def cell(state, square):
    return np.int64((state[0] >> _bit(square)) & U1) - np.int64((state[1] >> _bit(square)) & U1)


def setup(state, cells):
    mine, theirs = U0, U0
    for square in range(_HEIGHT * _WIDTH):
        mine |= np.uint64(cells[square] == 1) << _bit(square)
        theirs |= np.uint64(cells[square] == -1) << _bit(square)
    occupied = mine | theirs
    floating = occupied & ~_BOTTOM & ~(occupied << U1)
    state[0] = mine
    state[1] = theirs
    ahead = popcount(theirs) - popcount(mine)
    return np.int64(floating == U0 and (ahead == 0 or ahead == 1) and not four(mine))


def finish(state, stream):
    """Columns are never named: the squares where a stone comes to rest are in their order.

    Most plies of random games find every column open. Which of them is drawn then without looking at the position, which
    a processor would wait for.
    """
    mine, theirs = state[0], state[1]
    plies, word, over = 0, U0, four(theirs)
    while not over and (mine | theirs) & _TOP == U0:
        if plies & 7 == 0:  # a word is enough for eight columns: 7**8 is small beside 2**64
            word = next_word(stream)
        column, word = split(word, _WIDTH)
        mine, theirs = theirs, mine | nth_bit((mine | theirs) + _BOTTOM, column)
        plies += 1
        over = four(theirs)
    while not over:
        drops = ((mine | theirs) + _BOTTOM) & _BOARD
        if drops == U0:
            break
        mine, theirs = theirs, mine | nth_bit(drops, random_below(stream, popcount(drops)))
        plies += 1
        over = four(theirs)
    state[0] = mine
    state[1] = theirs
    return plies


def connect4() -> Game:
    return Game(
        name="connect4",
        title="Connect Four",
        shape=(_HEIGHT, _WIDTH),
        layout=Columns(),
        max_plies=_HEIGHT * _WIDTH,
        symmetry=mirrored,
        words=2,
        definition=Rules(start, legal, play, outcome, margin, cell, setup, finish),
        kind=Family("connect4", "Connect Four", "connect4", ("connect",)),
        knowledge=_knowledge(),
    )


def tuples(game: Game) -> tuple[tuple[int, ...], ...]:
    """Lines, and all windows of 4x2 and 2x4 squares."""
    square = np.arange(_HEIGHT * _WIDTH).reshape(_HEIGHT, _WIDTH)
    windows = []
    for rows, columns in ((4, 2), (2, 4)):
        found = np.lib.stride_tricks.sliding_window_view(square, (rows, columns)).reshape(-1, rows * columns)
        windows += [tuple(map(int, it)) for it in found]
    return distinct(game, [*lines(game), *windows])


_HOW_TO_PLAY = HowTo(
    (
        "You take turns to drop a disc into a column, where it falls to the lowest free place; red begins.",
        "Whoever first has four discs in a row, across, down or diagonally, wins.",
        "If the board is full and nobody has four in a row, the game is a draw.",
    ),
    example=(3, 3, 4, 4, 2, 2, 5),
    caption="Red has four in a row and wins.",
)


def _knowledge() -> Knowledge:
    return Knowledge(
        tuples=tuples,
        bits=_BITS + np.array([[0], [64]]),
        preferences=crossings,
        evaluator=OpenLines,
        program=WinBlockCentre,
        features=lambda game: line_features(game, middle_third(game), (PAPER, DEFAULT)),
        craft=craft,
        lanes=lanes,
        reach=30,
        repertoire=Path(__file__).with_name("repertoire.json"),
        outcomes=KnownOutcomes(8, Path(__file__).with_name("outcomes.json")),
        exam=(12, 28),
        remarks=remarks,
        rows=Rows(4, anywhere=False),
        winning_line=partial(winning_line, 4),
        how_to_play=_HOW_TO_PLAY,
        look=Look("drop", ("red", "yellow")),
        agents=("player_0", "player_1"),
    )
