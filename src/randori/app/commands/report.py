"""`randori report`."""

import shlex
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from randori.app.flags import JsonFlag
from randori.app.plugins import plugin_flags
from randori.app.terminal import print_json
from randori.experiments.report import Report, league

RunsFlag = Annotated[
    tuple[Path, ...],
    Positional,
    arg(metavar="RUN...", help="Folders of runs, finished or not.", help_behavior_hint=""),
]


def report(runs: RunsFlag, out: Annotated[Path, arg(metavar="FOLDER")], json: JsonFlag = False) -> None:
    """Compares runs: their ratings, and plots of rating against CPU seconds.

    Args:
        out: Where `report.md`, `report.json` and the plots go.
    """
    command = shlex.join(["randori", "report", *map(str, runs), "--out", str(out), *plugin_flags()])
    show(league(runs, command), out, json)


def show(report: Report, folder: Path, json: bool) -> None:
    """Saves a report, and prints it."""
    report.save(folder)
    if json:
        print_json(report.summary())
    else:
        print(report.markdown())
        print(f"Written to {folder / 'report.md'}.")
