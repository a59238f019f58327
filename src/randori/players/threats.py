"""Threat search for any player that scores the squares of a game of stones in a row."""

import numpy as np

from randori.errors import UserError
from randori.game import Actions, Floats, Game, States
from randori.kernels import threats
from randori.threats import line_tables

CANDIDATES = 20
"""How many of its best moves a player with threat search tries before it gives up finding a safe one."""


def choose_with_threats(game: Game, states: States, scores: Floats, nodes: int, rng: np.random.Generator) -> Actions:
    """A win that threats force, or the best scored action after which the other side has none; equals by lot."""
    # Less than any difference that means something, so that only equals change places.
    lot = scores + 1e-9 * rng.random(scores.shape)
    actions = np.empty(len(states), np.int16)
    threats.choose_by_threats(line_tables(game), game.cells(states), lot, nodes, CANDIDATES, actions)
    return actions


def check_search(nodes: int) -> None:
    if nodes < 1:
        raise UserError(f"A threat search needs at least one node, not {nodes}.")
