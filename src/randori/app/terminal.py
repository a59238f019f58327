"""What commands show: tables on stdout, progress on stderr, JSON alone on stdout when asked for."""

import json
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from randori.app.plugins import plugin_flags


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


def print_next(*commands: list[str]) -> None:
    """What one can do now, as one types it; ours know the plugins of this command."""
    for words in commands:
        more = plugin_flags() if words[0] == "randori" else []
        print(f"next: {shlex.join([*words, *more])}")


def percent(share: float) -> str:
    return f"{100 * share:.1f}%"
