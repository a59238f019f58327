"""A tiny league, and its figures without times, which stay the same however it is made."""

import json
import os
import signal
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from processes import members, start, wait_until

from randori.experiments.cpu import CountingWorkers
from randori.experiments.league import LeagueRequest, make_league

TINY = LeagueRequest(
    ("tictactoe", "othello4"), ("table", "evolution", "comparison"), budget=0.15, seeds=1, most_games=40
)

_TIMES = ("cpu_seconds", "milliseconds")


def made(folder: Path, request: LeagueRequest = TINY, workers: int = 1, like: Path | None = None) -> dict[str, Any]:
    with CountingWorkers(workers) as staff:
        return make_league(request, folder, staff, like=like)


def without_times(league: dict[str, Any] | Path) -> Any:
    """The figures of a league, or of the league in a folder."""
    plain = json.loads((league / "league.json").read_text()) if isinstance(league, Path) else league
    if isinstance(plain, dict):
        return {key: without_times(value) for key, value in plain.items() if key not in _TIMES}
    return [without_times(it) for it in plain] if isinstance(plain, list) else plain


def _is_over(session: int) -> bool:
    return not members(session)


def kill_and_go_on(
    whole: Path, parts: Path, request: LeagueRequest, n_kills: int, workers: int, seconds: float = 3.0
) -> int:
    """Kills the command again and again within `seconds`, then lets it finish; returns how often it was still running."""
    rng = np.random.default_rng(n_kills)
    words = [*request.command.split()[1:], "--like", whole, "--out", parts, "--workers", workers]
    killed = 0
    for _ in range(n_kills):
        process = start(*words)
        assert process.stderr is not None
        while "training" not in process.stderr.readline():
            assert process.poll() is None
        time.sleep(rng.uniform(0, seconds))
        killed += process.poll() is None
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        assert wait_until(partial(_is_over, process.pid), 5), "its workers are still alive"
    process = start(*words)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    assert killed
    assert without_times(parts) == without_times(whole)
    return killed
