"""A player that judges each next position by an evolved network."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from randori.core.chance import drawn_from
from randori.core.evaluation import Evaluation, values_by
from randori.core.game import Bools, Game, Ints, States
from randori.core.player import Choice
from randori.errors import UserError
from randori.kernels.judges import Judge
from randori.methods.evolution.features import Features
from randori.methods.evolution.kernels.networks import OVER
from randori.methods.evolution.networks import LAST_MOVED, ONE_PLY, NetworkTeam
from randori.players.files import Contents
from randori.search.alphabeta import Limits, Scale, best_actions, limits_of
from randori.search.limits import check_depth
from randori.search.solver import check_exact
from randori.search.wrappers import ExactEndings

_ONE_PLY = Limits(1)
# A network says no more than this, and an end is worth the same whenever it comes.
_SCALE = Scale(certain=OVER, end=0.0)


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
    depth: int | None = None
    """Plies that it looks ahead; without, one, or as many as `nodes` or `seconds` allow."""
    exact: int = 0
    """With at most so many empty squares it plays what a solver finds."""
    nodes: int | None = None
    seconds: float | None = None
    """For each position."""
    name: str = "evolved"
    kind: ClassVar[str] = "evolved"
    chances: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _ = self._limits  # which refuses what cannot be
        if self.depth is not None:
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

    @property
    def judge(self) -> Judge:
        """Of scores without bound. The networks were bred to judge positions that they have just moved to."""
        return self._team.judge(LAST_MOVED if len(self.networks) == 2 else 0)

    def evaluate(self, states: States, rng: np.random.Generator) -> Evaluation:
        return Evaluation(np.tanh(values_by(self.judge, states)))

    @property
    def _limits(self) -> Limits:
        return limits_of(self.depth, self.nodes, self.seconds, 1)

    def liked(self, states: States) -> Bools:
        """`[B, A]`: the actions that its network likes best, more than one where they are equally good."""
        owners = self._owners(states)
        if self._limits == _ONE_PLY:
            scores = self._team.scores(states, owners, ONE_PLY)
            return np.asarray(scores == scores.max(axis=1, keepdims=True))
        liked = np.zeros((len(states), self.game.n_actions), np.bool_)
        for owner in np.unique(owners):
            rows = np.flatnonzero(owners == owner)
            found = best_actions(self.game, self._team.judge(int(owner)), states[rows], self._limits, _SCALE)
            liked[rows] = found.actions
        return liked

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        if not self.exact:
            return Choice(drawn_from(self.liked(states), rng))
        inside = replace(self, exact=0)
        if self.seconds is None:
            return ExactEndings(self.game, inside, self.exact).choose(states, rng)
        half = 0.5 * self.seconds
        late = replace(inside, seconds=half)
        return ExactEndings(self.game, inside, self.exact, seconds=half, late=late).choose(states, rng)

    def contents(self) -> Contents:
        settings = {"features": list(self.features), "depth": self.depth or 1, "exact": self.exact}
        return Contents({"networks": self.networks}, settings)

    @classmethod
    def from_contents(
        cls,
        game: Game,
        contents: Contents,
        depth: int | None = None,
        exact: int | None = None,
        nodes: int | None = None,
        seconds: float | None = None,
    ) -> Self:
        """The depth of the file counts where neither another one nor a limit is given."""
        if depth is None and nodes is None and seconds is None:
            depth = contents.whole("depth")
        exact = contents.whole("exact") if exact is None else exact
        features, networks = tuple(contents.settings["features"]), contents.floats("networks")
        return cls(game, features, networks, depth, exact, nodes, seconds)
