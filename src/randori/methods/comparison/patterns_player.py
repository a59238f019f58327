"""A player for games of stones in a row that has learned what lines and crossings of lines are worth."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from randori.core.chance import highest
from randori.core.game import Floats, Game, States
from randori.core.player import Choice
from randori.games.rows.knowledge import line_tables
from randori.games.rows.patterns import N_CLASSES
from randori.kernels.records import Float64s
from randori.methods.comparison.kernels import pattern_weights
from randori.methods.comparison.safety import choose_safely
from randori.methods.comparison.suitable import check_game
from randori.players.files import Contents
from randori.search.limits import check_factor
from randori.search.threats import check_threats

THREATS = 10_000


@dataclass(frozen=True, eq=False)
class Patterns:
    """Plays where the lines through a square are worth most, by learned weights for patterns and pairs of lines."""

    game: Game
    lines: Float64s
    """`[2, patterns]`: see the kernel."""
    pairs: Float64s
    """`[2, classes, classes]`"""
    threats: int = THREATS
    """Nodes of a search for forced wins; 0: none is made."""
    temperature: float = 0.0
    """Above 0 it draws from the softmax policy instead of choosing the best."""
    name: str = "patterns"
    kind: ClassVar[str] = "patterns"
    chances: ClassVar[bool] = False
    OLD_OPTIONS: ClassVar[Mapping[str, str]] = {
        "threats=true": f"threats={THREATS}",
        "threats=false": "threats=0",
        "nodes": "threats",
    }

    def __post_init__(self) -> None:
        check_game(self.game)
        tables = line_tables(self.game)
        wanted = (2, 3 ** (2 * (tables.k - 1))), (2, N_CLASSES, N_CLASSES)
        if (self.lines.shape, self.pairs.shape) != wanted:
            raise ValueError(
                f"{self.game.title} needs weights of {wanted}, not {(self.lines.shape, self.pairs.shape)}."
            )
        check_threats(self.game, self.threats)
        check_factor("temperature", self.temperature)

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
            return Choice(choose_safely(self.game, states, scores, self.threats, rng))
        return Choice(highest(scores, rng))

    def contents(self) -> Contents:
        return Contents({"lines": self.lines.astype(np.float32), "pairs": self.pairs.astype(np.float32)}, {})

    @classmethod
    def from_contents(
        cls,
        game: Game,
        contents: Contents,
        threats: int = THREATS,
        temperature: float = 0.0,
    ) -> Self:
        return cls(game, contents.floats("lines"), contents.floats("pairs"), threats, temperature)
