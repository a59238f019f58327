"""Runs that can be watched, and trainings that visitors start: the project's own command in a process of its own."""

import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path
from typing import IO, Any

from randori import methods
from randori.app.plugins import plugin_flags
from randori.app.service.limits import MAX_TRAININGS
from randori.app.service.menu import RUNS, game_named, run_folders, written_at
from randori.app.service.refusals import Invalid, TooMany, Unknown
from randori.errors import UserError
from randori.experiments.metrics import read_metrics
from randori.experiments.run import METRICS_FILE, RECIPE_FILE, snapshots
from randori.players.files import PLAYER_FILE
from randori.reading import read_json

BUDGETS = {"1m": "1 minute", "5m": "5 minutes", "20m": "20 minutes"}


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
        last = self.rated[-1]["rating"]
        return f"{last['elo']:.0f} ({last['low']:.0f} .. {last['high']:.0f})"

    def spec(self, round: int | None) -> str:
        """Its player after a round, None for the newest."""
        return f"{RUNS}/{self.name}" if round is None else f"{RUNS}/{self.name}@{round}"


def _without(folder: Path, sentence: str) -> str:
    """What strangers may read: where the folder is concerns only its owner."""
    return sentence.replace(f"{folder}/", "")


@dataclass
class _Child:
    process: subprocess.Popen[bytes]
    said: IO[bytes]


class Trainings:
    """What is in the folder of runs; names come from its listing alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._children: dict[str, _Child] = {}

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

    def start(self, learner: str, game_name: str, budget: str) -> str:
        """Starts a training, or goes on with it, and returns the name of its run."""
        game = game_named(game_name)
        if learner not in methods.all_methods() or budget not in BUDGETS:
            raise Invalid("Choose a learner and a time from the lists.")
        chosen = methods.find(learner)
        chosen.check_plays(game)
        chosen.check_installed()
        if sum(self.is_going_on(name) for name in self._children) >= MAX_TRAININGS:
            raise TooMany("A training is going on already: wait for its end, or stop it.")
        name = f"{game.name}-{learner}"
        command = [sys.executable, "-m", "randori", "train", learner, "--game", game.name, "--budget", budget]
        command += ["--out", str(self.folder / name), "--workers", "1", "--checkpoint-every", "5s", *plugin_flags()]
        said = tempfile.TemporaryFile()  # noqa: SIM115  read when the child has ended
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
        self._children[name] = _Child(process, said)
        return name

    def is_going_on(self, name: str) -> bool:
        """Whether a training that was started here goes on."""
        return name in self._children and self._children[name].process.poll() is None

    def complaint(self, name: str) -> str:
        """Why a training that was started here could not go on: its last sentence; empty where it is well."""
        child = self._children.get(name)
        if child is None or child.process.poll() in (None, 0):
            return ""
        child.said.seek(0)
        lines = child.said.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1].removeprefix("randori: ") if lines else "The training has failed."

    def stop(self, name: str) -> None:
        """Ends it after its round; the same start goes on with it."""
        if self.is_going_on(name):
            self._children[name].process.send_signal(signal.SIGINT)
