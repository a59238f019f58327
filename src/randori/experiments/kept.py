"""Measurements that are kept, so that an interrupted report continues, and never mistakes one measurement for another."""

import json
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

from randori.errors import UserError
from randori.reading import read_json
from randori.tensorfile import write_whole


def kept(path: Path, of: dict[str, Any], measure: Callable[[], Any]) -> Any:
    """What `measure()` gives, as JSON has it: read from the file if that holds a measurement `of` the same, else measured now.

    `of` names everything that the measurement depends on: config, seed, rounds, numbers of games. Values are plain, or
    dataclasses of plain values.
    """
    key = _plain(of)
    if path.is_file():
        try:
            found = read_json(path)
        except UserError:
            found = {}  # a damaged measurement is made again
        if found.get("of") == key and "found" in found:
            return found["found"]
    measured = _plain(measure())
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (json.dumps({"of": key, "found": measured}) + "\n").encode())
    return measured


def _plain(value: Any) -> Any:
    """As it comes back from a file, so that what was read equals what was measured."""
    return json.loads(json.dumps(value, default=_fields))


def _fields(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    raise TypeError(f"{value!r:.80} cannot be kept: use plain values and dataclasses.")
