"""What is known of games of stones in a row: where lines cross, what open lines are worth, which wins threats force."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from randori.core.evaluation import Evaluation
from randori.core.game import Actions, Game, States
from randori.core.knowledge import Rows
from randori.core.layout import Columns
from randori.games.rows import lines, patterns, threats

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


@dataclass(frozen=True)
class OpenLines:
    """Windows that one side alone can still fill, counted by their stones."""

    game: Game

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        k = rows_of(self.game).length
        counts = np.empty((len(states), 2, k + 1), np.int64)
        lines.count_windows(self.game.cells(states), k, counts)
        weights = 4.0 ** np.arange(k + 1) - 1.0
        # The side to move is half a stone ahead of what the board shows.
        score = (counts[:, 0] * 1.5 - counts[:, 1]) @ weights
        return Evaluation(np.tanh(score / 4.0**k))


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
