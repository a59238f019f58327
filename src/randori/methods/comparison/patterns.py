"""A network of line patterns in the making: it compares its own best moves by playing on from each of them.

Freisleben's rule takes the winner's moves for the better ones, which is true of an opponent who plays better. Here the
better move is found out: the network plays on from each candidate many times, and what it then finds likelier to win
becomes likelier to be played. Every move is judged by itself, and nobody else need play well.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from randori.core.game import Game
from randori.core.record import Games
from randori.games.rows.knowledge import line_tables
from randori.games.rows.patterns import N_CLASSES
from randori.kernels.records import Float64s
from randori.methods.comparison.config import ComparisonConfig
from randori.methods.comparison.kernels.candidates import judge_game
from randori.methods.comparison.kernels.pattern_weights import Weights
from randori.methods.comparison.network import Lesson, other_network
from randori.methods.comparison.patterns_player import Patterns
from randori.players import Player
from randori.workers import Workers

GAMES_A_TASK = 4

# What a line is worth to someone who knows the rules and has seen a few games, by the class that a stone makes.
NOVICE = (0.0, 0.1, 0.2, 0.4, 0.8, 0.8, 2.0, 1.6, 5.0, 9.0)
NOVICE_DEFENCE = 0.8


class PatternWeights:
    """Weights for lines and pairs of lines, taught by comparison of candidates."""

    def __init__(self, game: Game, config: ComparisonConfig) -> None:
        self.game, self.config = game, config
        tables = line_tables(game)
        lines = np.zeros((2, 3 ** (2 * (tables.k - 1))))
        for role, share in enumerate((1.0, NOVICE_DEFENCE)):
            lines[role, tables.patterns[0]] = share * np.array(NOVICE)[tables.classes[0]]
        self.weights = Weights(lines, np.zeros((2, N_CLASSES, N_CLASSES)))
        self.mean = _copy(self.weights)

    def player(self) -> Patterns:
        return Patterns(self.game, *_copy(self.mean))

    def sparring(self) -> Patterns:
        config = self.config
        return Patterns(self.game, *_copy(self.weights), threats=config.nodes, temperature=config.temperature)

    def study(self, lessons: Sequence[Lesson], rng: np.random.Generator, workers: Workers) -> dict[str, float]:
        parts = [
            games.take(slice(start, start + GAMES_A_TASK))
            for games, _ in lessons
            for start in range(0, len(games), GAMES_A_TASK)
        ]
        tasks = [(part, *self.weights, self.config, int(rng.integers(2**63))) for part in parts]
        judged, changes = 0.0, 0.0
        for gradient, n_positions, change in workers.map(_judge, tasks):
            for weights, slope in zip(self.weights, gradient, strict=True):
                weights += self.config.rate * slope
            judged += n_positions
            changes += change
        for mean, latest in zip(self.mean, self.weights, strict=True):
            mean += self.config.average * (latest - mean)
        plies = float(np.mean(np.concatenate([games.lengths for games, _ in lessons])))
        return {"change": changes / max(judged, 1), "positions": judged, "plies": plies}

    def begin_with(self, trained: Player) -> None:
        if not isinstance(trained, Patterns):
            raise other_network(trained, "patterns")
        self.weights = _copy((trained.lines, trained.pairs))
        self.mean = _copy(self.weights)

    def state(self) -> dict[str, Any]:
        return {"weights": [*self.weights], "mean": [*self.mean]}

    def restore(self, state: dict[str, Any]) -> None:
        self.weights, self.mean = _copy(state["weights"]), _copy(state["mean"])


def _copy(weights: Iterable[Float64s]) -> Weights:
    return Weights(*(it.copy() for it in weights))


def _judge(
    games: Games, lines: Float64s, pairs: Float64s, config: ComparisonConfig, seed: int
) -> tuple[Weights, float, float]:
    """Task: what some games teach as a gradient, from how many positions, and how far these change its mind."""
    gradient = Weights(np.zeros_like(lines), np.zeros_like(pairs))
    stream = np.array([seed], np.uint64)
    judged, changes = 0.0, 0.0
    for row, n_plies in enumerate(games.lengths):
        n_positions, change = judge_game(
            line_tables(games.game), Weights(lines, pairs), games.actions[row, :n_plies], games.opening_plies,
            config.positions, config.candidates, config.playouts, config.temperature, config.trust, stream, gradient,
        )  # fmt: skip
        judged += n_positions
        changes += change
    return gradient, judged, changes
