"""What commands show: tables on stdout, progress on stderr, JSON alone on stdout when asked for."""

import json
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task
from rich.table import Table
from rich.text import Text

from randori.app.plugins import plugin_flags

_SILENCE = 30.0  # seconds from one line to the next, in a log


def print_json(value: dict[str, Any]) -> None:
    print(json.dumps(value, indent=2))


def print_table(columns: list[str], rows: list[list[str]], title: str | None = None) -> None:
    """The first column is text, folded where the terminal is narrow; the others are numbers, which stay whole."""
    table = Table(title=title, title_justify="left")
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index else "left", no_wrap=index > 0, overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console().print(table)


class Pace:
    """The progress of work with this many steps, in words."""

    def __init__(self, total: int, unit: str) -> None:
        self._total, self._unit = total, unit
        self._done, self._began = 0, time.monotonic()
        self._last = self._began
        """When the last step ended."""

    def add(self, n: int) -> None:
        self._done, self._last = self._done + n, time.monotonic()

    def share(self) -> float:
        return min(self._done / max(self._total, 1), 1.0)

    def words(self) -> str:
        """With the time that is left, as soon as it can be known, and until it is used up."""
        now = time.monotonic()
        left = ""
        if 0 < self._done < self._total:
            expected = (self._last - self._began) / self._done * (self._total - self._done) - (now - self._last)
            left = f", about {on_clock(expected)} left" if expected >= 1 else ""
        return f"{self._done:,} of {self._total:,} {self._unit}, {on_clock(now - self._began)} so far{left}"


class Words(ProgressColumn):
    """Words beside a bar, both looked up whenever they are drawn."""

    def __init__(self, words: Callable[[], str], share: Callable[[], float]) -> None:
        super().__init__()
        self._words, self._share = words, share

    def render(self, task: Task) -> Text:
        task.completed = self._share()
        return Text(self._words())


@contextmanager
def progress(total: int, unit: str, doing: str = "") -> Iterator[Callable[[int], None]]:
    """A bar with the time left, on stderr; in a log, a line every half minute. Yields the function that advances it.

    `doing` says what takes the time, in a line of its own: names of players are long.
    """
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    pace = Pace(total, unit)
    if doing and console.is_terminal:
        console.print(f"{doing} ...", markup=False)
    last_line = time.monotonic()

    def advance(n: int) -> None:
        nonlocal last_line
        pace.add(n)
        if not console.is_terminal and time.monotonic() - last_line >= _SILENCE:
            last_line = time.monotonic()
            console.print(f"randori: {doing}{': ' if doing else ''}{pace.words()}", markup=False)

    columns = (BarColumn(12), Words(pace.words, pace.share))
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        bar.add_task(unit, total=1.0)
        yield advance


def on_clock(seconds: float) -> str:
    """As in 0:02:10."""
    return str(timedelta(seconds=int(seconds)))


def print_next(*commands: list[str]) -> None:
    """Commands to type next; our own get the plugins of this command."""
    for words in commands:
        more = plugin_flags() if words[0] == "randori" else []
        print(f"next: {shlex.join([*words, *more])}")


def percent(share: float) -> str:
    return f"{100 * share:.1f}%"
