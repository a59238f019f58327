"""This version beside an earlier one."""

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import randori
from randori.app.bench.benchmark import Row
from randori.app.bench.writing import figure
from randori.app.terminal import progress
from randori.errors import UserError

_TURNS = 3
"""Processes of each version, in turns; the best counts."""

# Versions from before CPU time was counted read the other clock.
_BY_CPU_TIME = "import time; time.perf_counter = time.process_time; "
_BENCH = "import sys; from randori.app.cli import main; sys.argv[0] = 'randori'; main()"


class Compared(NamedTuple):
    name: str
    unit: str
    now: float
    then: float | None
    less_is_better: bool

    @property
    def ratio(self) -> float | None:
        """Above 1 where it is better now."""
        if self.then is None or not self.now or not self.then:
            return None
        return self.then / self.now if self.less_is_better else self.now / self.then

    def summary(self) -> dict[str, Any]:
        return self._asdict() | {"ratio": self.ratio}

    def cells(self) -> list[str]:
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        return [self.name, self.unit, figure(self.now), figure(self.then), ratio]


def compare_with_file(rows: list[Row], path: Path) -> list[Compared]:
    """Beside figures that `randori bench --json` has printed."""
    try:
        then = {it["name"]: float(it["ours"]) for it in json.loads(path.read_text(encoding="utf-8"))["rows"]}
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} was not written by `randori bench --json`.") from error
    found = []
    with progress(len(rows), "rows") as advance:
        for row in rows:
            now = row.measure(peers=False)
            found.append(Compared(now.name, now.unit, now.ours, then.get(now.name), now.less_is_better))
            advance(1)
    return found


def compare_with_commit(rows: list[Row], commit: str) -> list[Compared]:
    """Each row in new processes of both versions in turns. A row that the commit does not have stays without a ratio."""
    found = []
    with _checked_out(commit) as sources, progress(len(rows), "rows") as advance:
        for row in rows:
            now, then = [], []
            for _ in range(_TURNS):
                now.append(_measured_by(_own_sources(), row))
                then.append(_measured_by(sources, row))
            found.append(_best(now, then))
            advance(1)
    return found


def _best(now: list[dict[str, Any] | None], then: list[dict[str, Any] | None]) -> Compared:
    ours = [it for it in now if it is not None]
    if not ours:
        raise RuntimeError("This version's own bench failed.")
    less = bool(ours[0]["less_is_better"])
    best = min if less else max
    theirs = [it["ours"] for it in then if it is not None]
    figures = best(it["ours"] for it in ours), best(theirs) if theirs else None
    return Compared(ours[0]["name"], ours[0]["unit"], *figures, less)


def _measured_by(sources: Path, row: Row) -> dict[str, Any] | None:
    """The row as the bench of these sources measures it; None if it has no such row."""
    code = (_BY_CPU_TIME if row.cores == 1 else "") + _BENCH
    command = [sys.executable, "-c", code, "bench", "--only", row.name, "--json"]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(sources)}, capture_output=True, text=True)
    if done.returncode:
        return None
    rows: list[dict[str, Any]] = json.loads(done.stdout)["rows"]
    return next((it for it in rows if it["name"] == row.name), None)


def _own_sources() -> Path:
    return Path(randori.__file__).parents[1]


@contextmanager
def _checked_out(commit: str) -> Iterator[Path]:
    """The sources of a commit, as long as they are needed. Raises UserError if there are none."""
    command = ["git", "-C", str(_own_sources().parent), "archive", "--format=tar", commit, "src"]
    try:
        packed = subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise UserError(
            f"'{commit}' is neither a file of `randori bench --json` nor a commit of the working copy that randori runs from."
        ) from error
    with tempfile.TemporaryDirectory(prefix="randori-bench-") as folder:
        with tarfile.open(fileobj=io.BytesIO(packed)) as files:
            files.extractall(folder, filter="data")
        yield Path(folder) / "src"
