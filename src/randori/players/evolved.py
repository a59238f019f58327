"""A player that judges each next position by an evolved network."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from randori.errors import UserError
from randori.evaluate import Evaluation
from randori.evaluate.evolved import NetworkTeam, Reach
from randori.evaluate.features import Features
from randori.game import Floats, Game, Ints, States
from randori.players.player import Choice


@dataclass(frozen=True, eq=False)
class Evolved:
    """Plays to the position that its network likes best for it, `depth` plies on.

    It may have a network for whoever began and one for the other side. A position does not say who began, but an even
    number of stones means that the first mover is to move, unless someone passed.
    """

    game: Game
    features: tuple[str, ...]
    networks: NDArray[np.float64]
    """`[1 or 2, H, F + 2]`: one for both sides, or the first and the second mover's."""
    depth: int = 1
    """Plies that it looks ahead."""
    endgame: int = 0
    """With at most so many empty squares it looks ahead to the end."""
    name: str = "evolved"
    kind: ClassVar[str] = "evolved"

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise UserError(f"An evolved player looks at least 1 ply ahead, not {self.depth}.")
        # Where every empty square is a move, n of them are n! games; Othello has few moves near its end.
        most = 12 if self.game.in_a_row is None else 8
        if not 0 <= self.endgame <= most:
            raise UserError(
                f"In {self.game.title} an evolved player looks to the end from 0 to {most} empty squares, "
                f"not {self.endgame}."
            )
        if len(self.networks) not in (1, 2):
            raise ValueError(f"{len(self.networks)} networks are neither one for both sides nor one for each.")
        _ = self._team

    @property
    def _team(self) -> NetworkTeam:
        return NetworkTeam(Features(self.game, self.features), self.networks)

    @property
    def _reach(self) -> Reach:
        return Reach(self.depth, self.endgame)

    def _owners(self, states: States) -> Ints:
        if len(self.networks) == 1:
            return np.zeros(len(states), np.int64)
        return np.asarray((self.game.cells(states) != 0).sum(axis=(1, 2)) % 2)

    def evaluate(self, states: States, rng: np.random.Generator) -> Evaluation:
        # The networks were bred to judge positions that they have just moved to: the owner is who moved last.
        return Evaluation(self._team.evaluate(states, len(self.networks) - 1 - self._owners(states)))

    def scores(self, states: States) -> Floats:
        """`[B, A]`: what it thinks of each action, minus infinity where it is not legal."""
        return self._team.scores(states, self._owners(states), self._reach)

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return Choice(self._team.choose(states, self._owners(states), rng, self._reach))

    def to_tensors(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        settings = {"features": list(self.features), "depth": self.depth, "endgame": self.endgame}
        return {"networks": self.networks}, settings

    @classmethod
    def from_tensors(
        cls,
        game: Game,
        tensors: Mapping[str, NDArray[Any]],
        settings: Mapping[str, Any],
        depth: int = -1,
        endgame: int = -1,
    ) -> Self:
        """`depth` and `endgame` -1: as in the file."""
        depth = settings["depth"] if depth == -1 else depth
        endgame = settings["endgame"] if endgame == -1 else endgame
        return cls(game, tuple(settings["features"]), tensors["networks"], depth, endgame)
