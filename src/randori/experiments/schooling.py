"""The pupil at school: simulated people of fixed strength teach it, and games with them show what it has learned."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from randori import players
from randori.arena import Score, play_games
from randori.chart import Curve
from randori.core.game import DRAW, LOSS, WIN, Game
from randori.experiments.report import Chart, Figure, Report, Table
from randori.methods.som.pupil import Lesson, Pupil
from randori.players import Player
from randori.workers import Workers

EXAMS = (0, 5, 10, 20, 40, 80)
"""The numbers of lessons after which the pupil is examined; exams teach it nothing."""
PUPILS, EXAM_GAMES = 5, 200


class Grade(NamedTuple):
    """The score of pupils after a number of lessons against the person who taught them."""

    lessons: int
    score: Score
    by_pupil: list[float]

    def summary(self) -> dict[str, Any]:
        """The figures as plain values."""
        low, high = self.score.interval
        figures = {
            "lessons": self.lessons,
            "score": round(self.score.mean, 4),
            "interval": [round(low, 4), round(high, 4)],
        }
        return figures | {"games": self.score.games, "by_pupil": [round(it, 4) for it in self.by_pupil]}


def school(game: Game, spec: str, exams: tuple[int, ...], exam_games: int, seed: tuple[int, ...]) -> list[Score]:
    """Teaches one pupil from nothing and returns its scores in the exams. The two take turns to begin."""
    person, rng = players.player(spec, game), np.random.default_rng(seed)
    pupil, scores = Pupil(game), []
    for n in range(max(exams) + 1):
        if n in exams:
            scores.append(_examine(game, pupil, person, exam_games, rng))
        first, second = (person, pupil) if n % 2 == 0 else (pupil, person)
        played = play_games(game, first, second, np.empty((1, 0), np.int16), rng)
        actions = [int(it) for it in played.actions[0] if it >= 0]
        pupil = Pupil(game, (*pupil.lessons, Lesson(actions, (int(played.outcomes[0]) + 1) / 2)))
    return scores


def _examine(game: Game, pupil: Player, person: Player, n_games: int, rng: np.random.Generator) -> Score:
    none = np.empty((n_games // 2, 0), np.int16)
    begun, followed = play_games(game, pupil, person, none, rng), play_games(game, person, pupil, none, rng)
    results = np.concatenate([begun.outcomes, -followed.outcomes])
    wins, draws, losses = (int(np.sum(results == it)) for it in (WIN, DRAW, LOSS))
    return Score(wins, draws, losses, begun.distinct() + followed.distinct())


def grades(
    game: Game,
    spec: str,
    n_pupils: int,
    seed: int,
    workers: Workers,
    on_pupil: Callable[[int], None] = lambda n: None,
    exams: tuple[int, ...] = EXAMS,
    exam_games: int = EXAM_GAMES,
) -> list[Grade]:
    """The grades of several pupils of the same person, each on its own."""
    Pupil(game)  # which says so where there are no maps
    tasks = [(game, spec, exams, exam_games, (seed, i)) for i in range(n_pupils)]
    found = workers.map(school, tasks, on_result=lambda index, result: on_pupil(1))
    together = zip(exams, zip(*found, strict=True), strict=True)
    return [Grade(n, sum(rest, first), [it.mean for it in (first, *rest)]) for n, (first, *rest) in together]


def report(game: Game, graded: dict[str, list[Grade]], command: str) -> Report:
    """The scores as tables, and as curves over the lessons."""
    tables, curves = [], []
    for spec, rows in graded.items():
        figures = [
            Figure(f"{it.lessons} lessons", it.score.mean, it.score.interval, games=it.score.games) for it in rows
        ]
        tables.append(Table(f"Taught by {spec}", figures, f"Scores of {len(rows[0].by_pupil)} pupils against {spec}."))
        low, high = [min(it.by_pupil) for it in rows], [max(it.by_pupil) for it in rows]
        curves.append(Curve(spec, [it.lessons for it in rows], [it.score.mean for it in rows], low, high))
    title = f"{game.title}: what pupils learn from their person"
    chart = Chart(f"pupil-{game.name}", title, "lessons", "score against the teacher, mean and range", curves)
    return Report(f"The pupil: {game.title}", command, tables, [chart])
