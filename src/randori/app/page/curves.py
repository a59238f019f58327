"""The curves of a run: its rating and its metrics over the games played."""

from collections.abc import Sequence
from typing import Any

from randori.app.service.trainings import WatchedRun
from randori.chart import Curve, line_chart

_MOST_CURVES = 6
_MOST_POINTS = 400


def charts(watched: WatchedRun) -> list[str]:
    """Figures with SVGs."""
    rated = watched.rated
    ratings = [[row["rating"][key] for row in rated] for key in ("elo", "low", "high")]
    curve = Curve(watched.learner, [row["games"] for row in rated], *ratings)
    drawn = [line_chart([curve], title="Rating", x_label="games", y_label="rating (random = 0)")] if rated else []
    for name in _metric_names(watched.rows)[:_MOST_CURVES]:
        rows = _thinned([row for row in watched.rows if row.get("metrics", {}).get(name) is not None])
        course = Curve(name, [row["games"] for row in rows], [row["metrics"][name] for row in rows])
        if len(set(course.x)) < 2:
            continue  # measured before the first game
        drawn.append(line_chart([course], title=name, x_label="games", y_label=name))
    return [f"<figure>{chart}</figure>" for chart in drawn]


def _metric_names(rows: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row.get("metrics", {})))


def _thinned(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    step = -(-len(rows) // _MOST_POINTS) or 1
    return rows[::step]
