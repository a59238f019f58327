"""What commands show: tables on stdout, progress on stderr, JSON alone on stdout when asked for."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

_DAY = 86400.0


def print_json(value: dict[str, Any]) -> None:
    print(json.dumps(value, indent=2))


def print_table(columns: list[str], rows: list[list[str]], title: str | None = None) -> None:
    """The first column is text, the others are numbers."""
    table = Table(title=title, title_justify="left")
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index == 0 else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    Console().print(table)


@contextmanager
def progress(total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """A bar with the time left, on stderr and only where somebody watches it; yields what advances it."""
    console = Console(stderr=True)
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task(unit, total=total)
        yield lambda n: bar.advance(task, n)


def duration(seconds: float) -> str:
    """In words, with about two digits."""
    if seconds > 100 * 365 * _DAY:
        return "longer than a life"
    for name, length in (("years", 365 * _DAY), ("days", _DAY), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"about {seconds / length:.0f} {name}"
    return f"about {seconds:.0f} seconds"


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"
