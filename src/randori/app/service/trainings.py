"""Runs that can be watched, and trainings that visitors start: the project's own command in a process of its own."""

import os
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, replace
from os.path import isfile
from pathlib import Path
from typing import IO

from randori import methods
from randori.app.plugins import plugin_flags
from randori.app.service import leash
from randori.app.service.claims import NOBODY, WHY_NOT, Claim, Claims, Who
from randori.app.service.kept_runs import checked_name, move_folder, remove_folder, zipped
from randori.app.service.limits import MAX_KEPT_TRAININGS, MAX_TRAININGS
from randori.app.service.menu import game_named, run_folders, written_at
from randori.app.service.refusals import Forbidden, Invalid, Refusal, TooMany, Unknown
from randori.app.service.settings import Wishes, flags_of
from randori.app.service.watched_run import COMPLETE, STOPPED, Status, WatchedRun
from randori.errors import UserError
from randori.experiments.metrics import read_metrics
from randori.experiments.recipe import parse_duration
from randori.experiments.run import METRICS_FILE, RECIPE_FILE, snapshots
from randori.players.files import PLAYER_FILE
from randori.reading import read_json
from randori.systems import is_locked

BUDGETS = {"1m": "1 minute", "5m": "5 minutes", "20m": "20 minutes"}
SECONDS_LONGER = 300.0
"""How much longer a complete training can learn at a time."""
_NO_WISHES = Wishes()


def _without(folder: Path, sentence: str) -> str:
    """What strangers may read: where the folder is concerns only its owner."""
    return sentence.replace(f"{folder}{os.sep}", "")


@dataclass
class _Child:
    process: subprocess.Popen[bytes]
    errors: IO[bytes]
    is_stopped: bool = False

    def ending(self) -> str:
        """How it ended, in the words of a claim."""
        if self.process.returncode == 0:
            return COMPLETE
        if self.is_stopped:
            return STOPPED
        self.errors.seek(0)
        lines = self.errors.read().decode("utf-8", "replace").strip().splitlines()
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

    def _is_listed(self, name: str) -> bool:
        """As `name in names()`, without a look at all the others."""
        return any(it.name == name for it in run_folders(self.folder)) and isfile(self.folder / name / RECIPE_FILE)

    def run(self, name: str) -> WatchedRun:
        """Raises Unknown for what is not in the listing, or damaged."""
        if not self._is_listed(name):
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
        return WatchedRun(name, game, learner, rows, has_player, tuple(snapshots(folder)), complaint, recipe)

    def claim(self, name: str) -> Claim | None:
        """Who owns a run, and how it was started; None if it was not started on the page."""
        return self._claims.find(name) if name in self._children or self._is_listed(name) else None

    def may_start(self, who: Who) -> bool:
        return who.is_owner or self._open_to_all

    def start(self, who: Who, learner: str, game_name: str, budget: str, wishes: Wishes = _NO_WISHES) -> str:
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
            raise TooMany("Visitors have started as many trainings as this server keeps: ask its owner.")
        claim = Claim(who.key, learner, game.name, budget, flags=flags_of(learner, wishes))
        try:
            # Never a folder that `randori train` would take by itself: that is GAME-LEARNER, or GAME-LEARNER-PRESET.
            name = self._claims.make(f"{game.name}-{learner}-page", claim)
        except OSError as error:
            raise Refusal(f"'{self.folder}' cannot be written ({error.strerror}).") from error
        self._begin(name, claim)
        return name

    def go_on(self, who: Who, name: str) -> None:
        """Continues a training from its last checkpoint. Raises Forbidden, or Refusal if it is complete or still running."""
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

    def learn_longer(self, who: Who, name: str) -> None:
        """Gives a complete training more time. Raises as `go_on` does, and Refusal where it is not complete."""
        self._check_may_start(who)
        claim = self._claimed(who, name, "continue")
        if claim.ended != COMPLETE or self.is_going_on(name):
            raise Refusal("This training is not complete: continue it.")
        self._check_room()
        longer = replace(claim, budget=f"{parse_duration(claim.budget) + SECONDS_LONGER:.0f}s", ended=None)
        self._claims.change(name, longer)
        self._begin(name, longer)

    def rename(self, who: Who, name: str, wanted: str) -> str:
        """Gives a run another name, and returns it. Raises Forbidden, Invalid, or Refusal while it is being trained."""
        self._check_may_change(who, name, "rename")
        new = checked_name(wanted, who.is_owner)
        if (self.folder / new).exists() or self._claims.find(new) is not None:
            raise Invalid(f"There is already a run '{new}'.")
        move_folder(self.folder / name, new)
        self._claims.rename(name, new)
        return new

    def delete(self, who: Who, name: str) -> None:
        """Deletes a run for good. Raises Forbidden, or Refusal while it is being trained."""
        self._check_may_change(who, name, "delete")
        remove_folder(self.folder / name)
        self._claims.remove(name)

    def archive(self, who: Who, name: str) -> bytes:
        """A ZIP file of the run. Raises Forbidden."""
        if not self._may_change(who, name):
            raise Forbidden("Only whoever started a training, or the owner of this machine, can download it.")
        return zipped(self.folder / name)

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
        may_change = not goes_on and self._may_change(who, name)
        if claim is None:
            return Status(may_change=may_change)
        theirs = who.may_end(claim.owner)
        can_go_on = not goes_on and claim.ended != COMPLETE and self.may_start(who)
        whose = {who.key: "yours", NOBODY: "nobody's"}.get(claim.owner, "somebody else's")
        return Status(whose, goes_on, claim.ended, theirs and goes_on, theirs and can_go_on, may_change)

    def forget(self, key: str) -> None:
        """Stops somebody's trainings, and leaves their runs without an owner."""
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
        command += [
            *claim.flags,
            "--out",
            str(self.folder / name),
            "--workers",
            "1",
            "--checkpoint-every",
            "5s",
            *plugin_flags(),
        ]
        errors = tempfile.TemporaryFile()  # noqa: SIM115  read when the child has ended
        child = self._children[name] = _Child(leash.start(command, errors), errors)
        threading.Thread(target=self._await_end, args=(name, child), daemon=True).start()

    def _await_end(self, name: str, child: _Child) -> None:
        child.process.wait()
        leash.let_go(child.process)
        if not self._is_closed:
            self._claims.note_end(name, child.ending())
        child.errors.close()

    def _stop(self, name: str) -> None:
        if self.is_going_on(name):
            self._children[name].is_stopped = True
            leash.interrupt(self._children[name].process)

    def _check_may_start(self, who: Who) -> None:
        if not self.may_start(who):
            raise Forbidden(WHY_NOT)

    def _check_room(self) -> None:
        if sum(self.is_going_on(name) for name in self._children) >= MAX_TRAININGS:
            raise TooMany("A training is already running: wait for it to end, or stop it.")

    def _may_change(self, who: Who, name: str) -> bool:
        """Runs that were not started on the page are the owner's."""
        claim = self.claim(name)
        return self._is_listed(name) and (who.is_owner if claim is None else who.may_end(claim.owner))

    def _check_may_change(self, who: Who, name: str, what: str) -> None:
        if not self._may_change(who, name):
            raise Forbidden(f"Only whoever started a training, or the owner of this machine, can {what} it.")
        if self.is_going_on(name) or _is_held(self.folder / name):
            raise Refusal("It is being trained: stop it first.")

    def _claimed(self, who: Who, name: str, what: str) -> Claim:
        claim = self.claim(name)
        if claim is None or not who.may_end(claim.owner):
            raise Forbidden(
                f"Only whoever started a training on this page, or the owner of this machine, can {what} it."
            )
        return claim


def _is_held(folder: Path) -> bool:
    """Whether a process is training there: that of a server that was killed a moment ago, or one from elsewhere."""
    return folder.exists() and is_locked(folder)
