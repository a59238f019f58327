"""A player for games of stones in a row that has learned what lines and crossings of lines are worth."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from randori.errors import UserError
from randori.game import Floats, Game, States
from randori.kernels import pattern_weights
from randori.kernels.patterns import N_CLASSES
from randori.players.player import Choice
from randori.players.stones import pick_highest
from randori.players.threats import check_search, choose_with_threats
from randori.threats import line_tables


@dataclass(frozen=True, eq=False)
class Patterns:
    """Plays where the lines through a square are worth most, by learned weights for patterns and pairs of lines."""

    game: Game
    lines: Floats
    """`[2, patterns]`: see the kernel."""
    pairs: Floats
    """`[2, classes, classes]`"""
    threats: bool = True
    """Search for forced wins."""
    nodes: int = 10_000
    """Positions that one such search may visit."""
    temperature: float = 0.0
    """Above 0 it draws from the softmax policy instead of choosing the best."""
    name: str = "patterns"
    kind: ClassVar[str] = "patterns"

    def __post_init__(self) -> None:
        tables = line_tables(self.game)
        wanted = (2, 3 ** (2 * (tables.k - 1))), (2, N_CLASSES, N_CLASSES)
        if (self.lines.shape, self.pairs.shape) != wanted:
            raise ValueError(
                f"{self.game.title} needs weights of {wanted}, not {(self.lines.shape, self.pairs.shape)}."
            )
        check_search(self.nodes)
        if self.temperature < 0:
            raise UserError(f"A temperature is 0 or more, not {self.temperature}.")

    def scores(self, states: States) -> Floats:
        """`[B, A]`: what each action is worth; -inf for those that are not legal."""
        scores = np.empty((len(states), self.game.n_actions))
        weights = pattern_weights.Weights(self.lines, self.pairs)
        pattern_weights.score_patterns(line_tables(self.game), weights, self.game.cells(states), scores)
        return scores

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        scores = self.scores(states)
        if self.temperature > 0:
            # The highest of scores with Gumbel noise is drawn as by the softmax.
            scores = scores / self.temperature + rng.gumbel(size=scores.shape)
        if self.threats:
            return Choice(choose_with_threats(self.game, states, scores, self.nodes, rng))
        return Choice(pick_highest(scores, rng))

    def to_tensors(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        return {"lines": self.lines.astype(np.float32), "pairs": self.pairs.astype(np.float32)}, {}

    @classmethod
    def from_tensors(
        cls,
        game: Game,
        tensors: Mapping[str, NDArray[Any]],
        settings: Mapping[str, Any],
        threats: bool = True,
        nodes: int = 10_000,
        temperature: float = 0.0,
    ) -> Self:
        lines, pairs = (np.ascontiguousarray(tensors[key], np.float64) for key in ("lines", "pairs"))
        return cls(game, lines, pairs, threats, nodes, temperature)
