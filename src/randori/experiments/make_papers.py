"""Writes the page over all papers, and each `report.md`, from the `report.json` files of a folder:
`python -m randori.experiments.make_papers [FOLDER]`.

The published figures that lie outside our interval and have no measured explanation come first.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from randori.experiments.findings import Figure
from randori.experiments.papers import papers
from randori.experiments.report import NOTHING, Report, Table, markdown_table, read_report
from randori.methods import Paper
from randori.tensorfile import write_whole

FOLDER, PAGE, REPORT = Path("docs/papers"), "README.md", "report.json"
COMMAND = "python -m randori.experiments.make_papers"


class Published(NamedTuple):
    """A figure that has a published one beside it, and its table."""

    paper: str
    table: Table
    figure: Figure


def page(folder: Path) -> str:
    """The page over all reports of a folder."""
    known = sorted((it.paper for it in papers().values() if it.paper is not None), key=lambda it: it.name)
    reports = {it.name: _reports(folder, it.name) for it in known}
    parts = ["# The papers, reproduced\n", f"Written by `{COMMAND}` from the reports in this folder.\n"]
    parts += _open([it for name, found in reports.items() for it in _published(name, list(found.values()))])
    for paper in known:
        parts += _section(folder, paper, reports[paper.name])
    return "\n".join(parts)


def _reports(folder: Path, paper: str) -> dict[str, Report]:
    """By file: the report of the whole paper, then those of single tables with claims, in folders of their own."""
    whole, alone = folder / paper / REPORT, sorted(folder.glob(f"{paper}/*/{REPORT}"))
    found = {it: read_report(it) for it in (whole, *alone) if it.is_file()}
    return {
        it.relative_to(folder).with_suffix(".md").as_posix(): found[it]
        for it in found
        if it == whole or found[it].claims
    }


def _published(paper: str, reports: list[Report]) -> Iterator[Published]:
    """A table that was made separately, later, replaces that of the whole report."""
    alone = {_number(table) for report in reports[1:] for table in report.tables}
    for place, report in enumerate(reports):
        for table in report.tables:
            if place or _number(table) not in alone:
                yield from (Published(paper, table, it) for it in table.figures if it.standing is not None)


def _number(table: Table) -> str:
    """Such as `Table 2`."""
    return table.title.partition(":")[0]


def _open(published: list[Published]) -> list[str]:
    counts = {name: sum(it.figure.standing == name for it in published) for name in ("inside", "explained", "open")}
    summary = (
        f"Of {len(published)} published figures, {counts['inside']} lie inside our 95% interval and {counts['explained']} lie "
        "outside it with a measured explanation, given below their table. "
        + ("None has neither." if counts["open"] == 0 else f"These {counts['open']} have neither:")
    )
    parts = ["## Published figures without an explanation\n", f"{summary}\n"]
    if counts["open"]:
        rows = [_row(it) for it in published if it.figure.standing == "open"]
        parts.append(markdown_table(["", "published", "ours", "95% interval"], rows))
    return parts


def _row(it: Published) -> list[str]:
    digits = it.table.digits
    ours = NOTHING if it.figure.ours is None else f"{it.figure.ours:.{digits}f}"
    interval = NOTHING if it.figure.interval is None else " .. ".join(f"{end:.{digits}f}" for end in it.figure.interval)
    return [f"{it.paper}, {_number(it.table)}: {it.figure.what}", f"{it.figure.published:.{digits}f}", ours, interval]


def _section(folder: Path, paper: Paper, reports: dict[str, Report]) -> list[str]:
    links = [f"[notes]({paper.name}.md)"] if (folder / f"{paper.name}.md").is_file() else []
    parts = [f"## {paper.authors}\n"]
    if not reports:
        return [*parts, f"{', '.join(links)} There is no report yet: `randori reproduce {paper.name}` makes one.\n"]
    for place, report in reports.items():
        parts.append(f"{report.title}: {', '.join([*links, f'[report]({place})'])}. {report.provenance()}\n")
        if report.claims:
            parts.append(report.claims_in_words())
        links = []
    return parts


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0]) if arguments else FOLDER
    for path in sorted(folder.rglob(REPORT)):
        write_whole(path.with_suffix(".md"), read_report(path).markdown().encode())
    write_whole(folder / PAGE, page(folder).encode())
    print(f"Written to {folder / PAGE}.")


if __name__ == "__main__":
    main(sys.argv[1:])
