"""The player that makes no mistake, for games small enough to be solved from the start."""

from dataclasses import dataclass

import numpy as np

from randori.errors import UserError
from randori.game import Game, States
from randori.players.lots import drawn_from
from randori.players.player import Choice
from randori.solve import Solver, reach


@dataclass(frozen=True)
class Perfect:
    """A best move, by lot where there are several; it wins as soon as it can and loses as late as it can.

    Refused where the first position is out of the solver's reach: a player of that name may not guess.
    """

    game: Game
    name = "perfect"

    def __post_init__(self) -> None:
        squares, exact = self.game.shape[0] * self.game.shape[1], reach(self.game)
        if squares > exact:
            raise UserError(
                f"{self.game.title} is too large to be played perfectly from the start; "
                f"'lookahead:depth=4,exact={exact}' is perfect from {exact} empty squares on."
            )

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        best = Solver(self.game).best(states)
        return Choice(drawn_from(best, rng), best / best.sum(axis=1, keepdims=True))
