"""What the terminal shows of a training: how far it is, what it does now, and how long it will take."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress

from randori.app.terminal import Words, on_clock
from randori.arena.ratings import at_bound, in_words
from randori.experiments import Progress as Stage
from randori.experiments import Recipe
from randori.experiments.gauge import Strength

__all__ = ["TrainingWatch", "pace", "watched"]


class TrainingWatch:
    """Follows a training; `say` prints a sentence on stderr."""

    def __init__(self, recipe: Recipe, console: Console) -> None:
        self._recipe, self._console = recipe, console
        self._stage, self._at = Stage(), time.monotonic()
        self._first: Stage | None = None
        """The first stage of this session that was shown."""
        self._rating = ""
        self._rating_games = 0

    def say(self, sentence: str) -> None:
        self._console.print(f"randori: {sentence}", markup=False)

    def show(self, stage: Stage, strength: Strength | None) -> None:
        self._first = self._first or Stage(stage.round, stage.games, stage.seconds)
        self._stage, self._at, self._rating_games = stage, time.monotonic(), 0
        if strength is not None:
            figure = at_bound(f"{strength['elo']:.0f}", strength["extrapolated"])
            self._rating = f", rating {figure}"
            if not self._console.is_terminal:
                self.say(f"{pace(stage)}, rating {in_words(strength)}")

    def add_rating_games(self, n: int) -> None:
        self._rating_games += n

    def share(self) -> float:
        """How much of the run is done."""
        recipe, stage = self._recipe, self._stage
        by_rounds = stage.round / max(recipe.rounds, 1) if recipe.rounds is not None else 0.0
        by_time = self._seconds / max(recipe.budget, 1e-9) if recipe.budget is not None else 0.0
        return min(max(by_rounds, by_time), 1.0)

    @property
    def _seconds(self) -> float:
        return self._stage.seconds + time.monotonic() - self._at

    def seconds_left(self) -> float | None:
        """By the budget, or by the time that rounds have taken; None if nobody can know."""
        recipe, known = self._recipe, []
        if recipe.budget is not None:
            known.append(recipe.budget - self._seconds)
        rounds = 0 if self._first is None else self._stage.round - self._first.round
        if recipe.rounds is not None and self._first is not None and rounds:
            a_round = (self._stage.seconds - self._first.seconds) / rounds
            known.append((recipe.rounds - self._stage.round) * a_round + self._stage.seconds - self._seconds)
        return min(known) if known else None

    def words(self) -> str:
        """Narrow enough for a terminal of 80 columns."""
        left = self.seconds_left()
        if self._rating_games:
            doing = f"being rated, {self._rating_games} games played"
        else:
            doing = pace(self._stage) if self._stage.round else "first round"
        # A rating may take longer than expected: "0:00:00 left" would stay there too long.
        then = f", {on_clock(left)} left" if left is not None and left >= 1 else ""
        return f"{doing}{then}{self._rating}"


@contextmanager
def watched(recipe: Recipe) -> Iterator[TrainingWatch]:
    """A bar on stderr where somebody watches it; elsewhere a line for each rating."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    watch = TrainingWatch(recipe, console)
    limited = recipe.rounds is not None or recipe.budget is not None
    words = Words(watch.words, watch.share)
    with Progress(BarColumn(12), words, console=console, disable=not console.is_terminal, transient=True) as bar:
        bar.add_task("training", total=1.0 if limited else None)
        yield watch


def pace(stage: Stage) -> str:
    return f"round {stage.round:,}, {stage.games / max(stage.seconds, 1e-9):,.0f} games/s"
