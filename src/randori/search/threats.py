"""Wins that threats force, in games that know of such."""

import numpy as np

from randori.core.game import Actions, Game, States
from randori.errors import UserError

MOST_NODES = 1_000_000_000
"""Takes about an hour a move."""


def check_threats(game: Game, nodes: int) -> None:
    """Raises UserError unless so many nodes can be searched for threats; none always can."""
    if not 0 <= nodes <= MOST_NODES:
        raise UserError(f"A threat search must have 0 to {MOST_NODES:,} nodes, 0 for none, not {nodes}.")
    if nodes and game.knowledge.forced_wins is None:
        raise UserError(f"{game.title} has no threats to search for; choose threats=0, or another game such as Gomoku.")


def find_wins(game: Game, states: States, nodes: int) -> Actions:
    """`[B]`: the first action of a win that threats force for the side to move; -1: none found.

    Each search visits at most so many `nodes`; 0: none is made.
    """
    if not nodes or game.knowledge.forced_wins is None:
        return np.full(len(states), -1, np.int16)
    return game.knowledge.forced_wins(game, states, nodes)
