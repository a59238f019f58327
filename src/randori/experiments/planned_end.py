"""When a training with a budget ends, for learners whose steps become smaller towards the end.

How many rounds fit into a budget depends on the machine. So the clock decides only once: the end stays open until half of the
budget is used, and is then set to as many further rounds as fit at the pace so far. From then on rounds count. Whoever continues
a killed run, or repeats it with the settings and rounds on its card, gets the same player. A larger budget, given later, opens
the end again, and is half used when half of what it adds is.
"""

import math

from randori.experiments.recipe import Recipe
from randori.experiments.run import Progress
from randori.methods import Annealing, Learner

_DECIDED_AFTER = 0.5
"""Of the time for learning."""


class PlannedEnd:
    """Knows when a recipe is complete, and sets the end of a learner that has to know it."""

    def __init__(self, recipe: Recipe, learner: Learner, progress: Progress, *, cpu_seconds: float = math.inf) -> None:
        """Before the first round of a session, with the progress of earlier ones. After `cpu_seconds` of learning the recipe
        is complete, too."""
        self._recipe, self._cpu_seconds = recipe, cpu_seconds
        by_clock = recipe.rounds is None and recipe.budget is not None
        self._learner = learner if by_clock and isinstance(learner, Annealing) else None
        self._first: tuple[int, float] | None = None
        """The first round of this session and the seconds at its end: it may have waited for kernels to compile."""
        is_longer = progress.planned is not None and progress.planned != recipe.budget
        if self._learner is not None and not self._learner.end_is_open and (is_longer or not progress.round):
            self._learner.open_end()

    def is_complete(self, progress: Progress) -> bool:
        """Whether there is nothing left to learn; the last rating may be missing."""
        if progress.cpu_seconds >= self._cpu_seconds:
            return True
        if progress.last_round is not None and progress.planned == self._recipe.budget:
            return progress.round >= progress.last_round
        return self._recipe.is_fulfilled(progress.round, progress.seconds)

    def decide_if_due(self, progress: Progress) -> None:
        """After each round."""
        seconds = self._recipe.learning_seconds
        if self._learner is None or seconds is None or not self._learner.end_is_open:
            return
        if self._first is None:
            self._first = progress.round, progress.seconds
            return
        begun = progress.planned or 0.0
        if begun + _DECIDED_AFTER * (seconds - begun) <= progress.seconds < seconds:
            round_then, seconds_then = self._first
            pace = (progress.seconds - seconds_then) / (progress.round - round_then)
            left = max(1, round((seconds - progress.seconds) / pace))
            progress.planned, progress.last_round = self._recipe.budget, progress.round + left
            self._learner.end_after(left)
