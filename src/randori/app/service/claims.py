"""The owners of the trainings that visitors have started: one small file each, in a hidden folder beside the runs.

Files and not the database: a run belongs to the machine that holds its folder, whatever database a server uses.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from randori.tensorfile import write_whole

FOLDER = ".page"
"""Everything that the page keeps in the folder of runs is in here."""
WHY_NOT = (
    "Trainings and tournaments are started by the owner of this machine, "
    "who can open them to everybody: randori play --open-training."
)
NOBODY = ""
"""The owner of what belonged to somebody who was forgotten."""


class Who(NamedTuple):
    """Somebody who wants to use the machine's time."""

    key: str
    is_owner: bool = False
    """Of the machine."""

    @classmethod
    def of(cls, token: str, is_owner: bool) -> "Who":
        """Known by the hash of their token: it lasts as long as their cookie, and is of no use to whoever reads it."""
        return cls(key_of(token), is_owner)

    def may_end(self, owner: str) -> bool:
        """Whether they may stop and continue what belongs to that owner."""
        return self.is_owner or self.key == owner


def key_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


@dataclass(frozen=True)
class Claim:
    """Whose a training is, and how it was started."""

    owner: str
    learner: str
    game: str
    budget: str
    ended: str | None = None
    """`complete`, `stopped`, or a sentence about what went wrong; None while it goes on, or was interrupted with the server."""
    flags: tuple[str, ...] = ()
    """More flags of `randori train`: preset, seed and settings."""


class Claims:
    """The claims on the runs in a folder, by the name of the run. Damaged ones are nobody's."""

    def __init__(self, runs: Path) -> None:
        self._folder = runs / FOLDER / "trainings"
        self._lock = Lock()  # threads that wait for the ends of trainings write too

    def make(self, stem: str, claim: Claim) -> str:
        """A name that no run has and nobody else gets, beginning with the stem. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        runs, number = self._folder.parents[1], 1
        while True:
            name = f"{stem}-{number}"
            if not (runs / name).exists():
                try:
                    with self._path(name).open("x", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(claim)))
                    return name
                except FileExistsError:
                    pass
            number += 1

    def find(self, name: str) -> Claim | None:
        try:
            claim = Claim(**json.loads(self._path(name).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, RecursionError):
            return None
        flags = tuple(claim.flags) if isinstance(claim.flags, list | tuple) else (None,)
        texts = (claim.owner, claim.learner, claim.game, claim.budget, claim.ended or "", *flags)
        return replace(claim, flags=flags) if all(isinstance(it, str) for it in texts) else None

    def note_end(self, name: str, ended: str | None) -> None:
        """Notes how a training ended; None that it goes on."""
        with self._lock:
            claim = self.find(name)
            if claim is not None:
                self._write(name, replace(claim, ended=ended))

    def change(self, name: str, claim: Claim) -> None:
        with self._lock:
            self._write(name, claim)

    def rename(self, name: str, new: str) -> None:
        with self._lock:
            if self._path(name).exists():
                self._path(name).rename(self._path(new))

    def remove(self, name: str) -> None:
        with self._lock:
            self._path(name).unlink(missing_ok=True)

    def count(self) -> int:
        return sum(1 for _ in self._folder.glob("*.json"))

    def of(self, owner: str) -> list[str]:
        """The names of somebody's runs."""
        named = {it.stem: self.find(it.stem) for it in self._folder.glob("*.json")}
        return [name for name, claim in named.items() if claim is not None and claim.owner == owner]

    def release(self, owner: str) -> None:
        """Leaves somebody's runs without an owner."""
        with self._lock:
            for name in self.of(owner):
                claim = self.find(name)
                if claim is not None:
                    self._write(name, replace(claim, owner=NOBODY))

    def _write(self, name: str, claim: Claim) -> None:
        write_whole(self._path(name), json.dumps(asdict(claim)).encode())

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"
