"""A residual network as the evaluator of a search."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from randori.core.evaluation import Evaluation
from randori.core.game import Game, States
from randori.networks.kernels.positions import policies_all
from randori.networks.network import Network
from randori.networks.planes import planes
from randori.networks.steps import by_action

NEITHER = -1
"""No side is a sparring partner."""


def board_tells_sides(game: Game) -> bool:
    """Whether each ply puts one more piece on the board."""
    return game.fills and game.pass_action is None


def sides_to_move(game: Game, states: States) -> NDArray[np.int8]:
    """`[B]`: 0 for the side that began the game, 1 for the other, where the board tells."""
    assert board_tells_sides(game)
    return (np.count_nonzero(game.cells(states), axis=(1, 2)) % 2).astype(np.int8)


@dataclass(frozen=True)
class NetworkEvaluator:
    """The value of a position and how promising its legal actions are.

    In games with a sparring partner they differ from those between equals, if the network learned from such games.
    """

    game: Game
    network: Network
    partner: int = NEITHER
    """0 for the side that began the game, 1 for the other."""

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        roles = 0 if self.partner == NEITHER else np.where(sides_to_move(self.game, states) == self.partner, -1, 1)
        outputs, values = self.network(planes(self.game, states, roles))
        logits = np.ascontiguousarray(by_action(self.game, outputs))
        policies = np.empty_like(logits)
        policies_all(self.game.rules, np.ascontiguousarray(states, np.uint64), logits, policies)
        return Evaluation(values, policies)
