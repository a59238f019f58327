"""The games that asynchronous learning learns from, as files: a game counts when it is safely there."""

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from randori.errors import warn
from randori.methods.alphazero.selfplay import Lessons
from randori.reading import DamagedFile, read_bytes
from randori.tensorfile import pack, unpack, write_whole

_NAME = re.compile(r"(\d{12})-(\d+)-([0-9a-f]{32})")


class Part(NamedTuple):
    """Lessons of games that were played together, numbered from the beginning of the run."""

    first: int
    n_games: int
    lessons: Lessons

    @property
    def end(self) -> int:
        return self.first + self.n_games


class Replay:
    """The last games of a run, in files `FIRST-GAMES-CHECKSUM.safetensors`; a folder that one process writes.

    Older parts go when those after them have `window` games.
    """

    def __init__(self, folder: Path, window: int) -> None:
        self._folder, self._window = folder, window
        folder.mkdir(exist_ok=True)
        self._parts: list[tuple[Part, Path]] = []
        self.n_games = 0
        """Ever, whether they are still kept or not."""
        for path in sorted(folder.glob("*.safetensors")):
            if (named := _NAME.fullmatch(path.stem)) is not None:
                self._read(path, int(named[1]), int(named[2]), named[3])

    def _read(self, path: Path, first: int, n_games: int, checksum: str) -> None:
        self.n_games = first + n_games
        try:
            data = read_bytes(path)
            if _checksum(data) != checksum:
                raise DamagedFile("its checksum is wrong")
            self._parts.append((Part(first, n_games, Lessons(**unpack(data).arrays)), path))
        except DamagedFile as why:
            warn(f"The games in {path.name} are damaged ({why}) and set aside; learning goes on without them.")
            path.rename(path.with_suffix(".damaged"))

    @property
    def parts(self) -> list[Part]:
        return [part for part, _ in self._parts]

    def add(self, lessons: Lessons, n_games: int) -> Part:
        """Keeps games; when it returns they are on the disk."""
        data = pack(lessons._asdict(), {})
        path = self._folder / f"{self.n_games:012}-{n_games}-{_checksum(data)}.safetensors"
        write_whole(path, data)
        part = Part(self.n_games, n_games, lessons)
        self._parts.append((part, path))
        self.n_games = part.end
        while self._parts[0][0].end <= self.n_games - self._window:
            self._parts.pop(0)[1].unlink()
        return part


def _checksum(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
