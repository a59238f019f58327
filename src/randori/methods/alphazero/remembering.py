"""An evaluator with a memory, so that no position is evaluated twice."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from randori.core.evaluation import Evaluation, Evaluator
from randori.core.game import Floats, Game, States
from randori.methods.alphazero.kernels.remembering import Memory, empty_memory, keep, recall


@dataclass(frozen=True, eq=False)
class Remembering:
    """Another evaluator, with a policy and without chance, that remembers its evaluations of at least the last `positions`.

    The search for a move meets a third of the positions again that the search for the move before met. Unlike other
    evaluators it serves one thread.
    """

    game: Game
    evaluator: Evaluator
    positions: int

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        states = np.ascontiguousarray(states, np.uint64)
        values = np.empty(len(states))
        policies = np.empty((len(states), self.game.n_actions), np.float32)
        for begin in range(0, len(states), self.positions):
            part = slice(begin, begin + self.positions)
            self._fill(states[part], values[part], policies[part], rng)
        return Evaluation(values, policies)

    def _fill(self, states: States, values: Floats, policies: NDArray[np.float32], rng: np.random.Generator) -> None:
        missing = np.empty(len(states), np.int64)
        missing = missing[: recall(self._memory, self.positions, states, values, policies, missing)]
        if not len(missing):
            return
        evaluation = self.evaluator(states[missing], rng)
        assert evaluation.policy is not None
        new_values = np.asarray(evaluation.values, np.float64)
        new_policies = np.ascontiguousarray(evaluation.policy, np.float32)
        keep(self._memory, states, missing, new_values, new_policies, values, policies)

    @cached_property
    def _memory(self) -> Memory:
        return empty_memory(2 * self.positions, self.game.words, self.game.n_actions)
