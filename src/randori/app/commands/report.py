"""`randori report`."""

import shlex
from pathlib import Path

from tyro.conf import Positional

from randori.app.plugins import plugin_flags
from randori.app.terminal import print_json
from randori.experiments.report import Report, league


def report(runs: Positional[tuple[Path, ...]], out: Path, json: bool = False) -> None:
    """Compares runs: their ratings, and plots of rating against CPU seconds.

    Args:
        runs: Folders of runs, finished or not.
        out: Where `report.md`, `report.json` and the plots go.
        json: Print the figures as one JSON object instead of Markdown.
    """
    command = shlex.join(["randori", "report", *map(str, runs), "--out", str(out), *plugin_flags()])
    show(league(runs, command), out, json)


def show(made: Report, folder: Path, json: bool) -> None:
    """Saves a report, and prints it."""
    made.save(folder)
    if json:
        print_json(made.summary())
    else:
        print(made.markdown())
        print(f"Written to {folder / 'report.md'}.")
