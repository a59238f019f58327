"""A player that knows by a network what each of its actions is worth."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from randori.core.chance import drawn_from
from randori.core.evaluation import Evaluation
from randori.core.game import Bools, Floats, Game, States
from randori.core.player import Choice
from randori.methods.deep_q.q_values import QValues
from randori.networks import Network
from randori.networks.architecture import check_fits, from_settings, to_settings
from randori.players.files import Contents
from randori.search.limits import check_depth, check_seconds
from randori.search.lookahead import Lookahead


@dataclass(frozen=True, eq=False)
class DeepQ:
    """Plays the action worth most, without search; with a `depth` it looks so many plies ahead first.

    With `seconds` for a position it looks ever deeper until these are used up, or until the depth is reached.
    """

    game: Game
    values: QValues
    depth: int = 0
    seconds: float | None = None
    name: str = "deep-q"
    kind: ClassVar[str] = "deep-q"
    chances: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_depth(self.game, self.depth, least=0)
        check_seconds(self.seconds)

    def evaluate(self, states: States, rng: np.random.Generator) -> Evaluation:
        return self.values(states, rng)

    def scores(self, states: States) -> Floats:
        """`[B, A]`: what it thinks of each action, minus infinity where it is not legal."""
        return self.values.actions(states)

    def liked(self, states: States) -> Bools:
        """`[B, A]`: the actions worth most; there are several only where the network tells them equal."""
        scores = self.scores(states)
        return np.asarray(scores == scores.max(axis=1, keepdims=True))

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        if self.depth or self.seconds is not None:
            depth = self.depth or None
            return Lookahead(self.game, self.values, depth, name=self.name, seconds=self.seconds).choose(states, rng)
        return Choice(drawn_from(self.liked(states), rng))

    def contents(self) -> Contents:
        network = self.values.network
        settings = {"architecture": to_settings(network.architecture), "reading": self.values.reading}
        return Contents(dict(network.tensors), settings)

    @classmethod
    def from_contents(cls, game: Game, contents: Contents, depth: int = 0, seconds: float | None = None) -> Self:
        architecture = from_settings(contents.settings["architecture"])
        check_fits(game, architecture)
        network = Network(architecture, contents.tensors)
        return cls(game, QValues(game, network, contents.settings["reading"]), depth, seconds)
