"""Threat search for any player that scores the squares of a game of stones in a row."""

from functools import cache

import numpy as np

from randori.errors import UserError
from randori.game import Actions, Floats, Game, States
from randori.kernels import patterns, threats
from randori.players.stones import check_game

CANDIDATES = 20
"""How many of its best moves a player with threat search tries before it gives up finding a safe one."""


@cache
def line_tables(game: Game) -> patterns.Lines:
    """The tables of the game's lines. Raises UserError where the game is of another kind."""
    k = check_game(game)
    n = 2 * (k - 1)
    classes_of_patterns = np.zeros(3**n, np.uint8)
    patterns.classify_patterns(k, classes_of_patterns)
    of_keys, classes = np.zeros((2, 4**n), np.int16), np.zeros((2, 4**n), np.uint8)
    patterns.tabulate_keys(k, classes_of_patterns, of_keys, classes)
    size = game.shape[0]
    rows, columns = np.divmod(np.arange(size * size), size)
    places = (rows + k - 1) * (size + n) + columns + k - 1
    return patterns.Lines(size, k, places, of_keys, classes)


def choose_with_threats(game: Game, states: States, scores: Floats, nodes: int, rng: np.random.Generator) -> Actions:
    """A win that threats force, or the best scored action after which the other side has none; equals by lot."""
    # Less than any difference that means something, so that only equals change places.
    lot = scores + 1e-9 * rng.random(scores.shape)
    actions = np.empty(len(states), np.int16)
    threats.choose_by_threats(line_tables(game), game.cells(states), lot, nodes, CANDIDATES, actions)
    return actions


def find_wins(game: Game, states: States, nodes: int) -> Actions:
    """`[B]`: the first action of a win that fours and open threes force for the side to move; -1: none found."""
    actions = np.empty(len(states), np.int16)
    threats.find_wins(line_tables(game), game.cells(states), nodes, actions)
    return actions


def check_search(nodes: int) -> None:
    if nodes < 1:
        raise UserError(f"A threat search needs at least one node, not {nodes}.")
