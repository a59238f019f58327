"""CPU seconds of a report that may take many sessions."""

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
    """What all sessions took for one thing that was asked of a folder; kept there as tasks end, so that a kill loses no
    more than the tasks under way.
    """

    def __init__(self, folder: Path, asked: str, workers: CountingWorkers) -> None:
        self._path, self._asked, self._workers = folder / FILE, asked, workers
        self._began, self._kept_at = workers.cpu_seconds, time.monotonic()
        self.earlier = self._read().get(asked, 0.0)

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
            write_whole(self._path, (json.dumps(self._read() | {self._asked: self.seconds}) + "\n").encode())
            self._kept_at = time.monotonic()

    def _read(self) -> dict[str, float]:
        if not self._path.is_file():
            return {}
        try:
            return {key: float(value) for key, value in read_json(self._path).items() if is_number(value)}
        except UserError:
            return {}
