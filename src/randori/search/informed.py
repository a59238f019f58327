"""Evaluations that know how games end."""

from dataclasses import dataclass

import numpy as np

from randori.core.evaluation import Evaluation, Evaluator
from randori.core.game import WIN, Game, States
from randori.kernels.winning_moves import find_winning_moves
from randori.search.solver import Solver
from randori.search.threats import find_wins


def informed(
    evaluator: Evaluator, game: Game, solver: Solver | None, empty: int, nodes: int, *, winning_moves: bool
) -> Evaluator:
    """Adds to an evaluator exact values with at most `empty` squares left and wins by threats within `nodes`, where 0 adds
    nothing, or else, if asked, the wins of a single move.
    """
    if solver is not None and empty:
        evaluator = ExactValues(evaluator, solver, empty)
    if nodes:  # which find the wins of a single move, too
        return ForcedWinValues(evaluator, game, nodes)
    return WinsAtOnce(evaluator, game) if winning_moves else evaluator


@dataclass(frozen=True)
class ExactValues:
    """Another evaluator, with exact values where at most `empty` moves are left: the solver is quicker there."""

    evaluator: Evaluator
    solver: Solver
    empty: int

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        evaluation = self.evaluator(states, rng)
        ending = self.solver.game.moves_left(states) <= self.empty
        if not ending.any():
            return evaluation
        values = np.array(evaluation.values, np.float64)
        values[ending] = self.solver.outcomes(states[ending])
        return Evaluation(values, evaluation.policy)


@dataclass(frozen=True)
class ForcedWinValues:
    """Another evaluator, which counts a position as won where a threat search of `nodes` nodes finds the win."""

    evaluator: Evaluator
    game: Game
    nodes: int

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        evaluation = self.evaluator(states, rng)
        won = find_wins(self.game, states, self.nodes) >= 0
        return Evaluation(np.where(won, WIN, evaluation.values), evaluation.policy)


@dataclass(frozen=True)
class WinsAtOnce:
    """Another evaluator, which knows where a single move wins.

    A network that has learned from games of good players gives no chance to moves that these never allow, such as the one
    that takes the last disc of the other side in Othello. A search would meet them too late.
    """

    evaluator: Evaluator
    game: Game

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        evaluation = self.evaluator(states, rng)
        winning = np.empty(len(states), np.int16)
        find_winning_moves(self.game.rules, np.ascontiguousarray(states, np.uint64), winning)
        won = np.flatnonzero(winning >= 0)
        if not len(won):
            return evaluation
        values = np.array(evaluation.values, np.float64)
        values[won] = WIN
        if evaluation.policy is None:
            return Evaluation(values)
        policy = np.array(evaluation.policy)
        policy[won] = 0.0
        policy[won, winning[won]] = 1.0
        return Evaluation(values, policy)
