"""A residual network as the evaluator of a search."""

from dataclasses import dataclass

import numpy as np

from randori.evaluate.evaluator import Evaluation
from randori.evaluate.networks.network import Network
from randori.game import Game, States
from randori.planes import planes


@dataclass(frozen=True)
class NetworkEvaluator:
    """The value of a position and how promising its legal actions are."""

    game: Game
    network: Network

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        logits, values = self.network(planes(self.game, states))
        logits = np.where(self.game.legal(states), logits, -np.inf)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        # The runtime's tanh is an approximation, which is a little above 1 where it should be 1.
        return Evaluation(np.clip(values, -1, 1), weights / weights.sum(axis=1, keepdims=True))
