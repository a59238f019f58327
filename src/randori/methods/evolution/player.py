"""A player that judges each next position by an evolved network."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from randori.core.chance import drawn_from
from randori.core.evaluation import Evaluation
from randori.core.game import Bools, Game, Ints, States
from randori.core.player import Choice
from randori.errors import UserError
from randori.methods.evolution.features import Features
from randori.methods.evolution.networks import NetworkTeam, Reach
from randori.players.files import Contents
from randori.search.limits import check_depth
from randori.search.solver import check_exact
from randori.search.wrappers import ExactEndings


@dataclass(frozen=True, eq=False)
class Evolved:
    """Plays to the position that its network likes best for it, `depth` plies on.

    It may have a network for whoever began and one for the other side. A position does not say who began, but on a board
    that fills an even number of stones placed means that the first mover is to move, unless someone passed.
    """

    game: Game
    features: tuple[str, ...]
    networks: NDArray[np.float64]
    """`[1 or 2, H, F + 2]`: one for both sides, or the first and the second mover's."""
    depth: int = 1
    """Plies that it looks ahead."""
    exact: int = 0
    """With at most so many empty squares it plays what a solver finds."""
    name: str = "evolved"
    kind: ClassVar[str] = "evolved"
    chances: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_depth(self.game, self.depth)
        check_exact(self.game, self.exact)
        if len(self.networks) not in (1, 2):
            raise ValueError(f"{len(self.networks)} networks are neither one for both sides nor one for each.")
        if len(self.networks) == 2 and not self.game.fills:
            raise UserError(
                f"In {self.game.title} the stones do not tell who began: evolve one network for both seats, "
                "`--seats together`."
            )
        _ = self._team

    @property
    def _team(self) -> NetworkTeam:
        return NetworkTeam(Features(self.game, self.features), self.networks)

    def _owners(self, states: States) -> Ints:
        if len(self.networks) == 1:
            return np.zeros(len(states), np.int64)
        placed = self.game.moves_left(self.game.start(1)) - self.game.moves_left(states)
        return np.asarray(placed % 2)

    def evaluate(self, states: States, rng: np.random.Generator) -> Evaluation:
        # The networks were bred to judge positions that they have just moved to: the owner is who moved last.
        return Evaluation(self._team.evaluate(states, len(self.networks) - 1 - self._owners(states)))

    def liked(self, states: States) -> Bools:
        """`[B, A]`: the actions that its network likes best, more than one where they are equally good."""
        scores = self._team.scores(states, self._owners(states), Reach(self.depth, 0))
        return np.asarray(scores == scores.max(axis=1, keepdims=True))

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        if not self.exact:
            return Choice(drawn_from(self.liked(states), rng))
        return ExactEndings(self.game, replace(self, exact=0), self.exact).choose(states, rng)

    def contents(self) -> Contents:
        settings = {"features": list(self.features), "depth": self.depth, "exact": self.exact}
        return Contents({"networks": self.networks}, settings)

    @classmethod
    def from_contents(
        cls,
        game: Game,
        contents: Contents,
        depth: int | None = None,
        exact: int | None = None,
    ) -> Self:
        depth = contents.whole("depth") if depth is None else depth
        exact = contents.whole("exact") if exact is None else exact
        return cls(game, tuple(contents.settings["features"]), contents.floats("networks"), depth, exact)
