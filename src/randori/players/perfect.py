"""The player that makes no mistake, for games small enough to be solved from the start."""

from dataclasses import dataclass

import numpy as np

from randori.core.chance import drawn_from
from randori.core.game import Game, States
from randori.core.player import Choice
from randori.errors import UserError
from randori.search.solver import Solver, is_small, reach


@dataclass(frozen=True)
class Perfect:
    """A best move, by lot where there are several; it wins as soon as it can and loses as late as it can.

    Refused where the first position is out of the solver's reach: a player of that name may not guess.
    """

    game: Game
    name = "perfect"

    def __post_init__(self) -> None:
        if not is_small(self.game):
            too_large = f"{self.game.title} is too large to be played perfectly from the start"
            if not self.game.fills:
                raise UserError(f"{too_large}; try 'uct:simulations=10000'.")
            exact = reach(self.game)
            raise UserError(
                f"{too_large}; 'lookahead:depth=4,exact={exact}' is perfect from {exact} moves before the end on."
            )

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        best = Solver(self.game).best(states)
        return Choice(drawn_from(best, rng), best / best.sum(axis=1, keepdims=True))
