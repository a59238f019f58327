"""Evaluations by hand-made knowledge, one kind for counting games and one for lines of stones."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from randori.evaluate.evaluator import Evaluation, Evaluator
from randori.evaluate.preferences import square_weights
from randori.game import Game, States
from randori.kernels import batch, lines


@dataclass(frozen=True)
class Margin:
    """Discs of the side to move less the other's, as a share of the board."""

    game: Game

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        return Evaluation(self.game.margin(states) / (self.game.shape[0] * self.game.shape[1]))


@dataclass(frozen=True)
class Territory:
    """Othello: weighted squares and the number of moves that each side has."""

    game: Game

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        squares = self.game.cells(states).reshape(len(states), -1) @ square_weights(self.game.shape[0])
        mobility = self._moves(states) - self._moves(self.game.from_cells(-self.game.cells(states)))
        return Evaluation(np.tanh((squares + 8.0 * mobility) / 200.0))

    def _moves(self, states: States) -> NDArray[np.int64]:
        counts = np.empty(len(states), np.int64)
        batch.count_all(self.game.rules, np.ascontiguousarray(states), counts)
        return counts


@dataclass(frozen=True)
class OpenLines:
    """Games of stones in a row: windows that one side alone can still fill, counted by their stones."""

    game: Game

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        k = self.game.in_a_row
        assert k is not None
        counts = np.empty((len(states), 2, k + 1), np.int64)
        lines.count_windows(self.game.cells(states), k, counts)
        weights = 4.0 ** np.arange(k + 1) - 1.0
        # The side to move is half a stone ahead of what the board shows.
        score = (counts[:, 0] * 1.5 - counts[:, 1]) @ weights
        return Evaluation(np.tanh(score / 4.0**k))


def heuristic_evaluator(game: Game) -> Evaluator:
    """The hand-made evaluation that fits the game."""
    return OpenLines(game) if game.in_a_row else Territory(game)
