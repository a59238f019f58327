"""The curves of runs: ratings over games or time between the rungs of the ladder, and what a learner measures."""

from collections.abc import Mapping, Sequence
from typing import Any

from randori.app.page.charts import Lines
from randori.app.service.menu import Menu, game_named, offered
from randori.app.service.watched_run import WatchedRun
from randori.chart import Curve, levels_among
from randori.experiments.ladder import rungs
from randori.reading import DamagedFile

ACROSS = {"games": "games", "cpu_seconds": "CPU seconds", "seconds": "seconds by the clock"}
"""What curves can be drawn over: the keys of a run's rows, and their names."""
_MOST_CURVES = 6
_MOST_POINTS = 400


def ratings(runs: Sequence[WatchedRun], across: str, ladder: Mapping[str, float]) -> Lines | None:
    """The ratings of runs of one game; `ladder` has the names and ratings of rungs. None if nothing is rated."""
    curves = [_rating(it, across) for it in runs if it.rated]
    if not curves:
        return None
    values = [value for it in curves for value in it.y]
    return Lines(
        "Rating", ACROSS[across], "rating (random = 0)", curves, levels_among(ladder, min(values), max(values))
    )


def _rating(run: WatchedRun, across: str) -> Curve:
    rows = [row["rating"] for row in run.rated]
    parts = [[round(rating[key]) for rating in rows] for key in ("elo", "low", "high")]
    return Curve(run.name, [row[across] for row in run.rated], *parts)


def ladder_of(menu: Menu, game: str) -> dict[str, float]:
    """The rungs of a game's ladder as people call them, with their ratings; none of a game that is not played here."""
    if game not in offered():
        return {}
    board = game_named(game)
    try:
        return {_called(menu.title(board, it.player), it.player): it.elo for it in rungs(board)}
    except DamagedFile:
        return {}


def _called(title: str, spec: str) -> str:
    """A rung that is not on the menu is called by the beginning of its spec."""
    return title if title != spec else spec.partition(",")[0]


def measured(run: WatchedRun, across: str) -> list[Lines]:
    """What the learner measures of itself, a drawing each."""
    drawn = []
    for name in _metric_names(run.rows)[:_MOST_CURVES]:
        rows = _thinned([row for row in run.rows if row.get("metrics", {}).get(name) is not None])
        curve = Curve(name, [row[across] for row in rows], [row["metrics"][name] for row in rows])
        if len(set(curve.x)) > 1:  # else it was measured before the first game
            drawn.append(Lines(name.replace("_", " "), ACROSS[across], "", [curve]))
    return drawn


def _metric_names(rows: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row.get("metrics", {})))


def _thinned(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    step = -(-len(rows) // _MOST_POINTS) or 1
    return rows[::step]
