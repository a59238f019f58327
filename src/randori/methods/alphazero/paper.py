"""Hongcharoen 2018, "Transferable Reinforcement Learning for Board Games".

The thesis trains AlphaZero on one game, keeps the trunk of the network, gives it new heads and trains it on another game:
all of it, or the heads alone. It compares such networks with those trained from scratch, at the same iteration; its text
gives no figures. Table 1 here does that for every ordered pair of games, table 2 tells what it means in rounds, table 3
between boards of one game, where the whole network carries over, and table 4 what a round costs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from randori import games
from randori.arena import duel, play_duels
from randori.chart import Curve
from randori.experiments.cpu import CountingWorkers
from randori.experiments.intervals import interval_of_few, interval_of_mean
from randori.experiments.metrics import read_metrics
from randori.experiments.papers import Reproduction
from randori.experiments.recipe import Recipe
from randori.experiments.report import Chart, Figure, Report, Table
from randori.experiments.run import METRICS_FILE
from randori.experiments.train import train
from randori.methods.alphazero.studies import OURS, THESIS, Study
from randori.players import Player
from randori.players.files import load_player
from randori.workers import Workers

Way = Literal["scratch", "trained", "frozen"]
TITLES = {
    1: "Transfer between games, against scratch at the same round",
    2: "Rounds that transfer saves",
    3: "Transfer between boards of one game",
    4: "What a round with transfer takes, against one from scratch",
}
WAYS: tuple[Way, ...] = ("trained", "frozen")


@dataclass(frozen=True)
class Course:
    """One training: the folder keeps its player at every point as `ROUND.safetensors`."""

    folder: Path
    target: str
    source: str | None
    way: Way
    seed: int


def reproduce(asked: Reproduction) -> Report:
    """Transfer measured for every pair."""
    if table is not None and table not in TITLES:
        raise UserError(f"The tables of this paper are {', '.join(map(str, TITLES))}, not {table}.")
    study = OURS[scale]
    tables: list[Table] = []
    charts: list[Chart] = []
    for number in asked.tables():
        pairs = list(study.boards) if number == 3 else list(permutations(study.games, 2))
        courses = _courses(pairs, study, folder)
        _train_all(courses, study, workers)
        if number == 2:
            made, drawn = _rounds_saved(pairs, study, folder, workers)
            charts += drawn
        elif number == 4:
            made = _costs(pairs, study, folder)
        else:
            made = _against_scratch(number, pairs, study, folder, workers)
        tables.append(made)
    return Report("Hongcharoen 2018: transfer between board games", tables=tables, charts=charts)


def _course(folder: Path, target: str, source: str | None, way: Way, seed: int) -> Course:
    name = f"{target}-{seed}" if source is None else f"{target}-from-{source}-{way}-{seed}"
    return Course(folder / name, target, source, way, seed)


def _courses(pairs: Sequence[tuple[str, str]], study: Study, folder: Path) -> list[list[Course]]:
    """In two stages: from scratch, then what begins with one of those."""
    seeds = study.seeds
    alone = sorted({game for pair in pairs for game in pair})
    scratch = [_course(folder, game, None, "scratch", seed) for game in alone for seed in seeds]
    moved = [_course(folder, target, source, way, seed) for source, target in pairs for way in WAYS for seed in seeds]
    return [scratch, moved]


def _train_all(stages: list[list[Course]], study: Study, workers: Workers) -> None:
    for courses in stages:
        workers.map(_train, [(course, study) for course in courses])


def _train(course: Course, study: Study) -> None:
    """Point by point, so that the player of each point is kept; what is there is not trained again."""
    config = study.config
    if course.source is not None:
        source = _course(course.folder.parent, course.source, None, "scratch", course.seed).folder
        config = replace(config, source=str(source), freeze=course.way == "frozen")
    with CountingWorkers(1) as staff:
        for point in study.points:
            recipe = Recipe(course.target, "alphazero", config, course.seed, point, evaluate_games=0)
            train_to_point(recipe, course.folder, course.folder / f"{point}.safetensors", staff)


def _player_at(course: Course, point: int) -> Player:
    return load_player(course.folder / f"{point}.safetensors", games.game(course.target))


def _against_scratch(
    number: int, pairs: Sequence[tuple[str, str]], study: Study, folder: Path, workers: Workers
) -> Table:
    figures = []
    for source, target in pairs:
        game = games.game(target)
        for way in WAYS:
            for point in study.points:
                duels = []
                for seed in study.seeds:
                    moved, alone = (_player_at(_course(folder, target, it, way, seed), point) for it in (source, None))
                    duels.append(duel(game, moved, alone, study.n_games, seed=seed))
                scores = [it.score.mean for it in play_duels(duels, workers)]
                what = f"{source} to {target}, {way}, round {point}"
                n_games = study.n_games * study.n_seeds
                figures.append(Figure(what, float(np.mean(scores)), _share(interval_of_few(scores)), games=n_games))
    note = (
        "Score of the network that began with another's against the one from scratch after as many rounds; above .5 the "
        f"transfer helps. Mean of {study.n_seeds} seeds with the interval over them. Frozen: only the heads learn."
    )
    return Table(f"Table {number}: {TITLES[number]}", figures, note, digits=3)


def _share(interval: tuple[float, float]) -> tuple[float, float]:
    """Within what a score can be."""
    return max(interval[0], 0.0), min(interval[1], 1.0)


def _curve(study: Study, courses: Sequence[Course], workers: Workers) -> NDArray[np.float64]:
    """`[seeds, points]`: scores on the way against what scratch comes to, with the other seeds, in the end.

    No opponent that is the same for all games would do: to some a network this young loses every game.
    """
    game = games.game(courses[0].target)
    duels = []
    for course in courses:
        others = [seed for seed in study.seeds if seed != course.seed]
        rivals = [
            _player_at(_course(course.folder.parent, course.target, None, "scratch", it), study.points[-1])
            for it in others
        ]
        for point in study.points:
            ours = _player_at(course, point)
            duels += [duel(game, ours, rival, study.n_games // len(others), seed=course.seed) for rival in rivals]
    scores = [it.score.mean for it in play_duels(duels, workers)]
    return np.reshape(scores, (len(courses), len(study.points), -1)).mean(axis=2)


def _rounds_saved(
    pairs: Sequence[tuple[str, str]], study: Study, folder: Path, workers: Workers
) -> tuple[Table, list[Chart]]:
    figures, charts = [], []
    seeds, last = study.seeds, study.points[-1]
    for target in sorted({target for _, target in pairs}):
        alone = _curve(study, [_course(folder, target, None, "scratch", seed) for seed in seeds], workers)
        curves = [_drawn("from scratch", study, alone)]
        for source in (source for source, to in pairs if to == target):
            for way in WAYS:
                moved = _curve(study, [_course(folder, target, source, way, seed) for seed in seeds], workers)
                saved = [rounds_saved(study.points, ours, theirs) for ours, theirs in zip(moved, alone, strict=True)]
                figures.append(Figure(f"{source} to {target}, {way}", float(np.mean(saved)), interval_of_few(saved)))
                if way == "trained":
                    curves.append(_drawn(f"from {source}", study, moved))
        title = f"{games.game(target).title}: score against scratch after {last} rounds"
        charts.append(Chart(f"transfer-{target}", title, "round", "score", curves))
    note = (
        f"Rounds of {last} by which the network that began with another's is ahead at the last comparison; below 0 it is "
        f"behind. It is measured against the networks that other seeds have come to from scratch after {last} rounds. The "
        f"source's own {last} rounds are not counted. Mean of {study.n_seeds} seeds, interval over them."
    )
    return Table(f"Table 2: {TITLES[2]}", figures, note, digits=1), charts


def _costs(pairs: Sequence[tuple[str, str]], study: Study, folder: Path) -> Table:
    figures = []
    for way in WAYS:
        ratios = [
            _cpu_seconds(_course(folder, target, source, way, seed))
            / _cpu_seconds(_course(folder, target, None, "scratch", seed))
            for source, target in pairs
            for seed in study.seeds
        ]
        figures.append(Figure(f"{way}, CPU time", float(np.mean(ratios)), interval_of_mean(ratios)))
    note = "CPU time of a whole course by that of one from scratch, mean over all pairs and seeds."
    return Table(f"Table 4: {TITLES[4]}", figures, note, digits=2)


def _cpu_seconds(course: Course) -> float:
    return float(read_metrics(course.folder / METRICS_FILE)[-1]["cpu_seconds"])


def rounds_saved(points: Sequence[int], moved: NDArray[np.float64], alone: NDArray[np.float64]) -> float:
    """How much earlier than scratch the moved network had scratch's last score, or later it will have had its own.

    Scores are made to rise, since a learner that had been better does not know less; between points they are straight.
    """
    rounds = np.array([0, *points], np.float64)
    ours, theirs = (np.maximum.accumulate(np.array([0.0, *scores])) for scores in (moved, alone))
    if ours[-1] >= theirs[-1]:
        return float(rounds[-1] - _first(rounds, ours, theirs[-1]))
    return float(_first(rounds, theirs, ours[-1]) - rounds[-1])


def _first(rounds: NDArray[np.float64], scores: NDArray[np.float64], wanted: float) -> float:
    """The first round with a score, between two points on the line through them."""
    place = int(np.argmax(scores >= wanted))
    if place == 0 or scores[place] == scores[place - 1]:
        return float(rounds[place])
    share = (wanted - scores[place - 1]) / (scores[place] - scores[place - 1])
    return float(rounds[place - 1] + share * (rounds[place] - rounds[place - 1]))


def _drawn(name: str, study: Study, scores: NDArray[np.float64]) -> Curve:
    bounds = np.array([_share(interval_of_few(column)) for column in scores.T])
    return Curve(name, list(study.points), scores.mean(axis=0).tolist(), bounds[:, 0].tolist(), bounds[:, 1].tolist())
