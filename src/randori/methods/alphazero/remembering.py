"""Evaluations that are not asked for twice."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from randori.core.evaluation import Evaluation, Evaluator
from randori.core.game import States

_Said = dict[bytes, tuple[Any, Any]]


@dataclass(eq=False)
class Remembering:
    """Another evaluator, with a policy and without chance, that remembers what it said of the last `positions` at least.

    The search for a move meets a third of the positions again that the search for the move before met. Unlike other
    evaluators it serves one thread.
    """

    evaluator: Evaluator
    positions: int
    _recent: _Said = field(default_factory=dict, init=False)
    _older: _Said = field(default_factory=dict, init=False)

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        if len(self._recent) > self.positions:
            self._older, self._recent = self._recent, {}
        keys = [state.tobytes() for state in states]
        self._recent.update((key, self._older[key]) for key in keys if key in self._older)
        new = [row for row, key in enumerate(keys) if key not in self._recent]
        if new:
            told = self.evaluator(states[new], rng)
            assert told.policy is not None
            self._recent.update(
                zip((keys[row] for row in new), zip(told.values, told.policy, strict=True), strict=True)
            )
        values, policies = zip(*(self._recent[key] for key in keys), strict=True)
        return Evaluation(np.array(values), np.array(policies))
