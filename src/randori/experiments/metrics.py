"""What a run notes as it goes: one JSON object a line, and TensorBoard events where TensorBoard is installed."""

import json
import math
import os
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

SECONDS_A_ROW = 1.0


class MetricsFile:
    """Rows of rising `round`. Opened after a resume, it forgets the rows after the round of the checkpoint."""

    def __init__(self, path: Path, last_round: int) -> None:
        self._path = path
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        kept = [line for line in lines if line.endswith(b"\n") and json.loads(line)["round"] <= last_round]
        if kept != lines:
            path.write_bytes(b"".join(kept))
        self._last: dict[str, Any] = json.loads(kept[-1]) if kept else {}
        self._last_start = sum(map(len, kept[:-1]))

    def write(self, row: dict[str, Any]) -> None:
        """Adds a row; one of the same round as the last adds to that."""
        with self._path.open("ab") as file:
            if row["round"] == self._last.get("round"):
                file.truncate(self._last_start)
                row = self._last | row
            self._last, self._last_start = row, file.seek(0, os.SEEK_END)
            file.write(json.dumps(_finite(row)).encode() + b"\n")

    def sync(self) -> None:
        """Makes all rows last."""
        if self._path.exists():
            with self._path.open("ab") as file:
                os.fsync(file.fileno())


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """All complete rows of a run, also of one that goes on."""
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith(b"\n")]


def _finite(value: Any) -> Any:
    """JSON knows no nan and no infinity: they become null."""
    if isinstance(value, dict):
        return {key: _finite(it) for key, it in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Events:
    """Curves for TensorBoard; nothing happens where it is not installed."""

    def __init__(self, folder: Path, last_round: int) -> None:
        self._writer: Any = None
        if find_spec("tensorboard") is None:
            return
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        self._writer = EventFileWriter(str(folder))
        # Tells TensorBoard to forget what an interrupted session wrote after this round.
        self._writer.add_event(Event(session_log=SessionLog(status=SessionLog.START), step=last_round + 1))

    def write(self, round: int, wall_time: float, scalars: dict[str, float]) -> None:
        if self._writer is None:
            return
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [Summary.Value(tag=tag, simple_value=value) for tag, value in scalars.items()]
        self._writer.add_event(Event(step=round, wall_time=wall_time, summary=Summary(value=values)))

    def flush(self) -> None:
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


class Notebook:
    """Both together. Quick rounds share a row, with the means of what they measured."""

    def __init__(self, file: Path, events: Path, last_round: int) -> None:
        self._file, self._events = MetricsFile(file, last_round), Events(events, last_round)
        self._row: dict[str, Any] | None = None
        self._metrics: list[dict[str, float]] = []
        self._written_at = time.monotonic()

    def add(self, row: dict[str, Any], metrics: dict[str, float], rating: Mapping[str, Any] | None) -> None:
        """Notes a round; a rating is written at once, other rows at most about one a second."""
        self._row = row if rating is None else {**row, "rating": rating}
        self._metrics += [metrics] if metrics else []
        if rating is not None or time.monotonic() - self._written_at >= SECONDS_A_ROW:
            self._write()

    def _write(self) -> None:
        if self._row is None:
            return
        names = dict.fromkeys(name for it in self._metrics for name in it)
        found = {name: [it[name] for it in self._metrics if name in it] for name in names}
        means = {name: float(sum(values) / len(values)) for name, values in found.items()}
        self._file.write({**self._row, **({"metrics": means} if means else {})})
        scalars = {name if "/" in name else f"train/{name}": value for name, value in means.items()}
        scalars["charts/games"], scalars["charts/cpu_seconds"] = self._row["games"], self._row["cpu_seconds"]
        if "rating" in self._row:
            scalars["eval/rating"] = self._row["rating"]["elo"]
        self._events.write(self._row["round"], time.time(), scalars)
        self._row, self._metrics = None, []
        self._written_at = time.monotonic()

    def flush(self) -> None:
        """Writes what is not yet written, and makes it last."""
        self._write()
        self._file.sync()
        self._events.flush()

    def close(self) -> None:
        self._events.close()
