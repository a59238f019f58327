"""Evaluation by random games to the end."""

from dataclasses import dataclass

import numpy as np

from randori.errors import UserError
from randori.evaluate.evaluator import Evaluation
from randori.game import Game, States
from randori.kernels import playout


@dataclass(frozen=True)
class Rollouts:
    """The mean result of `n` random games from each position."""

    game: Game
    n: int = 10

    def __post_init__(self) -> None:
        if self.n < 1:
            raise UserError(f"Rollouts need at least one game a position, not {self.n}.")

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        ends = np.repeat(states, self.n, axis=0)
        outcomes, plies = np.empty(len(ends), np.int8), np.empty(len(ends), np.int16)
        seeds = rng.integers(0, 2**63, len(ends), dtype=np.uint64)
        playout.random_games(self.game.rules, ends, seeds, outcomes, plies)
        return Evaluation(outcomes.reshape(-1, self.n).mean(axis=1))
