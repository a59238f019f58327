"""Thousands of damaged files: only sentences, or a player that plays."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damage import Trial, trial

Promise = Any
_GIGABYTE = 1024**3


def held(family: str, n: int) -> tuple[Trial, str]:
    """Tries `n` cases; returns the trial and its result in words."""
    found = trial(family, 0, n)
    assert not found.failures, "\n".join(found.failures)
    assert found.slowest < 10
    assert found.memory < 2 * _GIGABYTE
    counts = f"{found.refused:,} refused in a sentence, {n - found.refused:,} worked"
    return found, f"{counts}; the slowest took {found.slowest:.1f} s, {found.memory / _GIGABYTE:.1f} GB at most"


@pytest.mark.hard(minutes=6)
def test_damaged_player_files(promise: Promise) -> None:
    n = 5000
    found, words = held("players", n)
    assert found.refused > n / 3
    tried = "player files of every kind with flipped bits, lost, repeated and swapped parts, other shapes, types, sizes, NaN"
    promise("A damaged player file gives a sentence or a player that plays legal moves.", tried, n, words)


OTHER_FILES = {
    "records": (
        "A damaged record of games gives a sentence, in time proportional to its length.",
        "transcripts, SGF, GGF, WTHOR and OBF files, damaged or without end, read, written and read again",
    ),
    "runs": (
        "A damaged run gives a sentence or continues, and the run beside it does not suffer.",
        "checkpoints, metrics, recipes and players of a run, then watched, reported, played against and continued",
    ),
}


@pytest.mark.hard(minutes=8)
@pytest.mark.parametrize("family", OTHER_FILES)
def test_other_damaged_files(family: str, promise: Promise) -> None:
    n = 2000
    found, words = held(family, n)
    assert 0 < found.refused < n
    promise(*OTHER_FILES[family], n, words)


@pytest.mark.hard(minutes=6)
def test_damaged_kernels(promise: Promise, tmp_path: Path) -> None:
    """Two commands at once find the same file of the cache damaged, again and again."""
    command = [sys.executable, "-m", "randori", *["match", "random", "greedy", "--game", "tictactoe", "--games", "4"]]
    env = {**os.environ, "RANDORI_CACHE": str(tmp_path)}
    piped: dict[str, Any] = {"text": True, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}

    def twice() -> tuple[set[str], list[str]]:
        pair = [subprocess.Popen(command, env=env, **piped) for _ in range(2)]
        outputs = [it.communicate(timeout=120) for it in pair]
        assert [it.returncode for it in pair] == [0, 0], outputs
        return {out for out, _ in outputs}, [err for _, err in outputs]

    played, _ = twice()
    rng, n = np.random.default_rng(0), 12
    for _ in range(n):
        files = sorted(tmp_path.rglob("*.kernel"))
        path = files[int(rng.integers(len(files)))]
        data = path.read_bytes()
        place = int(rng.integers(len(data)))
        flipped = data[:place] + bytes([data[place] ^ (1 << int(rng.integers(8)))]) + data[place + 1 :]
        path.write_bytes((data[:place], flipped)[int(rng.integers(2))])
        outs, errs = twice()
        assert outs == played
        assert all(err.count("\n") <= 1 for err in errs), errs
    assert twice()[1] == ["", ""], "something is left to repair"
    tried = "a kernel of the cache torn or with a flipped bit, found by two commands at once"
    what = "the same games and at most one sentence each time; afterwards nothing was left to mend"
    promise("A damaged compiled kernel is compiled again.", tried, n, what)
