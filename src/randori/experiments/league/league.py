"""Makes a league: trains, measures, rates, writes. Whatever ends it, the same call goes on where it was."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from randori.core.game import Game
from randori.errors import UserError
from randori.experiments.cpu import CountingWorkers
from randori.experiments.ladder import rungs
from randori.experiments.league.plan import (
    QUESTIONS,
    Asked,
    Course,
    OfGame,
    Question,
    expected_seconds,
    learning_seconds,
    plan,
    rating_seconds,
)
from randori.experiments.league.rating import Meetings, Rated, Tournament
from randori.experiments.league.results import game_json, league_json, read_league
from randori.experiments.league.thought import Entrant, entrant, examine
from randori.experiments.league.training import Point, Snapshot, reached, take_over, take_snapshots
from randori.experiments.league.writing import save
from randori.experiments.spent import Spent
from randori.reading import read_json
from randori.systems import lock
from randori.tensorfile import write_whole

ASKED_FILE = "asked.json"
_LASTING = ("budget", "milliseconds", "seed", "like")
"""What cannot change in a folder: its trainings and settings rest on it."""


@dataclass(frozen=True)
class Watch:
    """What is called as the work goes on."""

    tell: Callable[[str], None] = lambda what: None
    """Of each step."""
    retell: Callable[[str], None] = lambda what: None
    """How far a step is."""
    show: Callable[[Spent, int, int], None] = lambda spent, ended, of: None
    """As tasks end: what all took so far, and how many of those at hand have ended."""
    expect: Callable[[float], None] = lambda cpu_seconds: None
    """How much is left."""


@dataclass(frozen=True)
class Settled:
    """What another league has decided by its clock: rounds of trainings, and options of snapshots."""

    points: Mapping[tuple[str, str], Sequence[Point]] = field(default_factory=dict)
    """By game and course."""
    options: Mapping[tuple[str, str, Question], str] = field(default_factory=dict)
    """By game and snapshot."""

    @classmethod
    def of(cls, folder: Path) -> "Settled":
        """Raises UserError where there is no league."""
        points: dict[tuple[str, str], list[Point]] = {}
        options: dict[tuple[str, str, Question], str] = {}
        for of_game in read_league(folder)["games"]:
            game = of_game["game"]
            for it in of_game["snapshots"]:
                point = Point(it["point"], it["cpu_seconds"], it["round"])
                points.setdefault((game, f"{it['line']}-{it['seed']}"), []).append(point)
                options |= {
                    (game, it["name"], question): it[question]["options"]
                    for question in QUESTIONS
                    if it[question] is not None
                }
        return cls(points, options)


_UNWATCHED = Watch()


def make_league(
    asked: Asked,
    folder: Path,
    workers: CountingWorkers,
    *,
    like: Path | None = None,
    watch: Watch = _UNWATCHED,
) -> dict[str, Any]:
    """The league as JSON, written to the folder with tables and pictures.

    `like` another league, trainings end after its rounds and players think as they do there, so that ratings come out the
    same on any machine. Raises UserError where the folder holds another league.
    """
    planned = plan(asked)
    folder = folder.absolute()  # workers elsewhere may have another folder of their own
    settled = Settled() if like is None else Settled.of(like)
    _check_same(asked, folder, like)
    with _held(folder):
        return _make(asked, planned, folder, workers, settled, watch)


def _make(
    asked: Asked,
    planned: Sequence[OfGame],
    folder: Path,
    workers: CountingWorkers,
    settled: Settled,
    watch: Watch,
) -> dict[str, Any]:
    spent = Spent(folder, "league", workers)

    def note(ended: int, of: int) -> None:
        spent.keep()
        watch.show(spent, ended, of)

    workers.watch = note
    found = []
    for place, it in enumerate(planned):
        later = expected_seconds(asked, planned[place + 1 :])
        found.append(_Making(asked, it, folder / it.game.name, workers, settled, watch, later).make())
    spent.keep(at_once=True)
    league = league_json(asked, found)
    save(league, folder, spent.seconds)
    return league


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """By this process alone."""
    try:
        descriptor = lock(folder)
    except BlockingIOError:
        raise UserError(f"'{folder}' is being made by another process; wait, or stop it first.") from None
    try:
        yield
    finally:
        os.close(descriptor)


def _check_same(asked: Asked, folder: Path, like: Path | None) -> None:
    """More games, methods, seeds and players may join what is there; what its figures rest on must stay."""
    told = asdict(asked) | {"like": None if like is None else str(like.absolute())}
    path, ours = folder / ASKED_FILE, json.loads(json.dumps(told))
    if path.is_file():
        theirs = read_json(path)
        for key in _LASTING:
            if theirs.get(key) != ours[key]:
                had = f"no --{key}" if theirs.get(key) is None else f"--{key} {theirs[key]}"
                raise UserError(f"'{folder}' is a league with {had}; give the same, or another folder with --out.")
    elif folder.exists() and any(folder.iterdir()):
        raise UserError(f"'{folder}' is no league and not empty; choose another folder with --out.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, (json.dumps(ours) + "\n").encode())
    except OSError as error:
        raise UserError(f"'{folder}' cannot be written ({error.strerror}); choose another --out.") from error


@dataclass(frozen=True)
class _Making:
    """The league of one game."""

    asked: Asked
    planned: OfGame
    folder: Path
    workers: CountingWorkers
    settled: Settled
    watch: Watch
    later: float
    """CPU seconds that the games after this one will take, about."""

    @property
    def _game(self) -> Game:
        return self.planned.game

    def make(self) -> dict[str, Any]:
        self.watch.tell(f"{self._game.title}: training")
        done = sum(reached(self.folder, it) for it in self.planned.courses)
        learning = max(learning_seconds(self.asked, self.planned) - done, 0.0)
        self.watch.expect(learning + rating_seconds(self.asked, self.planned) + self.later)
        snapshots = self._snapshots()
        self.watch.tell(f"{self._game.title}: measuring thought and right moves")
        measured = self._measure(snapshots)
        rated = {question: self._rate(question, measured[question], snapshots) for question in QUESTIONS}
        return game_json(self.planned, snapshots, measured, rated, rungs(self._game))

    def _snapshots(self) -> list[Snapshot]:
        courses = [(it, self._points(it)) for it in self.planned.courses]
        taught = [it for one in take_snapshots(self.folder, courses, self.workers) for it in one]
        others = [Snapshot(it.name, it.name) for it in self.planned.lines if it.spec is not None]
        return [*taught, *take_over(self.folder, self.planned.taken), *others]

    def _points(self, course: Course) -> Sequence[Point]:
        known = self.settled.points.get((self._game.name, course.name))
        return known or [Point(number, seconds) for number, seconds in enumerate(self.asked.thresholds())]

    def _measure(self, snapshots: Sequence[Snapshot]) -> dict[Question, dict[str, dict[str, Any]]]:
        """By question and name; players without a file think as their spec says, and nobody measures them."""
        asking: list[tuple[Question, Snapshot, Path]] = [
            (question, it, self.folder / it.file) for it in snapshots if it.file is not None for question in QUESTIONS
        ]
        tasks = [
            (
                self.folder / "thought" / f"{it.name}-{question}.json",
                file,
                self._game.name,
                question,
                self.asked.milliseconds,
                self.asked.seed,
                self.settled.options.get((self._game.name, it.name, question)),
            )
            for question, it, file in asking
        ]
        found: dict[Question, dict[str, dict[str, Any]]] = {question: {} for question in QUESTIONS}
        for (question, it, _), answer in zip(asking, self.workers.map(examine, tasks), strict=True):
            found[question][it.name] = answer
        specs = {it.name: it.spec for it in self.planned.lines if it.spec is not None}
        found["player"] |= {
            name: {"options": spec, "milliseconds": None, "accuracy": None} for name, spec in specs.items()
        }
        return found

    def _rate(self, question: Question, measured: Mapping[str, dict[str, Any]], snapshots: Sequence[Snapshot]) -> Rated:
        files = {it.name: it.file for it in snapshots}
        entrants: list[Entrant] = []
        for name, found in measured.items():
            file = files[name]
            entrants.append(entrant(name, None if file is None else self.folder / file, found["options"]))
        meetings = Meetings(self.folder / f"meetings-{question}.jsonl")
        tournament = Tournament(
            self._game.name,
            entrants,
            rungs(self._game),
            meetings,
            seed=self.asked.seed,
            most_games=self.asked.most_games,
        )
        what = f"{self._game.title}, {QUESTIONS[question].lower()}: tournament of {len(entrants)}"
        n_games = 0

        def count(n: int) -> None:
            nonlocal n_games
            n_games += n
            self.watch.retell(f"{what}, {n_games:,} games played")

        self.watch.tell(what)
        costs = [it["milliseconds"] for it in measured.values() if it["milliseconds"] is not None]
        a_move = float(np.mean(costs)) if costs else None
        self.watch.expect(rating_seconds(self.asked, self.planned, a_move, meetings.n_games) + self.later)
        return tournament.play(self.workers, count)
