"""A network of line patterns in the making: what threat search proves about games tells which moves to learn."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from randori.game import Actions, Floats, Game
from randori.kernels.judge import judge_game
from randori.kernels.pattern_weights import Weights, follow_lessons
from randori.kernels.patterns import N_CLASSES
from randori.learners.comparison.config import ComparisonConfig
from randori.learners.comparison.network import other_network
from randori.players import Player
from randori.players.patterns import Patterns
from randori.players.threats import line_tables
from randori.record import Games
from randori.workers import Workers

CANDIDATES = 8  # moves among which a judge looks for one that would have saved a game
GAMES_A_TASK = 8

# What a line is worth to someone who knows the rules and has seen a few games, by the class that a stone makes.
NOVICE = (0.0, 0.1, 0.2, 0.4, 0.8, 0.8, 2.0, 1.6, 5.0, 9.0)
NOVICE_DEFENCE = 0.8


class PatternWeights:
    """Weights for lines and pairs of lines, taught by what threat search proves about games."""

    def __init__(self, game: Game, config: ComparisonConfig) -> None:
        self.game, self.config = game, config
        tables = line_tables(game)
        lines = np.zeros((2, 3 ** (2 * (tables.k - 1))))
        for role, share in enumerate((1.0, NOVICE_DEFENCE)):
            lines[role, tables.patterns[0]] = share * np.array(NOVICE)[tables.classes[0]]
        self.weights = Weights(lines, np.zeros((2, N_CLASSES, N_CLASSES)))
        self.mean = _copy(self.weights)
        # The memory: games with their lessons, `[games, plies]`, the oldest first; -1 fills up actions.
        self.actions = np.empty((0, game.max_plies), np.int16)
        self.targets = np.empty((0, game.max_plies), np.int16)
        self.worths = np.empty((0, game.max_plies), np.float32)

    def player(self) -> Patterns:
        return Patterns(self.game, *_copy(self.mean))

    def sparring(self) -> Patterns:
        return Patterns(self.game, *_copy(self.weights), True, self.config.nodes, self.config.temperature)

    def study(self, games: Games, seat: int, rng: np.random.Generator, workers: Workers) -> dict[str, float]:
        parts = [games.take(slice(start, start + GAMES_A_TASK)) for start in range(0, len(games), GAMES_A_TASK)]
        judged = workers.map(_judge, [(part, *self.weights, self.config.nodes) for part in parts])
        for part, (targets, proved) in zip(parts, judged, strict=True):
            self._remember(part, targets, _worths(part, proved, self.config))
        surprise, n_lessons = 0.0, 0
        for row in rng.permutation(len(self.actions))[: len(games) * self.config.lessons]:
            played = self.actions[row][self.actions[row] >= 0]
            targets = self.targets[row, : len(played)]
            worths = self.worths[row, : len(played)].astype(np.float64)
            surprise += follow_lessons(line_tables(self.game), self.weights, played, targets, worths, self.config.rate)
            n_lessons += int(np.sum(worths > 0))
        for mean, latest in zip(self.mean, self.weights, strict=True):
            mean += self.config.average * (latest - mean)
        return {"surprise": surprise / max(n_lessons, 1), "plies": float(games.lengths.mean())}

    def _remember(self, games: Games, targets: Actions, worths: Floats) -> None:
        missing = ((0, 0), (0, self.game.max_plies - games.actions.shape[1]))
        last = self.config.memory
        actions = np.pad(games.actions, missing, constant_values=-1)
        self.actions = np.concatenate([self.actions, actions])[-last:]
        self.targets = np.concatenate([self.targets, np.pad(targets, missing)])[-last:]
        self.worths = np.concatenate([self.worths, np.pad(worths.astype(np.float32), missing)])[-last:]

    def begin_with(self, trained: Player) -> None:
        if not isinstance(trained, Patterns):
            raise other_network(trained, "patterns")
        self.weights = _copy(Weights(trained.lines, trained.pairs))
        self.mean = _copy(self.weights)

    def state(self) -> dict[str, Any]:
        return {
            "weights": [*self.weights],
            "mean": [*self.mean],
            "memory": [self.actions, self.targets, self.worths],
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.weights, self.mean = _copy(state["weights"]), _copy(state["mean"])
        self.actions, self.targets, self.worths = state["memory"]


def _copy(weights: Iterable[Floats]) -> Weights:
    return Weights(*(it.copy() for it in weights))


def _judge(games: Games, lines: Floats, pairs: Floats, nodes: int) -> tuple[Actions, Floats]:
    """Task: the lessons of some games, `[B, T]`."""
    targets, worths = np.full(games.actions.shape, -1, np.int16), np.zeros(games.actions.shape)
    for row, n_plies in enumerate(games.lengths):
        judge_game(
            line_tables(games.game), Weights(lines, pairs), games.actions[row, :n_plies], games.opening_plies,
            nodes, CANDIDATES, targets[row, :n_plies], worths[row, :n_plies],
        )  # fmt: skip
    return targets, worths


def _worths(games: Games, proved: Floats, config: ComparisonConfig) -> Floats:
    """What each ply is worth as a lesson, `[B, T]`; in a draw only what is proved."""
    plies = np.arange(proved.shape[1])
    won = np.where(plies % 2 == 0, 1, -1) * games.outcomes[:, None]
    chosen = (plies >= games.opening_plies) & (games.actions >= 0)
    by_result = np.where(won > 0, config.winner, np.where(won < 0, -config.loser, 0.0))
    return np.where(proved > 0, config.decisive, np.where(chosen, by_result, 0.0))
