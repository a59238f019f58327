"""Trainings from scratch and from another game's network, and how they compare at the same round."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from randori import games
from randori.arena import Score, duel, play_duels
from randori.experiments.cpu import CountingWorkers
from randori.experiments.intervals import interval_of_few
from randori.experiments.metrics import read_metrics
from randori.experiments.recipe import Recipe
from randori.experiments.report import Figure
from randori.experiments.run import METRICS_FILE
from randori.experiments.train import train_to_point
from randori.methods.alphazero.studies import Study
from randori.players import Player
from randori.players.files import load_player
from randori.workers import Workers

Way = Literal["scratch", "trained", "frozen"]
WAYS: tuple[Way, ...] = ("trained", "frozen")
Pairs = Sequence[tuple[str, str]]
"""Each a source and a target."""


@dataclass(frozen=True)
class Course:
    """One training: the folder keeps its player at every point as `ROUND.safetensors`."""

    folder: Path
    target: str
    source: str | None
    way: Way
    seed: int

    def player_at(self, point: int) -> Player:
        return load_player(self.folder / f"{point}.safetensors", games.game(self.target))

    def rows(self) -> list[dict[str, Any]]:
        """The metrics of its rounds."""
        return read_metrics(self.folder / METRICS_FILE)


def course_of(folder: Path, target: str, source: str | None, way: Way, seed: int) -> Course:
    name = f"{target}-{seed}" if source is None else f"{target}-from-{source}-{way}-{seed}"
    return Course(folder / name, target, source, way, seed)


def train_all(pairs: Pairs, study: Study, folder: Path, workers: CountingWorkers) -> None:
    """In two stages: from scratch, then what begins with one of those. What is there is not trained again."""
    alone = sorted({game for pair in pairs for game in pair})
    scratch = [course_of(folder, game, None, "scratch", seed) for game in alone for seed in study.seeds]
    moved = [
        course_of(folder, target, source, way, seed) for source, target in pairs for way in WAYS for seed in study.seeds
    ]
    for courses in (scratch, moved):
        if study.one_at_a_time:
            for course in courses:
                _train(course, study, workers)
        else:
            workers.map(_train_alone, [(course, study) for course in courses])


def _train_alone(course: Course, study: Study) -> None:
    with CountingWorkers(1) as staff:
        _train(course, study, staff)


def _train(course: Course, study: Study, workers: CountingWorkers) -> None:
    """Point by point, so that the player of each point is kept."""
    config = study.config
    if course.source is not None:
        source = course_of(course.folder.parent, course.source, None, "scratch", course.seed).folder
        config = replace(config, source=str(source), freeze=course.way == "frozen")
    for point in study.points:
        recipe = Recipe(course.target, "alphazero", config, course.seed, point, evaluate_games=0)
        train_to_point(recipe, course.folder, course.folder / f"{point}.safetensors", workers)


def against_scratch(pairs: Pairs, study: Study, folder: Path, workers: Workers, unit: str) -> Iterator[Figure]:
    """Scores of what began with another's network against what began with none, after as many rounds."""
    for source, target in pairs:
        game = games.game(target)
        for way in WAYS:
            for point in study.points:
                duels = []
                for seed in study.seeds:
                    moved, alone = (course_of(folder, target, it, way, seed).player_at(point) for it in (source, None))
                    duels.append(duel(game, moved, alone, study.n_games, seed=seed))
                scores = [it.score for it in play_duels(duels, workers)]
                what = f"{source} to {target}, {way}, {unit} {point}"
                mean = float(np.mean([it.mean for it in scores]))
                yield Figure(what, mean, _over_seeds(scores), games=sum(it.games for it in scores))


def _over_seeds(scores: list[Score]) -> tuple[float, float]:
    """Over the games alone where there is one seed alone."""
    return scores[0].interval if len(scores) == 1 else share(interval_of_few([it.mean for it in scores]))


def share(interval: tuple[float, float]) -> tuple[float, float]:
    """The interval within the range of a score."""
    return max(interval[0], 0.0), min(interval[1], 1.0)
