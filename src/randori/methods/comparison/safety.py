"""Threat search for players that score the squares of a game of stones in a row."""

import numpy as np

from randori.core.game import Actions, Floats, Game, States
from randori.games.rows import threats
from randori.games.rows.knowledge import line_tables

CANDIDATES = 20
"""How many of its best moves a player with threat search tries before it gives up finding a safe one."""


def choose_safely(game: Game, states: States, scores: Floats, nodes: int, rng: np.random.Generator) -> Actions:
    """A win that threats force, or the best scored action after which the other side has none; equals by lot."""
    # Less than any difference that means something, so that only equals change places.
    lot = scores + 1e-9 * rng.random(scores.shape)
    actions = np.empty(len(states), np.int16)
    threats.choose_by_threats(line_tables(game), game.cells(states), lot, nodes, CANDIDATES, actions)
    return actions
