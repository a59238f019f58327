"""Runs that can be watched, and trainings that visitors start: the project's own command in a process of its own."""

import fcntl
import os
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path
from typing import IO, Any, NamedTuple

from randori import methods
from randori.app.plugins import plugin_flags
from randori.app.service import leash
from randori.app.service.claims import NOBODY, WHY_NOT, Claim, Claims, Who
from randori.app.service.limits import MAX_KEPT_TRAININGS, MAX_TRAININGS
from randori.app.service.menu import RUNS, game_named, run_folders, written_at
from randori.app.service.refusals import Forbidden, Invalid, Refusal, TooMany, Unknown
from randori.arena import in_words
from randori.errors import UserError
from randori.experiments.metrics import read_metrics
from randori.experiments.run import METRICS_FILE, RECIPE_FILE, snapshots
from randori.players.files import PLAYER_FILE
from randori.reading import read_json

BUDGETS = {"1m": "1 minute", "5m": "5 minutes", "20m": "20 minutes"}
COMPLETE, STOPPED = "complete", "stopped"


@dataclass(frozen=True)
class WatchedRun:
    """A run as its folder tells it, going on or not."""

    name: str
    game: str
    learner: str
    rows: list[dict[str, Any]]
    """The metrics so far."""
    has_player: bool
    snapshots: tuple[int, ...] = ()
    """The rounds whose players are kept."""
    complaint: str = ""
    """What of the folder cannot be read, in words."""

    @property
    def rated(self) -> list[dict[str, Any]]:
        return [row for row in self.rows if row.get("rating")]

    @property
    def rating(self) -> str:
        """The last one with its interval, in words; empty where there is none."""
        if not self.rated:
            return ""
        return in_words(self.rated[-1]["rating"])

    def spec(self, round: int | None) -> str:
        """Its player after a round, None for the newest."""
        return f"{RUNS}/{self.name}" if round is None else f"{RUNS}/{self.name}@{round}"


class Status(NamedTuple):
    """How a run stands for somebody who looks at it; these are the values of one that was not started on the page."""

    whose: str = ""
    goes_on: bool = False
    ended: str | None = None
    """As in its claim."""
    may_stop: bool = False
    may_continue: bool = False

    @property
    def complaint(self) -> str:
        """Why it could not go on: its last sentence; empty where it is well."""
        return "" if self.goes_on or self.ended in (None, COMPLETE, STOPPED) else self.ended or ""

    @property
    def words(self) -> str:
        if not self.whose:
            return ""
        ended = {None: "interrupted", COMPLETE: "complete", STOPPED: "stopped"}.get(self.ended, "failed")
        return f"{self.whose}, {'learning' if self.goes_on else ended}"


def _without(folder: Path, sentence: str) -> str:
    """What strangers may read: where the folder is concerns only its owner."""
    return sentence.replace(f"{folder}/", "")


@dataclass
class _Child:
    process: subprocess.Popen[bytes]
    said: IO[bytes]
    is_stopped: bool = False

    def ending(self) -> str:
        """How it ended, in the words of a claim."""
        if self.process.returncode == 0:
            return COMPLETE
        if self.is_stopped:
            return STOPPED
        self.said.seek(0)
        lines = self.said.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1].removeprefix("randori: ") if lines else "The training has failed."


class Trainings:
    """What is in the folder of runs; names come from its listing alone.

    Whoever starts a training owns it: it goes to a folder of its own, and only they and the owner of the machine can
    stop or continue it. It ends with the server, and waits there to be continued.
    """

    def __init__(self, folder: Path, *, open_to_all: bool = False) -> None:
        self.folder, self._open_to_all = folder, open_to_all
        self._claims = Claims(folder)
        self._children: dict[str, _Child] = {}
        self._is_closed = False

    def names(self) -> list[str]:
        """The newest first."""
        found = [it for it in run_folders(self.folder) if isfile(it / RECIPE_FILE)]
        return [it.name for it in sorted(found, key=written_at, reverse=True)]

    def run(self, name: str) -> WatchedRun:
        """Raises Unknown for what is not in the listing, or damaged."""
        if name not in self.names():
            raise Unknown(f"There is no run '{name}'.")
        folder = self.folder / name
        # Read as plain values: the settings of some learners need packages that watching does not.
        complaints: list[str] = []
        try:
            recipe = read_json(folder / RECIPE_FILE)
            rows = read_metrics(folder / METRICS_FILE, complaints.append)
            game, learner = recipe.get("game"), recipe.get("learner")
            if not isinstance(game, str) or not isinstance(learner, str):
                raise UserError(f"{RECIPE_FILE} names no game or no learner.")
        except UserError as error:
            raise Unknown(f"The run '{name}' is damaged: {_without(folder, str(error))}") from error
        has_player = isfile(folder / PLAYER_FILE)
        complaint = _without(folder, " ".join(complaints))
        return WatchedRun(name, game, learner, rows, has_player, tuple(snapshots(folder)), complaint)

    def claim(self, name: str) -> Claim | None:
        """Whose a run is; None where it was not started on the page."""
        return self._claims.find(name) if name in self._children or name in self.names() else None

    def may_start(self, who: Who) -> bool:
        return who.is_owner or self._open_to_all

    def start(self, who: Who, learner: str, game_name: str, budget: str) -> str:
        """Starts a training and returns the name of its run."""
        self._check_may_start(who)
        game = game_named(game_name)
        if learner not in methods.all_methods() or budget not in BUDGETS:
            raise Invalid("Choose a learner and a time from the lists.")
        chosen = methods.find(learner)
        chosen.check_plays(game)
        chosen.check_installed()
        self._check_room()
        if self._claims.count() >= MAX_KEPT_TRAININGS and not who.is_owner:
            raise TooMany("Visitors have started as many trainings as are kept: ask the owner of this machine.")
        claim = Claim(who.key, learner, game.name, budget)
        try:
            # Never a folder that `randori train` would take by itself: that is GAME-LEARNER, or GAME-LEARNER-PRESET.
            name = self._claims.make(f"{game.name}-{learner}-page", claim)
        except OSError as error:
            raise Refusal(f"'{self.folder}' cannot be written ({error.strerror}).") from error
        self._begin(name, claim)
        return name

    def go_on(self, who: Who, name: str) -> None:
        """Continues a training from its last checkpoint. Raises Forbidden, or Refusal where it is complete or goes on."""
        self._check_may_start(who)
        claim = self._claimed(who, name, "continue")
        if self.is_going_on(name):
            return
        if claim.ended == COMPLETE:
            raise Refusal("This training is complete.")
        self._check_room()
        if _is_held(self.folder / name):
            raise Refusal("Its last round is still being finished: try again in a few seconds.")
        self._claims.note_end(name, None)
        self._begin(name, claim)

    def stop(self, who: Who, name: str) -> None:
        """Ends it after its round; it can be continued. Raises Forbidden."""
        self._claimed(who, name, "stop")
        self._stop(name)

    def is_going_on(self, name: str) -> bool:
        """Whether a training that was started here goes on."""
        return name in self._children and self._children[name].process.poll() is None

    def status(self, who: Who, name: str) -> Status:
        """How a run stands, and what somebody may do about it."""
        claim, goes_on = self.claim(name), self.is_going_on(name)
        if claim is None:
            return Status()
        theirs = who.may_end(claim.owner)
        can_go_on = not goes_on and claim.ended != COMPLETE and self.may_start(who)
        whose = {who.key: "yours", NOBODY: "nobody's"}.get(claim.owner, "somebody else's")
        return Status(whose, goes_on, claim.ended, theirs and goes_on, theirs and can_go_on)

    def forget(self, key: str) -> None:
        """Stops somebody's trainings; what they have learned is nobody's."""
        for name in self._claims.of(key):
            self._stop(name)
        self._claims.release(key)

    def close(self) -> None:
        """Ends all that go on, after their rounds where these are short. They count as interrupted."""
        self._is_closed = True
        limit = time.monotonic() + leash.GRACE
        for child in self._children.values():
            leash.let_go(child.process)
        for child in self._children.values():
            leash.end(child.process, limit - time.monotonic())

    def _begin(self, name: str, claim: Claim) -> None:
        command = ["train", claim.learner, "--game", claim.game, "--budget", claim.budget]
        command += ["--out", str(self.folder / name), "--workers", "1", "--checkpoint-every", "5s", *plugin_flags()]
        said = tempfile.TemporaryFile()  # noqa: SIM115  read when the child has ended
        child = self._children[name] = _Child(leash.start(command, said), said)
        threading.Thread(target=self._await_end, args=(name, child), daemon=True).start()

    def _await_end(self, name: str, child: _Child) -> None:
        child.process.wait()
        leash.let_go(child.process)
        if not self._is_closed:
            self._claims.note_end(name, child.ending())
        child.said.close()

    def _stop(self, name: str) -> None:
        if self.is_going_on(name):
            self._children[name].is_stopped = True
            self._children[name].process.send_signal(signal.SIGINT)

    def _check_may_start(self, who: Who) -> None:
        if not self.may_start(who):
            raise Forbidden(WHY_NOT)

    def _check_room(self) -> None:
        if sum(self.is_going_on(name) for name in self._children) >= MAX_TRAININGS:
            raise TooMany("A training is going on already: wait for its end, or stop it.")

    def _claimed(self, who: Who, name: str, what: str) -> Claim:
        claim = self.claim(name)
        if claim is None or not who.may_end(claim.owner):
            raise Forbidden(
                f"Only whoever started a training on this page, or the owner of this machine, can {what} it."
            )
        return claim


def _is_held(folder: Path) -> bool:
    """Whether a process is training there: that of a server that was killed a moment ago, or one from elsewhere."""
    if not folder.exists():
        return False
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
