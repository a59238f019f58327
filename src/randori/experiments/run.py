"""Run folders: `recipe.json`, `metrics.jsonl`, `tensorboard/`, `checkpoints/`, `snapshots/` and `player.safetensors`;
`games/` where learning is asynchronous.

A run has a checkpoint from its first moment on: its folder is made under another name and then renamed. Whatever kills
it, the last checkpoint is whole, and rows after it are dropped when the run continues.
"""

import errno
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from randori import games
from randori.errors import UserError
from randori.experiments.checkpoint import Checkpoints
from randori.experiments.gauge import Strength
from randori.experiments.metrics import SECONDS_A_ROW, Notebook, read_metrics
from randori.experiments.recipe import Recipe, read_recipe, recipe_json, train_command
from randori.methods import Annealing, Learner
from randori.players.files import PLAYER_FILE, copy_player, read_card, save_player
from randori.reading import DamagedFile, is_count, is_number, is_rating
from randori.systems import lock, sync_folder
from randori.tensorfile import write_whole

RECIPE_FILE, METRICS_FILE, CHECKPOINTS, TENSORBOARD = "recipe.json", "metrics.jsonl", "checkpoints", "tensorboard"
SNAPSHOTS, GAMES = "snapshots", "games"

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass
class Progress:
    """How far a run is. Rounds, games and strength depend on the recipe alone, the clocks do not."""

    round: int = 0
    games: int = 0
    seconds: float = 0.0
    """By the clock, ratings included, over all sessions."""
    cpu_seconds: float = 0.0
    """Of all processes, learning alone."""
    strength: Strength | None = None
    """Of the finished player."""
    planned: float | None = None
    """The budget for which the last round was decided: see `PlannedEnd`."""
    last_round: int | None = None

    def add_round(self, n_games: int, cpu_seconds: float) -> None:
        self.round += 1
        self.games += n_games
        self.cpu_seconds += cpu_seconds
        self.strength = None


class Run:
    """The folder of one training, open to this process alone; a context manager.

    Raises UserError where the folder holds anything but this training.
    """

    def __init__(
        self, folder: Path, recipe: Recipe, say: Callable[[str], None], seconds_a_row: float = SECONDS_A_ROW
    ) -> None:
        self.folder, self.recipe, self._say, self._seconds_a_row = folder.absolute(), recipe, say, seconds_a_row
        self._checkpoints = Checkpoints(self.folder / CHECKPOINTS)
        self._saved_at, self._saving_took = time.monotonic(), 0.0
        self._open = ExitStack()
        with _writing(self.folder):
            self._is_new = not self.folder.exists() or not any(self.folder.iterdir())
        if not self._is_new:
            self._check_same()
            self._lock()

    def _check_same(self) -> None:
        if not (self.folder / RECIPE_FILE).is_file():
            raise UserError(f"'{self.folder}' is not empty and does not hold a run; choose another folder with --out.")
        difference = read_recipe(self.folder / RECIPE_FILE).difference(self.recipe)
        if difference is not None:
            raise UserError(
                f"'{self.folder}' is a run with {difference}; give the same settings, or another folder with --out."
            )

    def _lock(self) -> None:
        """Held until the run is closed, or the process killed."""
        try:
            self._open.callback(os.close, lock(self.folder))
        except BlockingIOError:
            raise UserError(f"'{self.folder}' is being trained by another process; wait, or stop it first.") from None

    def begin(self, learner: Learner, rng: np.random.Generator) -> Progress:
        """Makes the folder, or restores learner and generator from its last checkpoint."""
        progress = Progress()
        if self._is_new:
            self._create(_state(learner, rng, progress))
            self._lock()
        else:
            progress = self._restore(self._checkpoints.latest(self._say), learner, rng)
            self._say(f"Continuing '{self.folder}' after round {progress.round}.")
        with _writing(self.folder):
            for leftover in self.folder.rglob(".*.part"):
                leftover.unlink()
            write_whole(self.folder / RECIPE_FILE, recipe_json(self.recipe).encode())
            files = self.folder / METRICS_FILE, self.folder / TENSORBOARD
            self._notebook = Notebook(*files, progress.round, self._say, self._seconds_a_row)
            self._open.callback(self._notebook.close)
        return progress

    def _restore(self, state: dict[str, Any], learner: Learner, rng: np.random.Generator) -> Progress:
        try:
            progress = Progress(**state["progress"])
            _check_progress(progress)
            rng.bit_generator.state = state["rng"].bit_generator.state
            learner.restore(state["learner"])
        except UserError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise DamagedFile(
                f"The checkpoint in '{self.folder}' does not fit this training ({error}); start again with another --out."
            ) from error
        return progress

    def _create(self, state: dict[str, Any]) -> None:
        fresh = self.folder.with_name(f".{self.folder.name}.new")
        with _writing(self.folder):
            shutil.rmtree(fresh, ignore_errors=True)
            (fresh / CHECKPOINTS).mkdir(parents=True)
            write_whole(fresh / RECIPE_FILE, recipe_json(self.recipe).encode())
            Checkpoints(fresh / CHECKPOINTS).write(0, state)
            if self.folder.exists():
                self.folder.rmdir()  # empty; on Windows nothing can be renamed to it
            fresh.rename(self.folder)
            sync_folder(self.folder.parent)

    def note(self, progress: Progress, metrics: dict[str, float], strength: Strength | None) -> None:
        """Notes a round; rows of quick rounds are drawn together."""
        with _writing(self.folder):
            self._notebook.add(_row(progress), metrics, strength)

    def save_is_due(self, seconds: float) -> bool:
        """Whether this many seconds have passed since the last checkpoint, and writing one takes little of the time."""
        return time.monotonic() - self._saved_at >= max(seconds, 20 * self._saving_took if seconds else 0)

    def save(self, learner: Learner, rng: np.random.Generator, progress: Progress) -> None:
        """The player, then the checkpoint: where there is a checkpoint, its player and its rows are there too."""
        began = time.monotonic()
        with _writing(self.folder):
            self._notebook.flush()
            self._save_player(self.folder / PLAYER_FILE, learner, progress)
            self._checkpoints.write(progress.round, _state(learner, rng, progress))
        self._saved_at = time.monotonic()
        self._saving_took = self._saved_at - began

    def keep_snapshot(self, learner: Learner, progress: Progress) -> None:
        """Keeps the players after rounds 1, 2, 4, 8, ...: a few small files that show how it learned to play."""
        if progress.round & (progress.round - 1):
            return
        with _writing(self.folder):
            (self.folder / SNAPSHOTS).mkdir(exist_ok=True)
            self._save_player(self.folder / SNAPSHOTS / f"{progress.round:08}.safetensors", learner, progress)

    def _save_player(self, path: Path, learner: Learner, progress: Progress) -> None:
        save_player(
            path,
            learner.player(),
            games.game(self.recipe.game),
            learner=self.recipe.learner,
            config=asdict(learner.config if isinstance(learner, Annealing) else self.recipe.config),
            training={
                "seed": self.recipe.seed,
                "rounds": progress.round,
                "games": progress.games,
                "version": package_version(),
            },
            rating=progress.strength,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()


def _state(learner: Learner, rng: np.random.Generator, progress: Progress) -> dict[str, Any]:
    return {"progress": asdict(progress), "rng": rng, "learner": learner.state()}


def _check_progress(progress: Progress) -> None:
    if not (is_count(progress.round) and is_count(progress.games)):
        raise ValueError("it does not say after which round it was made")
    if not (is_number(progress.seconds) and is_number(progress.cpu_seconds)):
        raise ValueError("it does not say how long it took")
    if not (progress.last_round is None or is_count(progress.last_round)):
        raise ValueError("it does not say after which round it ends")
    if not (progress.planned is None or is_number(progress.planned)):
        raise ValueError("it does not say for which budget it was planned")
    if progress.strength is not None and not is_rating(progress.strength):
        raise ValueError("its rating is none")


def _row(progress: Progress) -> dict[str, Any]:
    return {
        "round": progress.round,
        "games": progress.games,
        "seconds": round(progress.seconds, 3),
        "cpu_seconds": round(progress.cpu_seconds, 3),
    }


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Inside, a folder that cannot be written raises a UserError that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise OSError(
                f"There is no room on the disk for '{folder}': make some and start the same command again; "
                "what was saved before is whole"
            ) from error
        raise UserError(f"'{folder}' cannot be written ({error.strerror}); choose another --out.") from error


def snapshots(folder: Path) -> dict[int, Path]:
    """The players that a run has stored so far, by their round."""
    found = sorted((folder / SNAPSHOTS).glob("*.safetensors"))
    # Not `isdigit`, to which "²" is a digit.
    return {int(it.stem): it for it in found if re.fullmatch("[0-9]{1,12}", it.stem)}


def publish(folder: Path, path: Path) -> None:
    """Copies a run's player to a file of its own, whose card also says the command, its time and its last rating."""
    rows = read_metrics(folder / METRICS_FILE)
    times = {key: rows[-1][key] for key in ("seconds", "cpu_seconds")} if rows else {}
    ratings = [row["rating"] for row in rows if "rating" in row]
    card = read_card(folder / PLAYER_FILE)
    training = card.training
    command = train_command(card.learner, card.game, card.config, training["seed"], training["rounds"])
    rating = ratings[-1] if ratings else None
    copy_player(folder / PLAYER_FILE, path, training={"command": command, **times}, rating=rating)


def package_version() -> str:
    try:
        return version("randori")
    except PackageNotFoundError:
        return "unknown"
