"""`randori bench`: speed on this machine, beside other programs or beside an earlier version."""

from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from randori.app.bench import (
    cold,
    default_players,
    evolution,
    flow,
    learning,
    lookahead,
    maps,
    networks,
    patterns,
    playouts,
    solver,
    uct,
)
from randori.app.bench.benchmark import Measured, Row
from randori.app.bench.comparing import Compared, compare_with_commit, compare_with_file
from randori.app.bench.machine import machine
from randori.app.bench.writing import markdown, write_into
from randori.app.flags import JsonFlag, Switch
from randori.app.terminal import print_json, print_next, print_table, progress
from randori.errors import UserError

_MEASURED = (
    playouts,
    uct,
    lookahead,
    solver,
    evolution,
    networks,
    maps,
    patterns,
    default_players,
    learning,
    flow,
    cold,
)


def rows() -> list[Row]:
    return [row for what in _MEASURED for row in what.benchmarks()]


def bench(
    peers: Switch = False,
    only: Annotated[str, arg(metavar="NAMES", help_behavior_hint="")] = "",
    compare: Annotated[str | None, arg(metavar="COMMIT|FILE", help_behavior_hint="")] = None,
    into: Annotated[tuple[Path, ...], arg(metavar="FILE ...", help_behavior_hint="")] = (),
    json: JsonFlag = False,
) -> None:
    """Measures speed on this machine, beside other programs if they are installed.

    Rows that use one core are timed by CPU time, the others by the clock. Each `cold/` and `memory/` row starts a process
    with an empty cache, and `learn/` rows learn for a while; both take minutes, so these are measured only when --only
    names them.

    Args:
        peers: Also measure other programs at the same task, in turns with ours.
        only: Measure only rows whose names begin with one of these, separated by commas: `playouts/,uct/`.
        compare: Print ratios to an earlier version: a commit, measured in turns with this one, or a file that --json wrote.
        into: Write the figures into these Markdown files, into the tables marked by a comment, as in the README.
    """
    chosen = _chosen(only)
    if compare is not None:
        _print_comparison(_compared(chosen, compare), compare, json)
        return
    measured = []
    with progress(len(chosen), "rows", "measuring") as advance:
        for it in chosen:
            measured.append(it.measure(peers))
            advance(1)
    for path in into:
        write_into(path, measured)
    if json:
        print_json({"machine": machine(), "rows": [it.summary() for it in measured]})
    elif not into:
        _print(measured)
        if not peers:
            print_next(["randori", "bench", "--peers", *(["--only", only] if only else [])])


def _chosen(only: str) -> list[Row]:
    names = tuple(filter(None, only.split(",")))
    found = [it for it in rows() if (it.name.startswith(names) if names else not it.asked_for)]
    if not found:
        groups = dict.fromkeys(f"{it.name.partition('/')[0]}/" for it in rows())
        raise UserError(f"No row begins with '{only}'. Rows begin with {', '.join(groups)}.")
    return found


def _compared(chosen: list[Row], other: str) -> list[Compared]:
    if Path(other).is_file():
        return compare_with_file(chosen, Path(other))
    return compare_with_commit(chosen, other)


def _print(measured: list[Measured]) -> None:
    columns, cells = markdown(measured)
    print_table(columns, cells, title=machine())


def _print_comparison(found: list[Compared], other: str, json: bool) -> None:
    if json:
        print_json({"machine": machine(), "compared_with": other, "rows": [it.summary() for it in found]})
        return
    print_table(["", "unit", "now", "then", "now / then"], [it.cells() for it in found], title=machine())
    print("A ratio above 1 is better now, for seconds and megabytes too.")
