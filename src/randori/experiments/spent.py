"""CPU seconds of a computation that may take many sessions."""

import json
import time
from pathlib import Path

from randori.errors import UserError
from randori.experiments.cpu import CountingWorkers
from randori.reading import is_number, read_json
from randori.tensorfile import write_whole

FILE = "cpu-seconds.json"
_SECONDS_APART = 1.0


class Spent:
    """The CPU time of all sessions of a computation, stored in its folder under its name as tasks end, so that a kill loses
    only the tasks under way.
    """

    def __init__(self, folder: Path, name: str, workers: CountingWorkers) -> None:
        self._path, self._name, self._workers = folder / FILE, name, workers
        self._began, self._kept_at = workers.cpu_seconds, time.monotonic()
        self.earlier = self._read().get(name, 0.0)

    @property
    def here(self) -> float:
        """In this session."""
        return self._workers.cpu_seconds - self._began

    @property
    def seconds(self) -> float:
        return self.earlier + self.here

    def keep(self, at_once: bool = False) -> None:
        if at_once or time.monotonic() - self._kept_at >= _SECONDS_APART:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, (json.dumps(self._read() | {self._name: self.seconds}) + "\n").encode())
            self._kept_at = time.monotonic()

    def _read(self) -> dict[str, float]:
        if not self._path.is_file():
            return {}
        try:
            return {key: float(value) for key, value in read_json(self._path).items() if is_number(value)}
        except UserError:
            return {}
