"""Makes a league: trains, measures, rates and writes. However it ended, the same call continues it."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from randori.core.game import Game
from randori.errors import UserError
from randori.experiments.cpu import CountingWorkers
from randori.experiments.ladder import rungs
from randori.experiments.league.plan import (
    GAMES,
    QUESTIONS,
    Course,
    GamePlan,
    LeagueRequest,
    Question,
    expected_seconds,
    learning_seconds,
    plan,
    rating_seconds,
)
from randori.experiments.league.rating import Meetings, Tournament, TournamentResult
from randori.experiments.league.results import LEAGUE_FILE, game_json, league_json, read_league
from randori.experiments.league.thought import Entrant, entrant, examine
from randori.experiments.league.training import Point, Snapshot, copy_guests, reached, take_snapshots
from randori.experiments.league.writing import save
from randori.experiments.progress import ProgressCallbacks
from randori.experiments.spent import Spent
from randori.reading import DamagedFile, read_json
from randori.systems import lock
from randori.tensorfile import write_whole

REQUEST_FILE = "asked.json"
_FIXED = ("budget", "milliseconds", "seed", "like")
"""What a folder's trainings and settings rest on, so that it cannot change there."""


@dataclass(frozen=True)
class ClockDecisions:
    """What another league decided by its clock: how many rounds trainings took, and the options of snapshots."""

    points: Mapping[tuple[str, str], Sequence[Point]] = field(default_factory=dict)
    """By game and course."""
    options: Mapping[tuple[str, str, Question], str] = field(default_factory=dict)
    """By game, snapshot and question."""

    @classmethod
    def of(cls, folder: Path) -> "ClockDecisions":
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


_SILENT = ProgressCallbacks()


def make_league(
    request: LeagueRequest,
    folder: Path,
    workers: CountingWorkers,
    *,
    like: Path | None = None,
    progress: ProgressCallbacks = _SILENT,
) -> dict[str, Any]:
    """The league as JSON, written to the folder with tables and pictures.

    With another league in `like`, trainings end after as many rounds as there, and players think with the same options, so
    that the ratings are the same on any machine. Raises UserError where the folder holds a different league.
    """
    planned = plan(request)
    folder = folder.absolute()  # workers elsewhere may have another folder of their own
    decisions = ClockDecisions() if like is None else ClockDecisions.of(like)
    _claim(folder, request, like)
    with _locked(folder):
        return _make(request, planned, folder, workers, decisions, progress)


def _make(
    request: LeagueRequest,
    planned: Sequence[GamePlan],
    folder: Path,
    workers: CountingWorkers,
    decisions: ClockDecisions,
    progress: ProgressCallbacks,
) -> dict[str, Any]:
    spent = Spent(folder, "league", workers)

    def note(n_ended: int, n_tasks: int) -> None:
        spent.keep()
        progress.on_task_end(spent, n_ended, n_tasks)

    workers.watch = note
    found = []
    for place, it in enumerate(planned):
        later = expected_seconds(request, planned[place + 1 :])
        found.append(_GameLeague(request, it, folder / it.game.name, workers, decisions, progress, later).make())
    spent.keep(at_once=True)
    league = _with_earlier_games(request, found, folder)
    save(league, folder, spent.seconds)
    return league


def _with_earlier_games(request: LeagueRequest, found: Sequence[dict[str, Any]], folder: Path) -> dict[str, Any]:
    """Games that were made in this folder before stay in the league, if everything else was requested alike."""
    kept = {it["game"]: it for it in [*_earlier_games(request, folder), *found]}
    whole = replace(request, games=tuple(sorted(kept, key=_rank)))
    return league_json(whole, [kept[name] for name in whole.games])


def _earlier_games(request: LeagueRequest, folder: Path) -> list[dict[str, Any]]:
    if not (folder / LEAGUE_FILE).is_file():
        return []
    try:
        league = read_league(folder)
    except DamagedFile:  # it will be written again
        return []
    earlier: list[dict[str, Any]] = league["games"]
    same = replace(request, games=tuple(it["game"] for it in earlier)).command == league["command"]
    return earlier if same else []


def _rank(game: str) -> int:
    """Sorts games as a league lists them, others at the end."""
    return GAMES.index(game) if game in GAMES else len(GAMES)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keeps other processes out of the folder."""
    try:
        descriptor = lock(folder)
    except BlockingIOError:
        raise UserError(f"'{folder}' is being made by another process; wait, or stop it first.") from None
    try:
        yield
    finally:
        os.close(descriptor)


def _claim(folder: Path, request: LeagueRequest, like: Path | None) -> None:
    """Writes the request to the folder. Games, methods, seeds and players may be added to a league that is there already;
    what its figures rest on must stay.
    """
    options = asdict(request) | {"like": None if like is None else str(like.absolute())}
    path, ours = folder / REQUEST_FILE, json.loads(json.dumps(options))
    if path.is_file():
        theirs = read_json(path)
        for key in _FIXED:
            if theirs.get(key) != ours[key]:
                how = f"without --{key}" if theirs.get(key) is None else f"with --{key} {theirs[key]}"
                raise UserError(
                    f"'{folder}' holds a league made {how}; do the same, or choose another folder with --out."
                )
    elif folder.exists() and any(folder.iterdir()):
        raise UserError(f"'{folder}' is not empty and does not hold a league; choose another folder with --out.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, (json.dumps(ours) + "\n").encode())
    except OSError as error:
        raise UserError(f"'{folder}' cannot be written ({error.strerror}); choose another --out.") from error


@dataclass(frozen=True)
class _GameLeague:
    """The league of one game."""

    request: LeagueRequest
    plan: GamePlan
    folder: Path
    workers: CountingWorkers
    decisions: ClockDecisions
    progress: ProgressCallbacks
    later: float
    """CPU seconds that the games after this one will take, about."""

    @property
    def _game(self) -> Game:
        return self.plan.game

    def make(self) -> dict[str, Any]:
        done = sum(reached(self.folder, it) for it in self.plan.courses)
        learning = max(learning_seconds(self.request, self.plan) - done, 0.0)
        self.progress.on_estimate(learning + rating_seconds(self.request, self.plan) + self.later)
        snapshots = self._snapshots()
        self.progress.on_step(f"{self._game.title}: measuring thought and right moves")
        measured = self._measure(snapshots)
        results = {question: self._rate(question, measured[question], snapshots) for question in QUESTIONS}
        return game_json(self.plan, snapshots, measured, results, rungs(self._game))

    def _snapshots(self) -> list[Snapshot]:
        courses = [(it, self._points(it)) for it in self.plan.courses]
        taken = take_snapshots(self.folder, courses, self.workers, self._say_point)
        trained = [it for of_course in taken for it in of_course]
        without_file = [Snapshot(it.name, it.name) for it in self.plan.lines if it.spec is not None]
        return [*trained, *copy_guests(self.folder, self.plan.guests), *without_file]

    def _say_point(self, cpu_seconds: float) -> None:
        self.progress.on_step(
            f"{self._game.title}: training to {cpu_seconds:.3g} of {self.request.budget:g} CPU seconds"
        )

    def _points(self, course: Course) -> Sequence[Point]:
        decided = self.decisions.points.get((self._game.name, course.name))
        return decided or [Point(number, seconds) for number, seconds in enumerate(self.request.thresholds())]

    def _measure(self, snapshots: Sequence[Snapshot]) -> dict[Question, dict[str, dict[str, Any]]]:
        """By question and name. Players without a file think as their spec says, and are not measured."""
        to_examine: list[tuple[Question, Snapshot, Path]] = [
            (question, it, self.folder / it.file) for it in snapshots if it.file is not None for question in QUESTIONS
        ]
        tasks = [
            (
                self.folder / "thought" / f"{it.name}-{question}.json",
                file,
                self._game.name,
                question,
                self.request.milliseconds,
                self.request.seed,
                self.decisions.options.get((self._game.name, it.name, question)),
            )
            for question, it, file in to_examine
        ]
        found: dict[Question, dict[str, dict[str, Any]]] = {question: {} for question in QUESTIONS}
        for (question, it, _), answer in zip(to_examine, self.workers.map(examine, tasks), strict=True):
            found[question][it.name] = answer
        specs = {it.name: it.spec for it in self.plan.lines if it.spec is not None}
        found["player"] |= {
            name: {"options": spec, "milliseconds": None, "accuracy": None} for name, spec in specs.items()
        }
        return found

    def _rate(
        self, question: Question, measured: Mapping[str, dict[str, Any]], snapshots: Sequence[Snapshot]
    ) -> TournamentResult:
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
            seed=self.request.seed,
            most_games=self.request.most_games,
        )
        step = f"{self._game.title}, {QUESTIONS[question].lower()}: tournament of {len(entrants)}"
        n_games = 0

        def count(n: int) -> None:
            nonlocal n_games
            n_games += n
            self.progress.on_step_update(f"{step}, {n_games:,} games played")

        self.progress.on_step(step)
        costs = [it["milliseconds"] for it in measured.values() if it["milliseconds"] is not None]
        mean_cost = float(np.mean(costs)) if costs else None
        rating = rating_seconds(self.request, self.plan, mean_cost, meetings.n_games)
        self.progress.on_estimate(rating + self.later)
        return tournament.play(self.workers, count)
