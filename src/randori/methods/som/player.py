"""A player that knows positions by their place on self-organizing maps (Kamei and Kakizoe 2017)."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from randori.core.evaluation import Evaluation
from randori.core.game import Game, States
from randori.core.player import Choice
from randori.methods.som.atlas import Atlas
from randori.methods.som.values import PlaneValues, TableValues
from randori.players.files import Contents
from randori.search.lookahead import Lookahead


@dataclass(frozen=True, eq=False)
class SelfOrganized:
    """Plays to the position that is worth most by the maps, `depth` plies on; the last `exact` moves without a mistake.

    Without a depth it looks one ply ahead, or as many as `nodes` or `seconds` for a position allow.
    """

    game: Game
    values: TableValues | PlaneValues
    depth: int | None = None
    exact: int = 4
    nodes: int | None = None
    seconds: float | None = None
    name: str = "som"
    kind: ClassVar[str] = "som"

    @property
    def chances(self) -> bool:
        """The tables of Kamei and Kakizoe add up rewards, whose scale says nothing about chances."""
        return isinstance(self.values, PlaneValues)

    def __post_init__(self) -> None:
        _ = self._lookahead  # which refuses a depth or an ending that cannot be

    @property
    def _lookahead(self) -> Lookahead:
        depth = 1 if self.depth is self.nodes is self.seconds is None else self.depth
        return Lookahead(self.game, self.values, depth, self.exact, self.name, self.nodes, self.seconds)

    def evaluate(self, states: States, rng: np.random.Generator) -> Evaluation:
        return self.values(states, rng)

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return self._lookahead.choose(states, rng)

    def contents(self) -> Contents:
        atlas, values = self.values.atlas, self.values
        tensors: dict[str, NDArray[Any]] = {"weights": atlas.weights, "thresholds": atlas.thresholds}
        settings: dict[str, Any] = {
            "shape": list(atlas.shape),
            "ends": list(atlas.ends),
            "winner": atlas.winner,
            "by_side": atlas.by_side,
            "exact": self.exact,
        }
        if isinstance(values, TableValues):
            return Contents(tensors | {"values": values.values}, settings)
        settings["temperature"] = values.temperature
        return Contents(tensors | {"levels": values.levels, "slopes": values.slopes}, settings)

    @classmethod
    def from_contents(
        cls,
        game: Game,
        contents: Contents,
        depth: int | None = None,
        exact: int | None = None,
        turns: int = 1,
        nodes: int | None = None,
        seconds: float | None = None,
    ) -> Self:
        """Without `exact`, as many of the last moves as during learning."""
        settings = contents.settings
        height, width = contents.wholes("shape")
        weights, thresholds = (contents.floats(it, np.float32) for it in ("weights", "thresholds"))
        # Files of earlier versions do not say it.
        by_side = bool(settings.get("by_side", False))
        atlas = Atlas(game, (height, width), contents.wholes("ends"), settings["winner"], weights, thresholds, by_side)
        values: TableValues | PlaneValues
        if "values" in contents.tensors:
            values = TableValues(atlas, contents.floats("values", np.float32))
        else:
            levels, slopes = (contents.floats(it, np.float32) for it in ("levels", "slopes"))
            values = PlaneValues(atlas, levels, slopes, settings["temperature"], turns)
        exact = contents.whole("exact") if exact is None else exact
        return cls(game, values, depth, exact, nodes, seconds)
