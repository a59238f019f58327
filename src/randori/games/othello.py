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
from numpy.typing import NDArray

from randori.game import Game
from randori.kernels.bits import U0, U1, highest, popcount
from randori.kernels.compile import inner
from randori.kernels.rules import DRAW, LOSS, ONGOING, WIN, Rules


@inner
def _ends(mine, between, step):
    """Squares that end a run of `between` begun at one of `mine`, along both directions of one line.

    A run is at most six long: one square, then doubled twice by shifts of two.
    """
    up = (mine << step) & between
    up |= (up << step) & between
    pairs = between & (between << step)
    up |= (up << (step + step)) & pairs
    up |= (up << (step + step)) & pairs
    down = (mine >> step) & between
    down |= (down >> step) & between
    pairs >>= step
    down |= (down >> (step + step)) & pairs
    down |= (down >> (step + step)) & pairs
    return (up << step) | (down >> step)


@inner
def placements(mine, theirs, size, inside, board):
    """The empty squares where a disc of mine turns at least one of theirs. `inside` leaves out the outer columns."""
    step = np.uint64(size)
    between = theirs & inside
    ends = _ends(mine, theirs, step) | _ends(mine, between, U1)
    ends |= _ends(mine, between, step - U1) | _ends(mine, between, step + U1)
    return ends & board & ~(mine | theirs)


@inner
def flips(mine, theirs, square, rays):
    """The discs that turn when mine is placed on `square`; `rays[square]` holds its eight lines, four upwards in bits.

    Upwards, a carry started at the first square of the line runs through theirs and stops at the first square that
    is not: it flips what it ran over if it stopped at mine. Downwards the highest square that is not theirs stops it.
    """
    turned = U0
    for direction in range(4):
        line = rays[square, direction]
        stop = ((theirs | ~line) + U1) & line & mine
        turned |= (stop - np.uint64(stop != U0)) & line
        line = rays[square, direction + 4]
        stop = (np.uint64(1 << 63) >> np.uint64(highest((line & ~theirs) | U1))) & line & mine
        turned |= (U0 - (stop << U1)) & line
    return turned


def _rays(size: int) -> NDArray[np.uint64]:
    """The lines from each square, `[size * size, 8]`: first the four towards higher bits, then the four opposite."""
    steps = [(0, 1), (1, -1), (1, 0), (1, 1)]
    rays = np.zeros((size * size, 8), np.uint64)
    for square in range(size * size):
        for direction, (down, right) in enumerate(steps + [(-down, -right) for down, right in steps]):
            r, c = square // size + down, square % size + right
            while 0 <= r < size and 0 <= c < size:
                rays[square, direction] |= np.uint64(1 << (r * size + c))
                r, c = r + down, c + right
    return rays


def othello_rules(size: int) -> Rules:
    """The seven rules; they close over numbers and an array only, so that numba can keep them on disk."""
    n_squares = size * size
    board = np.uint64((1 << n_squares) - 1)
    inside = np.uint64(sum(1 << square for square in range(n_squares) if 0 < square % size < size - 1))
    rays = _rays(size)
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
            turned = flips(mine, theirs, action, rays)
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

    return Rules(start, legal, play, outcome, margin, cell, setup)


def othello(size: int) -> Game:
    n_squares = size * size
    return Game(
        name=f"othello{size}",
        title=f"Othello {size}x{size}",
        shape=(size, size),
        n_actions=n_squares + 1,
        max_plies=2 * (n_squares - 4),  # every placement may be followed by a pass, never by two
        opening_plies=size,
        symmetry="square",
        has_pass=True,
        words=2,
        definition=othello_rules(size),
    )
