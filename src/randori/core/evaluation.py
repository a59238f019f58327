"""What an evaluator is: it says what positions are worth."""

from typing import NamedTuple, Protocol

import numpy as np

from randori.core.game import Floats, States
from randori.kernels.judges import Judge, judge_all


class Evaluation(NamedTuple):
    """Values `[B]` in -1 .. 1 for the side to move, and, where there is one, a policy `[B, A]` over its actions."""

    values: Floats
    policy: Floats | None = None


class Evaluator(Protocol):
    """Keeps nothing between calls. It is asked about positions that are not over; the rules know the others."""

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation: ...


class CompiledEvaluator(Evaluator, Protocol):
    """An evaluator that kernels can ask too: its judge gives the same values."""

    @property
    def judge(self) -> Judge: ...


def judge_of(evaluator: Evaluator) -> Judge | None:
    """None for an evaluator in Python."""
    judge: Judge | None = getattr(evaluator, "judge", None)
    return judge


def values_by(judge: Judge, states: States) -> Floats:
    """`[B]`: what a judge says of each position."""
    values = np.empty(len(states))
    judge_all(judge.table, np.ascontiguousarray(states, np.uint64), values)
    return values
