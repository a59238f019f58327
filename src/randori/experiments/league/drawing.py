"""The pictures of a league: rating and right moves against CPU seconds, one curve for each line."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from randori.chart import Curve, Level, levels_among
from randori.experiments.league.plan import QUESTIONS, Question
from randori.experiments.league.standing import Plain, snapshots_at
from randori.experiments.report import Chart

CPU_SECONDS = "CPU seconds of learning"


def charts(of_game: Plain) -> Iterator[Chart]:
    """Of one game: for each question the ratings, and the share of right moves where it is known."""
    for question, label in QUESTIONS.items():
        name, title = f"{of_game['game']}-{question}", f"{of_game['title']}, {label.lower()}"
        curves = rating_curves(of_game, question)
        if curves:
            levels = rating_levels(of_game, question, curves)
            axes = CPU_SECONDS, "rating (random = 0)"
            yield Chart(name, f"{title}: rating", *axes, curves, log_x=True, levels=levels)
        curves = accuracy_curves(of_game, question)
        if curves:
            axes = CPU_SECONDS, "share of moves that keep the value"
            yield Chart(f"{name}-accuracy", f"{title}: right moves", *axes, curves, log_x=True)


def rating_curves(of_game: Plain, question: Question) -> list[Curve]:
    """Mean ratings over seeds; the band spans the seeds, or is the 95% interval of the only one."""
    return _curves(of_game, question, lambda it: it["rating"] and [it["rating"][key] for key in ("elo", "low", "high")])


def accuracy_curves(of_game: Plain, question: Question) -> list[Curve]:
    """The same of the share of right moves."""
    return _curves(
        of_game, question, lambda it: it["accuracy"] and [it["accuracy"]["share"], *it["accuracy"]["interval"]]
    )


def _curves(of_game: Plain, question: Question, figure: Any) -> list[Curve]:
    found = []
    for line in of_game["lines"]:
        columns = []
        for rows in snapshots_at(of_game, line["name"], question).values():
            known = [
                (it["cpu_seconds"], *figure(it[question])) for it in rows if it["cpu_seconds"] and figure(it[question])
            ]
            if known:
                seconds, values, lows, highs = zip(*known, strict=True)
                low, high = (min(values), max(values)) if len(values) > 1 else (lows[0], highs[0])
                columns.append((float(np.mean(seconds)), float(np.mean(values)), low, high))
        if columns:
            found.append(Curve(line["title"], *(list(it) for it in zip(*sorted(columns), strict=True))))
    return found


def rating_levels(of_game: Plain, question: Question, curves: Sequence[Curve]) -> list[Level]:
    """Rungs of the ladder among the curves, and lines without a time of learning."""
    named = {called(it["player"]): it["elo"] for it in of_game["rungs"]}
    values = [value for it in curves for value in it.y]
    return levels_among(named | _timeless(of_game, question), min(values), max(values))


def _timeless(of_game: Plain, question: Question) -> dict[str, float]:
    titles = {it["name"]: it["title"] for it in of_game["lines"]}
    rows = [it for it in of_game["snapshots"] if it["cpu_seconds"] is None and it[question] is not None]
    return {titles[it["line"]]: it[question]["rating"]["elo"] for it in rows if it[question]["rating"] is not None}


def called(spec: str) -> str:
    """The short name of a rung: the beginning of its spec."""
    return spec.partition(",")[0]
