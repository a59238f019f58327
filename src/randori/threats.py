"""Wins that fours and open threes force, in games of stones in a row."""

from functools import cache

import numpy as np

from randori.errors import UserError
from randori.game import Actions, Game, States
from randori.kernels import patterns, threats


def has_threats(game: Game) -> bool:
    """Whether stones in a row win on a square board where a stone may go anywhere."""
    rows, columns = game.shape
    return game.in_a_row is not None and rows == columns and game.n_actions == rows * columns


@cache
def line_tables(game: Game) -> patterns.Lines:
    """The tables of the game's lines. Raises UserError where the game is of another kind."""
    k = game.in_a_row
    if k is None or not has_threats(game):
        raise UserError(f"{game.title} has no threats of stones in a row to search; choose Tic-Tac-Toe or Gomoku.")
    n = 2 * (k - 1)
    classes_of_patterns = np.zeros(3**n, np.uint8)
    patterns.classify_patterns(k, classes_of_patterns)
    of_keys, classes = np.zeros((2, 4**n), np.int16), np.zeros((2, 4**n), np.uint8)
    patterns.tabulate_keys(k, classes_of_patterns, of_keys, classes)
    size = game.shape[0]
    rows, columns = np.divmod(np.arange(size * size), size)
    places = (rows + k - 1) * (size + n) + columns + k - 1
    return patterns.Lines(size, k, places, of_keys, classes)


def check_threats(game: Game, nodes: int) -> None:
    """Raises UserError unless so many nodes can be searched for threats; none always can."""
    if nodes < 0:
        raise UserError(f"A threat search has a number of nodes, 0 for none, not {nodes}.")
    if nodes:
        line_tables(game)


def find_wins(game: Game, states: States, nodes: int) -> Actions:
    """`[B]`: the first action of a win that fours and open threes force for the side to move; -1: none found.

    Each search visits at most so many `nodes`; 0: none is made.
    """
    actions = np.full(len(states), -1, np.int16)
    if nodes:
        threats.find_wins(line_tables(game), game.cells(states), nodes, actions)
    return actions
