"""Snapshots of trainings by CPU time.

How many rounds a budget allows depends on the machine, and a little on chance. So the clock decides only once: a training
runs until its CPU time is used up, and the round that it reached is stored. From then on the round counts: whoever repeats
the training stops at that round, and gets the same player.
"""

import math
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from randori.errors import UserError
from randori.experiments.cpu import CountingWorkers
from randori.experiments.kept import kept
from randori.experiments.league.plan import Course, Guest
from randori.experiments.recipe import Recipe, train_command
from randori.experiments.train import train
from randori.players.files import PLAYER_FILE, read_card
from randori.reading import read_json
from randori.tensorfile import write_whole
from randori.workers import Workers

PLAYERS = "players"


@dataclass(frozen=True)
class Snapshot:
    """A line at one moment; `file` is its player in the folder of the game, None for a player without one."""

    line: str
    name: str
    """Unique in its game."""
    seed: int | None = None
    point: int | None = None
    """Which of the thresholds it was taken at."""
    round: int | None = None
    games: int | None = None
    cpu_seconds: float | None = None
    """Of learning; None where nobody knows."""
    file: str | None = None
    command: str | None = None
    """The command that trains the same player."""


class Point(NamedTuple):
    """When to take a snapshot: after so many CPU seconds, or after a round that is known already."""

    number: int
    cpu_seconds: float
    round: int | None = None


def take_snapshots(
    folder: Path,
    courses: Sequence[tuple[Course, Sequence[Point]]],
    workers: Workers,
    on_point: Callable[[float], None] = lambda cpu_seconds: None,
) -> list[list[Snapshot]]:
    """The snapshots of each course, in the folder of its game. A round at which several thresholds are reached appears once.

    All courses are trained to their first point, then to their second, and so on: each takes as long as all before it.
    `on_point` is called before each of them, with its CPU seconds.
    """
    found: list[list[Snapshot]] = [[] for _ in courses]
    for number in range(max((len(points) for _, points in courses), default=0)):
        going = [place for place, (_, points) in enumerate(courses) if number < len(points)]
        on_point(max(courses[place][1][number].cpu_seconds for place in going))
        tasks = [(folder, courses[place][0], courses[place][1][number]) for place in going]
        for place, snapshot in zip(going, workers.map(reach, tasks), strict=True):
            if not found[place] or found[place][-1].round != snapshot.round:
                found[place].append(snapshot)
    return found


def reach(folder: Path, course: Course, point: Point) -> Snapshot:
    """Trains a course up to a point and copies the player of that moment. A point that was reached before is only read."""
    of = {"recipe": course.recipe, "cpu_seconds": point.cpu_seconds, "round": point.round}
    path = folder / "points" / f"{course.name}-{point.number}.json"
    found = kept(path, of, lambda: _train_to(folder, course, point))
    name, recipe = f"{course.name}-{found['round']}", course.recipe
    file = f"{PLAYERS}/{name}.safetensors"
    if not (folder / file).is_file():
        raise UserError(
            f"'{folder / file}' is gone, and its training has continued: start again in another folder with --out."
        )
    command = train_command(recipe.learner, recipe.game, asdict(recipe.config), recipe.seed, found["round"])
    return Snapshot(course.line, name, recipe.seed, point.number, **found, file=file, command=command)


def reached(folder: Path, course: Course) -> float:
    """CPU seconds that a course has learned for, according to its snapshots."""
    seconds = 0.0
    for path in (folder / "points").glob(f"{course.name}-*.json"):
        with suppress(UserError, LookupError):  # a damaged one is made again
            seconds = max(seconds, read_json(path)["found"]["cpu_seconds"])
    return seconds


def _train_to(folder: Path, course: Course, point: Point) -> dict[str, Any]:
    recipe, run = replace(course.recipe, rounds=point.round), folder / "runs" / course.name
    _warm_up(replace(course.recipe, seed=0, rounds=1))
    run.parent.mkdir(parents=True, exist_ok=True)
    limit = point.cpu_seconds if point.round is None else math.inf
    with CountingWorkers(1) as staff:
        progress, complete = train(recipe, run, staff, cpu_seconds=limit)
    if not complete:
        raise KeyboardInterrupt
    (folder / PLAYERS).mkdir(exist_ok=True)
    copy = folder / PLAYERS / f"{course.name}-{progress.round}.safetensors"
    write_whole(copy, (run / PLAYER_FILE).read_bytes())
    return {"round": progress.round, "games": progress.games, "cpu_seconds": round(progress.cpu_seconds, 3)}


@cache
def _warm_up(recipe: Recipe) -> None:
    """Trains a round that is thrown away, so that kernels are loaded or compiled before time is measured: that takes longer
    than the first hundred rounds of some methods.
    """
    with tempfile.TemporaryDirectory() as folder, CountingWorkers(1) as staff:
        train(recipe, Path(folder) / "run", staff)


def copy_guests(folder: Path, guests: Sequence[Guest]) -> list[Snapshot]:
    """Copies the files of guests into the folder of their game."""
    found: list[Snapshot] = []
    for it in guests:
        (folder / PLAYERS).mkdir(parents=True, exist_ok=True)
        name = f"with-{it.line}" if it.round is None else f"with-{it.line}-{it.round}"
        file = f"{PLAYERS}/{name}.safetensors"
        write_whole(folder / file, it.source.read_bytes())
        point = sum(other.line == it.line for other in found)
        command = read_card(it.source).training.get("command")
        found.append(Snapshot(it.line, name, it.seed, point, it.round, it.games, it.cpu_seconds, file, command))
    return found
