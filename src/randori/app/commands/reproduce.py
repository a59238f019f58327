"""`randori reproduce`."""

import sys
from pathlib import Path
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional, arg

from randori.app.beside import beside, end_interrupted
from randori.app.commands.report import show
from randori.app.commands.reproduce_progress import progress_display
from randori.app.flags import JsonFlag, SeedFlag, WorkersFlag
from randori.app.parsing import parse, wrapped
from randori.errors import UserError, duration
from randori.experiments import papers
from randori.experiments.cpu import CountingWorkers
from randori.methods import Paper

_ABOUT = "Reproduces a paper's tables, ours beside the published figures. Run again, the same command continues where it stopped."


def main(arguments: list[str]) -> None:
    """Its help lists the papers."""
    if not arguments:
        print(wrapped(f"usage: randori reproduce PAPER [--scale S] [--table N] [--help]\n\n{_overview()}"))
        sys.exit(2)
    parse(reproduce, "randori reproduce", _overview(), arguments, FlagCreatePairsOff)


def reproduce(
    paper: Annotated[Positional[str], arg(metavar="PAPER")],
    scale: Annotated[str | None, arg(metavar="S", help_behavior_hint="(default: the paper's first)")] = None,
    table: Annotated[int | None, arg(metavar="N", help_behavior_hint="(default: all)")] = None,
    out: Annotated[
        Path | None,
        arg(metavar="FOLDER", help_behavior_hint="(default: runs/PAPER-SCALE, or one of its own for another seed)"),
    ] = None,
    seed: SeedFlag = 0,
    workers: WorkersFlag = None,
    ray: Annotated[str | None, arg(metavar="ADDRESS", help_behavior_hint="")] = None,
    json: JsonFlag = False,
) -> None:
    """Reproduces a paper's tables.

    Args:
        paper: The paper's name.
        scale: How much to run.
        table: Only the table with this number.
        out: The folder for the runs and the report.
        ray: Work on the Ray cluster at this address, whose nodes all see the folder; `auto` starts one here.
    """
    found = papers.find_paper(paper)
    scale = next(iter(found.scales), "") if scale is None else scale
    papers.check_asked(found, scale, table)
    if seed < 0:
        raise UserError(f"--seed must be 0 or more, not {seed}.")
    folder = out or Path("runs") / (f"{paper}-{scale}" + (f"-seed-{seed}" if seed else ""))
    expected = papers.cpu_minutes(found, scale) if table is None else None
    with CountingWorkers(workers, ray=ray) as staff:
        try:
            with progress_display(expected) as progress:
                made = beside(
                    lambda: papers.reproduce(
                        paper,
                        scale,
                        table,
                        folder,
                        staff,
                        seed=seed,
                        tell=progress.on_step,
                        show=progress.on_task_end,
                    )
                )
        except KeyboardInterrupt:
            end_interrupted()
    show(made, folder, json)


def _overview() -> str:
    known = [it.paper for it in papers.papers().values() if it.paper is not None]
    return "\n\n".join([_ABOUT, *map(_told_of, known)])


def _told_of(paper: Paper) -> str:
    times = {name: _time(papers.cpu_minutes(paper, name)) for name in paper.scales}
    scales = [f"  --scale {name}: {it.meaning}; {times[name]}" for name, it in paper.scales.items()]
    tables = [f"  --table {number}: {title}" for number, title in paper.tables.items()]
    return "\n".join([f"{paper.name} ({paper.authors})", *scales, *tables])


def _time(cpu_minutes: float | None) -> str:
    return "time not yet measured" if cpu_minutes is None else f"{duration(60 * cpu_minutes)} of CPU time"
