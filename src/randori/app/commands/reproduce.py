"""`randori reproduce`."""

from pathlib import Path

from tyro.conf import Positional

from randori.app.commands.report import show
from randori.experiments import papers
from randori.experiments.cpu import CountingWorkers


def reproduce(
    paper: Positional[str],
    scale: str = "quick",
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
    folder = out or Path("runs") / f"{paper}-{scale}"
    with CountingWorkers(workers) as staff:
        show(papers.reproduce(paper, scale, table, folder, staff), folder, json)
