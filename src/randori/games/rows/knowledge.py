"""What is known of games of stones in a row: where lines cross, what open lines are worth, which wins threats force."""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.core.evaluation import Evaluation, values_by
from randori.core.game import Actions, Game, States
from randori.core.knowledge import Rows, words_apart, words_of
from randori.core.layout import Columns
from randori.games.rows import lines, patterns, threats
from randori.games.rows.first_threats import OPEN, WINS, judge_firsts
from randori.kernels.judges import Judge, judge_with

_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def rows_of(game: Game) -> Rows:
    """Of a game that has them."""
    assert game.knowledge.rows is not None
    return game.knowledge.rows


def crossings(game: Game) -> NDArray[np.float64]:
    """`[A]`: how many winning lines run through the square, or the column, of each action."""
    k = rows_of(game).length
    through = np.empty((1, *game.shape), np.float64)
    empty = np.zeros((1, *game.shape), np.int8)
    ones = np.ones(k)
    lines.star_scores(empty, k, ones, 0 * ones, through)
    by_column = isinstance(game.layout, Columns)
    return np.asarray(through[0].sum(axis=0) if by_column else through[0].reshape(-1))


def _windows(game: Game, down: int, right: int) -> NDArray[np.int64]:
    """`[windows, k]`: the squares of each window in this direction."""
    (height, width), k = game.shape, rows_of(game).length
    rows, columns = np.divmod(np.arange(game.n_squares), width)
    last_rows, last_columns = rows + (k - 1) * down, columns + (k - 1) * right
    fits = (last_rows < height) & (last_columns >= 0) & (last_columns < width)
    return np.flatnonzero(fits)[:, None] + np.arange(k) * (down * width + right)


class _Windows(NamedTuple):
    """Where windows lie among the bits of a state, as the judge takes it."""

    shifts: NDArray[np.int64]
    starts: NDArray[np.uint64]
    n_words: int
    theirs: int
    asks: bool


def _windows_among(game: Game, bits: NDArray[np.int64], theirs: int, asks: bool) -> _Windows | None:
    """None where bits of neighbours are not equally far apart all over the board."""
    n_words = int(bits.max()) // 64 + 1
    shifts, starts = np.ones(len(_DIRECTIONS), np.int64), np.zeros((len(_DIRECTIONS), n_words), np.uint64)
    for number, direction in enumerate(_DIRECTIONS):
        places = np.sort(bits[_windows(game, *direction)], axis=1)
        if not len(places):
            continue  # the board is too narrow
        shifts[number] = places[0, 1] - places[0, 0]
        if (np.diff(places, axis=1) != shifts[number]).any():
            return None
        first = words_of(places[:, 0])
        starts[number, : len(first)] = first
    return _Windows(shifts, starts, n_words, theirs, asks)


def _windows_of_states(game: Game) -> _Windows:
    """Among the bits that the game tells of; else of a board in order, which the judge fills square by square."""
    bits = game.knowledge.bits
    apart = None if bits is None else words_apart(bits)
    told = None if bits is None or apart is None else _windows_among(game, bits[0], apart, asks=False)
    found = told or _windows_among(game, np.arange(game.n_squares), theirs=0, asks=True)
    assert found is not None
    return found


@cache
def _judge(game: Game) -> Judge:
    k = rows_of(game).length
    if not 1 < k <= lines.MOST_STONES:
        raise ValueError(f"{game.title}: {k} stones in a row are not 2 to {lines.MOST_STONES}.")
    by_stones = 4.0 ** np.arange(k + 1) - 1.0
    # The side to move is half a stone ahead of what the board shows.
    return judge_with(lines.open_lines, k, 1.5 * by_stones, -by_stones, *_windows_of_states(game), game.rules)


@dataclass(frozen=True)
class OpenLines:
    """Windows that one side alone can still fill, counted by their stones."""

    game: Game

    @property
    def judge(self) -> Judge:
        return _judge(self.game)

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        return Evaluation(values_by(self.judge, states))


@cache
def line_tables(game: Game) -> patterns.Lines:
    """The tables of the lines of a game in which stones may go anywhere."""
    k, size = rows_of(game).length, game.shape[0]
    n = 2 * (k - 1)
    classes_of_patterns = np.zeros(3**n, np.uint8)
    patterns.classify_patterns(k, classes_of_patterns)
    of_keys, classes = np.zeros((2, 4**n), np.int16), np.zeros((2, 4**n), np.uint8)
    patterns.tabulate_keys(k, classes_of_patterns, of_keys, classes)
    rows, columns = np.divmod(np.arange(size * size), size)
    places = (rows + k - 1) * (size + n) + columns + k - 1
    return patterns.Lines(size, k, places, of_keys, classes)


def forced_wins(game: Game, states: States, nodes: int) -> Actions:
    """`[B]`: the first action of a win that fours and open threes force for the side to move; -1: none found."""
    actions = np.full(len(states), -1, np.int16)
    threats.find_wins(line_tables(game), game.cells(states), nodes, actions)
    return actions


def first_threats(game: Game, state: States, nodes: int, most: int) -> NDArray[np.int8]:
    """`[A]`: on each action a verdict of `first_threats`, by up to so many nodes for each reply.

    The rest is left open once `most` of them win, which little work shows in most positions, or one stays open.
    """
    verdicts = np.full(game.n_squares, OPEN, np.int8)
    for some in (nodes // 100, nodes // 10, nodes):
        judge_firsts(line_tables(game), game.cells(state)[0], some, most, some == nodes, verdicts)
        if (verdicts == WINS).sum() >= most:
            break
    return verdicts


def winning_line(length: int, cells: NDArray[np.int8], square: int) -> list[int]:
    """The row of pieces through a square that is as long as the game asks for."""
    height, width = cells.shape
    row, column = divmod(square, width)
    for down, right in _DIRECTIONS:
        line = [square]
        for sign in (-1, 1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < height and 0 <= c < width and cells[r, c] == cells[row, column]:
                line.insert(0 if sign < 0 else len(line), r * width + c)
                r, c = r + sign * down, c + sign * right
        if len(line) >= length:
            return line
    return []
