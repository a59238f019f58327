"""How far a report is: a bar with the time left where somebody watches, else a line now and then."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task
from rich.text import Text

from randori.errors import duration
from randori.experiments.spent import Spent

SECONDS_A_LINE = 60.0
_SECONDS_TO_JUDGE = 5.0
"""Before them nobody knows how fast it is."""


class Shown(NamedTuple):
    """What is called as the work goes on."""

    tell: Callable[[str], None]
    """Of a step that begins."""
    show: Callable[[Spent, int, int], None]
    """As tasks end: how many of those at hand have."""
    retell: Callable[[str], None]
    """What is being done, where that changes more often than anybody wants to read in a log."""
    expect: Callable[[float], None]
    """How many CPU seconds are left, where that is known better than at the beginning."""


class Pace:
    """What is being done, how much of it is done, and how long the rest takes."""

    def __init__(self, cpu_minutes: float | None) -> None:
        self._expected = None if cpu_minutes is None else 60 * cpu_minutes
        self._began = self._step_began = time.monotonic()
        self._what, self._ended, self._of, self._spent = "", 0, 0, 0.0
        self._ends_at: float | None = None
        self.share: float | None = None
        """Of all the work; None where nobody knows how much that is."""

    def expect(self, left: float) -> None:
        """So many CPU seconds are left from here on."""
        self._expected = self._spent + left

    def begin(self, what: str) -> None:
        self._what, self._ended, self._of = what, 0, 0

    def update(self, spent: Spent, ended: int, of: int) -> None:
        now = time.monotonic()
        if of != self._of or ended <= self._ended:
            self._step_began = now
        self._ended, self._of, self._spent = ended, of, spent.seconds
        if self._expected is not None:
            self.share = min(spent.seconds / max(self._expected, 1e-9), 1.0)
            speed = spent.here / max(now - self._began, 1e-9)
            left = (self._expected - spent.seconds) / max(speed, 1e-9)
            self._ends_at = now + left if left > 0 and now - self._began >= _SECONDS_TO_JUDGE else None

    def words(self) -> str:
        done = f"{self._ended} of {self._of}" if self._of > 1 else ""
        left = "" if self._ends_at is None else f"{duration(max(self._ends_at - time.monotonic(), 1.0))} left"
        return ", ".join(filter(None, (self._what, done, left or self._left_of_step())))

    def _left_of_step(self) -> str:
        """By the pace of the tasks at hand since the first of them ended."""
        took = time.monotonic() - self._step_began
        if self._of < 2 or self._ended < 2 or took < _SECONDS_TO_JUDGE:
            return ""
        return f"{duration((self._of - self._ended) * took / (self._ended - 1))} left for these"


class _Words(ProgressColumn):
    def __init__(self, pace: Pace) -> None:
        super().__init__()
        self._pace = pace

    def render(self, task: Task) -> Text:
        return Text(self._pace.words())


@contextmanager
def shown(cpu_minutes: float | None) -> Iterator[Shown]:
    """What to say of each step, and what to show as tasks end; both go to stderr."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    pace, said_at = Pace(cpu_minutes), time.monotonic()

    def say() -> None:
        nonlocal said_at
        said_at = time.monotonic()
        if not console.is_terminal:
            console.print(f"randori: {pace.words()}", markup=False)

    with Progress(BarColumn(12), _Words(pace), console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("", total=None if cpu_minutes is None else 1.0)

        def tell(what: str) -> None:
            pace.begin(what)
            say()

        def show(spent: Spent, ended: int, of: int) -> None:
            pace.update(spent, ended, of)
            if pace.share is not None:
                bar.update(task, completed=pace.share)
            if time.monotonic() - said_at >= SECONDS_A_LINE:
                say()

        yield Shown(tell, show, pace.begin, pace.expect)
