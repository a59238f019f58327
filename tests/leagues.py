"""A tiny league, and what of it stays the same however it was made."""

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


def _is_over(session: int) -> bool:
    return not members(session)


def kill_and_go_on(whole: Path, parts: Path, asked: Asked, n_kills: int, workers: int, seconds: float = 3.0) -> int:
    """The command, killed within so many seconds of its work, again and again, then left alone; how often it was not over
    before.
    """
    rng = np.random.default_rng(n_kills)
    words = [*asked.command.split()[1:], "--like", whole, "--out", parts, "--workers", workers]
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
        assert wait_until(partial(_is_over, process.pid), 5), "its workers live on"
    process = start(*words)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    assert killed
    assert without_times(parts) == without_times(whole)
    return killed
