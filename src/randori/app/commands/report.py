"""`randori report` and `randori reproduce`."""

import shlex
from pathlib import Path

from tyro.conf import Positional

from randori.app.terminal import print_json
from randori.experiments.cpu import CountingWorkers
from randori.experiments.papers import Scale, load_paper
from randori.experiments.report import Report, league


def report(runs: Positional[tuple[Path, ...]], out: Path, json: bool = False) -> None:
    """Compares runs: their ratings, and plots of rating against CPU seconds.

    Args:
        runs: Folders of runs, finished or not.
        out: Where `report.md`, `report.json` and the plots go.
        json: Print the figures as one JSON object instead of Markdown.
    """
    command = shlex.join(["randori", "report", *map(str, runs), "--out", str(out)])
    _show(league(runs, command), out, json)


def reproduce(
    paper: Positional[str],
    scale: Scale = "quick",
    table: int | None = None,
    out: Path | None = None,
    workers: int | None = None,
    json: bool = False,
) -> None:
    """Makes a paper's tables again, ours beside the published numbers.

    Args:
        paper: Its name.
        scale: `quick` for minutes and wide intervals, `full` for the paper's own numbers of games.
        table: Only the table of this number in the paper.
        out: Where runs and report go; without it `runs/PAPER-SCALE`. The same command again goes on.
        workers: Processes. Without it more than one where it takes long.
        json: Print the figures as one JSON object instead of Markdown.
    """
    make = load_paper(paper)
    folder = out or Path("runs") / f"{paper}-{scale}"
    with CountingWorkers(workers) as staff:
        _show(make(scale, table, folder, staff), folder, json)


def _show(made: Report, folder: Path, json: bool) -> None:
    made.save(folder)
    if json:
        print_json(made.summary())
    else:
        print(made.markdown())
        print(f"Written to {folder / 'report.md'}.")
