"""What an evaluator is: it says what positions are worth."""

from typing import NamedTuple, Protocol

import numpy as np

from randori.core.game import Floats, States


class Evaluation(NamedTuple):
    """Values `[B]` in -1 .. 1 for the side to move, and, where there is one, a policy `[B, A]` over its actions."""

    values: Floats
    policy: Floats | None = None


class Evaluator(Protocol):
    """Keeps nothing between calls. It is asked about positions that are not over; the rules know the others."""

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation: ...
