"""A tiny league, and what of it stays the same however it was made."""

import json
from pathlib import Path
from typing import Any

from randori.experiments.cpu import CountingWorkers
from randori.experiments.league import Asked, make_league

TINY = Asked(("tictactoe", "othello4"), ("table", "evolution", "comparison"), budget=0.15, seeds=1, most_games=40)

_TIMES = ("cpu_seconds", "milliseconds")


def made(folder: Path, asked: Asked = TINY, workers: int = 1, like: Path | None = None) -> dict[str, Any]:
    with CountingWorkers(workers) as staff:
        return make_league(asked, folder, staff, like=like)


def without_times(league: dict[str, Any] | Path) -> Any:
    """Of a league, or of the folder that it is in."""
    plain = json.loads((league / "league.json").read_text()) if isinstance(league, Path) else league
    if isinstance(plain, dict):
        return {key: without_times(value) for key, value in plain.items() if key not in _TIMES}
    return [without_times(it) for it in plain] if isinstance(plain, list) else plain
