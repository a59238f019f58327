"""What a run records: one JSON object per line, and TensorBoard events where TensorBoard is installed."""

import json
import math
import os
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from randori.errors import warn
from randori.reading import is_count, is_number, is_rating, parse_json, read_bytes
from randori.tensorfile import write_whole

SECONDS_A_ROW = 1.0


class _Line(NamedTuple):
    """A line of the file and its row; None where the line is not a row."""

    text: bytes
    row: dict[str, Any] | None


def _lines(path: Path) -> list[_Line]:
    """All lines that have an end: the last one may be torn, or being written just now."""
    texts = read_bytes(path).splitlines(keepends=True) if path.exists() else []
    return [_Line(text, _row(text)) for text in texts if text.endswith(b"\n")]


def _row(text: bytes) -> dict[str, Any] | None:
    try:
        row = parse_json(text)
    except ValueError:
        return None
    if not isinstance(row, dict) or not (is_count(row.get("round")) and is_count(row.get("games"))):
        return None
    if not (is_number(row.get("seconds")) and is_number(row.get("cpu_seconds"))):
        return None
    means = row.get("metrics", {})
    if "rating" in row and not (is_rating(row["rating"]) and is_count(row["rating"].get("games"))):
        return None
    if not isinstance(means, dict) or not all(it is None or is_number(it) for it in means.values()):
        return None
    return row


def _say_odd(path: Path, lines: list[_Line], say: Callable[[str], None]) -> None:
    odd = [str(number) for number, line in enumerate(lines, start=1) if line.row is None]
    if odd:
        listed = ", ".join(odd[:3]) + (", ..." if len(odd) > 3 else "")
        say(f"'{path}' has lines that cannot be read ({listed}); they are left out.")


class MetricsFile:
    """Rows of rising `round`. Opened after a resume, it forgets the rows after the round of the checkpoint.

    Lines that are not rows are left where they are, but for a torn one at the end. The file is only added to, or replaced as
    a whole.
    """

    def __init__(self, path: Path, last_round: int, say: Callable[[str], None]) -> None:
        self._path = path
        lines = _lines(path)
        _say_odd(path, lines, say)
        kept = [line for line in lines if line.row is None or line.row["round"] <= last_round]
        data = b"".join(line.text for line in kept)
        if path.exists() and data != path.read_bytes():
            write_whole(path, data)
        self._last: dict[str, Any] = next((line.row for line in reversed(kept) if line.row is not None), {})

    def write(self, row: dict[str, Any]) -> None:
        """Adds a row; one of the same round as the last adds to that."""
        if row["round"] == self._last.get("round"):
            row = self._last | row
            others = [it.text for it in _lines(self._path) if it.row is None or it.row["round"] != row["round"]]
            write_whole(self._path, b"".join([*others, _text(row)]))
        else:
            with self._path.open("ab") as file:
                file.write(_text(row))
        self._last = row

    def sync(self) -> None:
        """Makes sure that all rows are on disk."""
        if self._path.exists():
            with self._path.open("ab") as file:
                os.fsync(file.fileno())


def read_metrics(path: Path, say: Callable[[str], None] = warn) -> list[dict[str, Any]]:
    """All complete rows of a run, even of one under way. Lines that are not rows get a warning."""
    lines = _lines(path)
    _say_odd(path, lines, say)
    return [line.row for line in lines if line.row is not None]


def _text(row: dict[str, Any]) -> bytes:
    return json.dumps(_finite(row)).encode() + b"\n"


def _finite(value: Any) -> Any:
    """JSON knows no nan and no infinity: they become null."""
    if isinstance(value, dict):
        return {key: _finite(it) for key, it in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Events:
    """Curves for TensorBoard; does nothing where it is not installed."""

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

    def __init__(
        self, file: Path, events: Path, last_round: int, say: Callable[[str], None], seconds_a_row: float
    ) -> None:
        self._file, self._events = MetricsFile(file, last_round, say), Events(events, last_round)
        self._seconds_a_row = seconds_a_row
        self._row: dict[str, Any] | None = None
        self._metrics: list[dict[str, float]] = []
        self._written_at = time.monotonic()

    def add(self, row: dict[str, Any], metrics: dict[str, float], rating: Mapping[str, Any] | None) -> None:
        """Notes a round; a rating is written at once, other rows when their time has come."""
        self._row = row if rating is None else {**row, "rating": rating}
        self._metrics += [metrics] if metrics else []
        if rating is not None or time.monotonic() - self._written_at >= self._seconds_a_row:
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
        """Writes what is not yet written, and makes sure that it is on disk."""
        self._write()
        self._file.sync()
        self._events.flush()

    def close(self) -> None:
        self._events.close()
