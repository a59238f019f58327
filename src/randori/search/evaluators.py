"""Evaluators for any game: by what the game counts, by random games to the end, by the game's own knowledge."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from randori.core.evaluation import Evaluation, Evaluator, values_by
from randori.core.game import ONGOING, Floats, Game, States
from randori.errors import UserError
from randori.kernels.judges import Judge, judge_with, margin_share


@dataclass(frozen=True)
class Margin:
    """What the side to move has minus what the other has, as a share of the board."""

    game: Game

    @property
    def judge(self) -> Judge:
        return judge_with(margin_share, self.game.rules, self.game.n_squares)

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        return Evaluation(values_by(self.judge, states))


@dataclass(frozen=True)
class Rollouts:
    """The mean result of `n` random games from each position."""

    game: Game
    n: int = 10

    def __post_init__(self) -> None:
        if self.n < 1:
            raise UserError(f"Rollouts need at least one game per position, not {self.n}.")

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        finished = self.game.finish(np.repeat(states, self.n, axis=0), rng)
        return Evaluation(finished.outcomes.reshape(-1, self.n).mean(axis=1))


def heuristic_evaluator(game: Game) -> Evaluator:
    """The hand-made evaluation of a game; where it has none, random games tell."""
    own = game.knowledge.evaluator
    return Rollouts(game) if own is None else own(game)


def preferences(game: Game) -> NDArray[np.float64]:
    """`[A]`: how good each action looks before one looks at the position, for playouts that are not quite random.

    The more promising the greater, with mean 0 and deviation 1; a pass, which has no rival, is 0. All are alike where the
    game prefers none.
    """
    own = game.knowledge.preferences
    if own is None:
        return np.zeros(game.n_actions)
    raw = own(game)
    scaled = (raw - raw.mean()) / (raw.std() or 1.0)
    return np.asarray(scaled if game.pass_action is None else np.append(scaled, 0.0))


def child_values(game: Game, evaluator: Evaluator, states: States, rng: np.random.Generator) -> Floats:
    """Values of positions for the side to move, `[B]`: by the rules where the game is over, else by the evaluator."""
    outcomes = game.outcome(states)
    values = outcomes.astype(np.float64)
    open_rows = np.flatnonzero(outcomes == ONGOING)
    if len(open_rows):
        values[open_rows] = evaluator(states[open_rows], rng).values
    return values
