"""Evaluations that know how games end."""

from dataclasses import dataclass

import numpy as np

from randori.core.evaluation import Evaluation, Evaluator
from randori.core.game import WIN, Game, States
from randori.search.solver import Solver
from randori.search.threats import find_wins


def informed(evaluator: Evaluator, game: Game, solver: Solver | None, empty: int, nodes: int) -> Evaluator:
    """The evaluator with what is known about endings with so many squares `empty` and about threats; 0: nothing is."""
    if solver is not None and empty:
        evaluator = ExactValues(evaluator, solver, empty)
    return ForcedWinValues(evaluator, game, nodes) if nodes else evaluator


@dataclass(frozen=True)
class ExactValues:
    """Another evaluator, with exact values where at most so many moves are left, `empty`: the solver is quicker there."""

    evaluator: Evaluator
    solver: Solver
    empty: int

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        told = self.evaluator(states, rng)
        ending = self.solver.game.moves_left(states) <= self.empty
        if not ending.any():
            return told
        values = np.array(told.values, np.float64)
        values[ending] = self.solver.outcomes(states[ending])
        return Evaluation(values, told.policy)


@dataclass(frozen=True)
class ForcedWinValues:
    """Another evaluator, which knows that a position is won where a threat search of so many `nodes` finds how."""

    evaluator: Evaluator
    game: Game
    nodes: int

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        told = self.evaluator(states, rng)
        won = find_wins(self.game, states, self.nodes) >= 0
        return Evaluation(np.where(won, WIN, told.values), told.policy)
