"""Shows how far a long command is: a bar with the time left in a terminal, else a line now and then."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task
from rich.text import Text

from randori.errors import duration
from randori.experiments.progress import ProgressCallbacks
from randori.experiments.spent import Spent

SECONDS_PER_LINE = 60.0
_SECONDS_TO_JUDGE = 5.0
"""Any earlier, nobody knows how fast the work is."""


class Pace:
    """The step under way, the share of the work that is done, and how long the rest takes."""

    def __init__(self, cpu_minutes: float | None) -> None:
        self._expected = None if cpu_minutes is None else 60 * cpu_minutes
        self._began = self._step_began = time.monotonic()
        self._step, self._n_ended, self._n_tasks = "", 0, 0
        self._spent: float | None = None
        """CPU seconds with earlier sessions; None until a task has ended in this one."""
        self._left_at_first: float | None = None
        """An estimate from before that."""
        self._ends_at: float | None = None
        self.share: float | None = None
        """Of all the work; None where nobody knows how much that is."""

    def expect(self, cpu_seconds_left: float) -> None:
        if self._spent is None:
            self._left_at_first = cpu_seconds_left
        else:
            self._expected = self._spent + cpu_seconds_left

    def begin(self, step: str) -> None:
        self._step, self._n_ended, self._n_tasks = step, 0, 0

    def update(self, spent: Spent, n_ended: int, n_tasks: int) -> None:
        now = time.monotonic()
        if n_tasks != self._n_tasks or n_ended <= self._n_ended:
            self._step_began = now
        if self._left_at_first is not None:
            self._expected, self._left_at_first = spent.earlier + self._left_at_first, None
        self._n_ended, self._n_tasks, self._spent = n_ended, n_tasks, spent.seconds
        if self._expected is not None:
            self.share = min(spent.seconds / max(self._expected, 1e-9), 1.0)
            speed = spent.here / max(now - self._began, 1e-9)
            left = (self._expected - spent.seconds) / max(speed, 1e-9)
            self._ends_at = now + left if left > 0 and now - self._began >= _SECONDS_TO_JUDGE else None

    def words(self) -> str:
        done = f"{self._n_ended} of {self._n_tasks}" if self._n_tasks > 1 else ""
        left = "" if self._ends_at is None else f"{duration(max(self._ends_at - time.monotonic(), 1.0))} left"
        return ", ".join(filter(None, (self._step, done, left or self._left_of_step())))

    def _left_of_step(self) -> str:
        """Judged by the tasks at hand, from the end of the first one."""
        took = time.monotonic() - self._step_began
        if self._n_tasks < 2 or self._n_ended < 2 or took < _SECONDS_TO_JUDGE:
            return ""
        return f"{duration((self._n_tasks - self._n_ended) * took / (self._n_ended - 1))} left for these"


class _Words(ProgressColumn):
    def __init__(self, pace: Pace) -> None:
        super().__init__()
        self._pace = pace

    def render(self, task: Task) -> Text:
        return Text(self._pace.words())


@contextmanager
def progress_display(cpu_minutes: float | None) -> Iterator[ProgressCallbacks]:
    """Shows progress on stderr; yields the callbacks that keep it up to date."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    pace, printed_at = Pace(cpu_minutes), time.monotonic()

    def print_line() -> None:
        nonlocal printed_at
        printed_at = time.monotonic()
        if not console.is_terminal:
            console.print(f"randori: {pace.words()}", markup=False)

    with Progress(BarColumn(12), _Words(pace), console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("", total=None if cpu_minutes is None else 1.0)

        def begin_step(step: str) -> None:
            pace.begin(step)
            print_line()

        def end_task(spent: Spent, n_ended: int, n_tasks: int) -> None:
            pace.update(spent, n_ended, n_tasks)
            if pace.share is not None:
                bar.update(task, completed=pace.share)
            if time.monotonic() - printed_at >= SECONDS_PER_LINE:
                print_line()

        yield ProgressCallbacks(begin_step, pace.begin, end_task, pace.expect)
