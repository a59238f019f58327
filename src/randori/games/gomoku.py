"""Gomoku, freestyle: five or more in a row win. Boards of 9x9, 13x13, 15x15 and 19x19.

Each side has `n = ceil(size * size / 64)` words, bit = square = action, row by row from the top left; mine come first,
then theirs, then one word with the number of stones and, in bit 0, whether the last stone made five:

    size 9, n = 2       word 0     word 1     word 2     word 3     word 4
                        mine       mine       theirs     theirs     2 * stones + five
                        bits 0-63  bits 64-80

     0  1  2 ...  8     row 9 of the move names (they count from the bottom, as players do): a9 = 0, i9 = 8
     9 10 11 ... 17
    72 73 74 ... 80     row 1: a1 = 72, i1 = 80; the centre e5 = 40 is bit 40 of word 0
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from randori.core.features import DEFAULT, PAPER
from randori.core.game import Family, Game
from randori.core.knowledge import Files, HowTo, Knowledge, Look, Rows, bits_in_order
from randori.core.tuples import windows
from randori.core.turns import turned_as_square
from randori.games.rows.candidates import candidates_on
from randori.games.rows.features import line_features, middle_third
from randori.games.rows.knowledge import OpenLines, crossings, first_threats, forced_wins, winning_line
from randori.games.rows.programs import Star
from randori.games.rows.random_play import n_lines, places, play_to_five
from randori.games.rows.remarks import remarks
from randori.kernels.bits import U1, bit, clear, find_empty, on_stack, popcount, swap_halves
from randori.kernels.compile import inner
from randori.kernels.rules import DRAW, LOSS, ONGOING, Rules

_GOMOKU = Family("gomoku", "Gomoku", "gomoku15", ("fiveinarow",))
_LINES = ((0, 1), (1, 0), (1, 1), (1, -1))


@inner
def _run(words, offset, r, c, down, right, size):
    """How many stones, four at most, follow each other from the square next to (r, c) in one direction."""
    length = 0
    r += down
    c += right
    while length < 4 and 0 <= r < size and 0 <= c < size and bit(words, offset + r * size + c):
        length += 1
        r += down
        c += right
    return length


@inner
def makes_five(words, first, square, size, stars):
    """Whether a stone on `square` belongs to five in a row; `words[first]` is the first word of its side.

    Most stones have fewer than five on the nine squares of each line through them: that is counted first, without
    a branch for each square.
    """
    n = stars.shape[2]
    for line in range(4):
        stones = 0
        for w in range(n):
            stones += popcount(words[first + w] & stars[square, line, w])
        if stones >= 5:
            down, right = _LINES[line]
            r, c = square // size, square % size
            ahead = _run(words, 64 * first, r, c, down, right, size)
            if ahead + _run(words, 64 * first, r, c, -down, -right, size) >= 4:
                return True
    return False


def _stars(size: int) -> NDArray[np.uint64]:
    """For each square and line the words that cover the line's squares within distance 4, `[size * size, 4, n]`."""
    stars = np.zeros((size * size, 4, (size * size + 63) // 64), np.uint64)
    for square in range(size * size):
        for line, (down, right) in enumerate(_LINES):
            for distance in range(-4, 5):
                r, c = square // size + distance * down, square % size + distance * right
                if 0 <= r < size and 0 <= c < size:
                    covered = r * size + c
                    stars[square, line, covered >> 6] |= np.uint64(1 << (covered & 63))
    return stars


def gomoku_rules(size: int) -> Rules:
    """The rules; they close over numbers and arrays only, so that numba can keep them on disk."""
    n_squares = size * size
    n = (n_squares + 63) // 64
    status = 2 * n
    stars, everywhere = _stars(size), places(size)
    room = 2 * n_lines.py_func(size)
    last_word = np.uint64((1 << (n_squares - 64 * (n - 1))) - 1)

    def start(state):
        clear(state, status + 1)

    def legal(state, moves):
        if state[status] & U1:
            clear(moves, n)
            return np.int64(0)
        find_empty(state, n, n, last_word, moves)
        return n_squares - np.int64(state[status] >> U1)

    def play(state, action):
        state[action >> 6] |= U1 << np.uint64(action & 63)
        five = makes_five(state, 0, action, size, stars)
        swap_halves(state, n)
        state[status] += np.uint64(3) if five else np.uint64(2)

    def margin(state):
        return LOSS if state[status] & U1 else DRAW

    def outcome(state):
        if state[status] & U1:
            return LOSS
        return DRAW if state[status] >> U1 == np.uint64(n_squares) else ONGOING

    def cell(state, square):
        return np.int64(bit(state, square)) - np.int64(bit(state, 64 * n + square))

    def setup(state, cells):
        clear(state, status + 1)
        ahead = 0
        for square in range(n_squares):
            stone = U1 << np.uint64(square & 63)
            if cells[square] == 1:
                state[square >> 6] |= stone
                ahead -= 1
            elif cells[square] == -1:
                state[n + (square >> 6)] |= stone
                ahead += 1
            state[status] += np.uint64(2 * (cells[square] != 0))
        for square in range(n_squares):
            if cells[square] == 1 and makes_five(state, 0, square, size, stars):
                return np.int64(0)
            if cells[square] == -1 and makes_five(state, n, square, size, stars):
                state[status] |= U1
        return np.int64(ahead == 0 or ahead == 1)

    def finish(state, stream):
        if state[status] & U1:
            return np.int64(0)
        lines, left = on_stack(np.uint32, room), on_stack(np.uint16, n_squares)
        plies, five = play_to_five(state, n, size, everywhere, lines, left, stream)
        state[status] += np.uint64(2 * plies + five)
        return np.int64(plies)

    return Rules(start, legal, play, outcome, margin, cell, setup, finish)


def gomoku(size: int) -> Game:
    n_squares = size * size
    return Game(
        name=f"gomoku{size}",
        title=f"Gomoku {size}x{size}",
        shape=(size, size),
        max_plies=n_squares,
        symmetry=turned_as_square,
        rows_from="bottom",
        words=2 * ((n_squares + 63) // 64) + 1,
        definition=gomoku_rules(size),
        kind=_GOMOKU,
        knowledge=_knowledge(size),
    )


def _stars_of_the_board(size: int) -> tuple[int, ...]:
    edge = 2 if size < 13 else 3
    marks = (edge, size // 2, size - 1 - edge) if size % 2 else (edge, size - 1 - edge)
    return tuple(row * size + column for row in marks for column in marks)


def _how_to_play(size: int) -> HowTo:
    centre = size * (size // 2) + size // 2
    black = [centre + step for step in (0, 1, -1, 2, -2)]
    white = [centre - size, centre + size + 1, centre - size - 1, centre + size - 1]
    return HowTo(
        (
            "You take turns to put a stone on a free point; black begins. Stones stay where they are.",
            "Whoever first has five or more stones in a row, across, down or diagonally, wins.",
            "If the board is full and nobody has five in a row, the game is a draw.",
        ),
        example=(*(it for pair in zip(black, white, strict=False) for it in pair), black[-1]),
        caption="Black has five in a row and wins.",
    )


def _knowledge(size: int) -> Knowledge:
    return Knowledge(
        bits=bits_in_order(size * size, -(-size * size // 64)),
        tuples=lambda game: tuple(it for length in (5, 7) for it in windows(game, length)),
        shifted=True,
        places=True,
        candidates=candidates_on(size),
        preferences=crossings,
        evaluator=OpenLines,
        program=Star,
        features=lambda game: line_features(game, middle_third(game), (PAPER, DEFAULT)),
        forced_wins=forced_wins,
        first_threats=first_threats,
        remarks=remarks,
        rows=Rows(5, anywhere=True),
        winning_line=partial(winning_line, 5),
        how_to_play=_how_to_play(size),
        look=Look("stones", stars=_stars_of_the_board(size)),
        files=Files(sgf=4),
        protocols=frozenset({"gomocup"}),
    )
