"""Hongcharoen 2018, "Transferable Reinforcement Learning for Board Games".

The thesis trains AlphaZero on one game, keeps the trunk of the network, gives it new heads and trains it on another game:
all of it, or the heads alone. It compares such networks with those trained from scratch, at the same iteration; its text
gives no figures. Tables 5 and 6 here do that by the thesis's rule. The others are by our algorithm: table 1 has every ordered
pair of games, table 2 tells what it means in rounds, table 3 has boards of one game, where the whole network carries over, and
table 4 what a round costs.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from randori import games
from randori.arena import duel, play_duels
from randori.chart import Curve
from randori.errors import UserError
from randori.experiments.intervals import interval_of_few, interval_of_mean
from randori.experiments.papers import Reproduction
from randori.experiments.report import Chart, Claim, Figure, Report, Table
from randori.methods.alphazero import paper_thesis as thesis
from randori.methods.alphazero.paper_courses import (
    WAYS,
    Course,
    Pairs,
    against_scratch,
    course_of,
    share,
    train_all,
)
from randori.methods.alphazero.studies import OURS, Study
from randori.workers import Workers

TITLES = {
    1: "Ours: transfer between games, against scratch at the same round",
    2: "Ours: rounds that transfer saves",
    3: "Ours: transfer between boards of one game",
    4: "Ours: what a round with transfer takes, against one from scratch",
}
"""By our algorithm. Those of the thesis's rule are in `paper_thesis`."""


def reproduce(reproduction: Reproduction) -> Report:
    """Transfer by the thesis's rule, and by our algorithm for every pair."""
    tables: list[Table] = []
    charts: list[Chart] = []
    claims: list[Claim] = []
    for number in reproduction.tables():
        if number == thesis.TRANSFER:
            transfer_tables, claims = thesis.transfer(reproduction)
            tables += transfer_tables
        elif number == thesis.FULL_SIZE:
            tables.append(thesis.full_size())
        elif reproduction.scale in OURS:
            table, drawn = _ours(number, reproduction)
            tables.append(table)
            charts += drawn
        elif reproduction.table is not None:
            raise UserError(f"Table {number} is ours, not the thesis's: choose --scale {' or '.join(OURS)}.")
    return Report("Hongcharoen 2018: transfer between board games", tables=tables, charts=charts, claims=claims)


def _ours(number: int, reproduction: Reproduction) -> tuple[Table, list[Chart]]:
    study, folder, workers = OURS[reproduction.scale], reproduction.folder, reproduction.workers
    study = replace(study, seeds=reproduction.seeds(study.n_seeds))
    pairs = list(study.boards) if number == 3 else list(permutations(study.games, 2))
    train_all(pairs, study, folder, workers)
    if number == 2:
        return _rounds_saved(pairs, study, folder, workers)
    if number == 4:
        return _costs(pairs, study, folder), []
    note = (
        "Score of the network that began with another's against the one from scratch after as many rounds; above 0.5 the "
        f"transfer helps. Mean of {study.n_seeds} seeds with the interval over them. Frozen: only the heads learn."
    )
    figures = list(against_scratch(pairs, study, folder, workers, "round"))
    return Table(f"Table {number}: {TITLES[number]}", figures, note, digits=3), []


def _curve(study: Study, courses: Sequence[Course], workers: Workers) -> NDArray[np.float64]:
    """`[seeds, points]`: scores on the way against what scratch comes to, with the other seeds, in the end.

    No opponent that is the same for all games would do: to some a network this young loses every game.
    """
    game = games.game(courses[0].target)
    duels = []
    for course in courses:
        others = [seed for seed in study.seeds if seed != course.seed]
        rivals = [
            course_of(course.folder.parent, course.target, None, "scratch", it).player_at(study.points[-1])
            for it in others
        ]
        for point in study.points:
            ours = course.player_at(point)
            duels += [duel(game, ours, rival, study.n_games // len(others), seed=course.seed) for rival in rivals]
    scores = [it.score.mean for it in play_duels(duels, workers)]
    return np.reshape(scores, (len(courses), len(study.points), -1)).mean(axis=2)


def _rounds_saved(pairs: Pairs, study: Study, folder: Path, workers: Workers) -> tuple[Table, list[Chart]]:
    figures, charts = [], []
    seeds, last = study.seeds, study.points[-1]
    for target in sorted({target for _, target in pairs}):
        alone = _curve(study, [course_of(folder, target, None, "scratch", seed) for seed in seeds], workers)
        curves = [_drawn("from scratch", study, alone)]
        for source in (source for source, to in pairs if to == target):
            for way in WAYS:
                moved = _curve(study, [course_of(folder, target, source, way, seed) for seed in seeds], workers)
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


def _costs(pairs: Pairs, study: Study, folder: Path) -> Table:
    figures = []
    for way in WAYS:
        ratios = [
            _cpu_seconds(course_of(folder, target, source, way, seed))
            / _cpu_seconds(course_of(folder, target, None, "scratch", seed))
            for source, target in pairs
            for seed in study.seeds
        ]
        figures.append(Figure(f"{way}, CPU time", float(np.mean(ratios)), interval_of_mean(ratios)))
    note = "CPU time of a whole course by that of one from scratch, mean over all pairs and seeds."
    return Table(f"Table 4: {TITLES[4]}", figures, note, digits=2)


def _cpu_seconds(course: Course) -> float:
    return float(course.rows()[-1]["cpu_seconds"])


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
    bounds = np.array([share(interval_of_few(column)) for column in scores.T])
    return Curve(name, list(study.points), scores.mean(axis=0).tolist(), bounds[:, 0].tolist(), bounds[:, 1].tolist())
