"""How much work a judgement may take. All of it is counted in nodes, so that it is the same on every machine."""

from typing import NamedTuple


class Effort(NamedTuple):
    """For one position."""

    nodes: int
    """Of the search."""
    solver_nodes: int
    """After which a position counts as unsolved; none is tried with 0."""
    simulations: int
    """Where nobody who searches knows the game."""
    threats: int
    """Nodes of each search for wins that threats force."""


COARSE = Effort(nodes=8_000, solver_nodes=500_000, simulations=200, threats=400)
"""A hundredth of a second or less."""
FINE = Effort(nodes=200_000, solver_nodes=8_000_000, simulations=2_000, threats=2_500)
"""Some hundredths of a second; a second where an ending is solved."""
GAME_SOLVER_NODES = 16_000_000
"""Of all positions of a game together: about two seconds. What is not solved then is estimated."""
