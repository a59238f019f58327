"""`randori pupil`."""

import shlex
import sys
from typing import Annotated

from tyro.conf import arg

from randori.app.flags import JsonFlag, PlayersGameFlag, RayFlag, ReportFolderFlag, SeedFlag, WorkersFlag
from randori.app.terminal import percent, print_json, print_next, print_table, progress
from randori.errors import UserError
from randori.experiments.schooling import EXAM_GAMES, PUPILS, grades, report
from randori.players import game_for
from randori.workers import Workers


def pupil(
    game: PlayersGameFlag = None,
    teachers: Annotated[tuple[str, ...], arg(metavar="PLAYER")] = ("random", "heuristic"),
    pupils: Annotated[int, arg(metavar="N")] = PUPILS,
    seed: SeedFlag = 0,
    workers: WorkersFlag = None,
    ray: RayFlag = None,
    out: ReportFolderFlag = None,
    json: JsonFlag = False,
) -> None:
    """Measures what pupils learn from simulated people: their score against the teacher, by the number of games with it.

    Args:
        teachers: Players that stand in for people.
        pupils: How many pupils each teacher has.
    """
    if pupils < 1 or not teachers:
        raise UserError("Name at least one teacher, and at least one pupil for each.")
    rules = game_for(teachers, game)
    with Workers(workers, ray=ray) as staff, progress(len(teachers) * pupils, "pupils", "teaching") as advance:
        graded = {it: grades(rules, it, pupils, seed, staff, advance) for it in teachers}
    if out is not None:
        report(rules, graded, shlex.join(["randori", *sys.argv[1:]])).save(out)
    if json:
        summaries = {spec: [it.summary() for it in rows] for spec, rows in graded.items()}
        print_json({"game": rules.name, "whose": "pupil", "pupils": pupils, "seed": seed, "teachers": summaries})
        return
    for spec, rows in graded.items():
        cells = [[str(it.lessons), percent(it.score.mean), " .. ".join(map(percent, it.score.interval))] for it in rows]
        print_table(["lessons", "score", "95% interval"], cells, title=f"{rules.title}: pupils of {spec}")
    print(f"  {pupils} pupils each, {EXAM_GAMES} games per exam, seed {seed}.")
    print_next(["randori", "play"])
