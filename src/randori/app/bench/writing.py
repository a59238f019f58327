"""Figures as tables of Markdown, printed or put into a document."""

import re
import sys
from pathlib import Path

from randori.app.bench.benchmark import Measured
from randori.app.bench.machine import machine
from randori.errors import UserError

# <!-- bench: uct/,solver/othello12 --> ... <!-- end of bench -->: between them stands the table of these rows, and of all
# whose names begin with one that ends in a slash.
_MARKED = re.compile(r"(<!-- bench: (\S+) -->\n).*?(<!-- end of bench -->)", re.DOTALL)


def figure(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def markdown(measured: list[Measured]) -> tuple[list[str], list[list[str]]]:
    """The heading and the cells; columns that no row has are left out."""
    columns = ["", "unit", "ours", "peer", "theirs", "ratio", "best known"]
    cells = [
        [
            *(it.name, it.unit, figure(it.ours), it.peer or "", figure(it.theirs)),
            "" if it.theirs is None else figure(it.ours / it.theirs),
            "" if it.known is None else f"{figure(it.known.figure)} ({it.known.source})",
        ]
        for it in measured
    ]
    kept = [column for column, _ in enumerate(columns) if column < 3 or any(row[column] for row in cells)]
    return [columns[it] for it in kept], [[row[it] for it in kept] for row in cells]


def write_into(path: Path, measured: list[Measured]) -> None:
    """Replaces each marked table that has a measured row. Raises UserError if there is none."""
    text = path.read_text(encoding="utf-8")
    if not _MARKED.search(text):
        raise UserError(f"{path} has no table marked by `<!-- bench: NAMES -->` and `<!-- end of bench -->`.")

    def replaced(found: re.Match[str]) -> str:
        names = found[2].split(",")
        groups = tuple(it for it in names if it.endswith("/"))
        rows = [it for it in measured if it.name in names or it.name.startswith(groups)]
        return f"{found[1]}{_table(rows)}{found[3]}" if rows else found[0]

    path.write_text(_MARKED.sub(replaced, text), encoding="utf-8", newline="\n")


def _table(rows: list[Measured]) -> str:
    columns, cells = markdown(rows)
    lines = [["row", *columns[1:]], [":--", ":--", *("--:" for _ in columns[2:])], *cells]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"Measured on {machine()}.\n\n{table}\n"


def publish(name: str, text: str) -> None:
    """Prints a text and puts it into each file that the command line names, between the comments that mark its place."""
    print(text)
    for path in map(Path, sys.argv[1:]):
        fill(path, name, text)


def fill(path: Path, name: str, text: str) -> None:
    """Replaces what stands between `<!-- name -->` and `<!-- end of name -->`."""
    marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    old = path.read_text(encoding="utf-8")
    path.write_text(marked.sub(lambda found: f"{found[1]}{text}\n{found[2]}", old), encoding="utf-8", newline="\n")
