"""What a learner is: it asks for games, learns from their records, and has a player to show for it."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np

from randori.core.game import Actions, Game
from randori.core.record import Games
from randori.players import Player
from randori.players.files import TrainedPlayer
from randori.workers import Workers


class Pairing(NamedTuple):
    """Games that a learner wants to see."""

    first: Player
    second: Player
    n_games: int
    openings: Actions | int = 0
    """How many random plies each game begins with; or which, `[n_games, plies]`."""


class Preset(NamedTuple):
    """Settings with a name, and how many rounds they are meant for; None: as many as one likes.

    With a budget in seconds a training takes this time and no fixed number of rounds, unless it is given another limit.
    A preset that was made for one game is for that game unless another one is named.
    """

    config: Any
    rounds: int | None
    summary: str
    budget: float | None = None
    game: str | None = None


class Learner(Protocol):
    """Learns in rounds: `pairings`, then `learn` with the games of these pairings, in their order.

    A learner that plays inside its own kernel asks for no pairings, and `learn([])` does a round by itself. Its
    independent tasks go to the workers; their results may not depend on how many these are.

    All chance comes from `rng`, which belongs to the run and is saved and restored with it; seeds for tasks are
    drawn from it with `rng.integers` (`rng.spawn` counts in a place that is not saved).
    """

    Config: ClassVar[type[Any]]
    """A frozen dataclass; its fields are flags of the command line and their docstrings the help."""
    presets: ClassVar[Mapping[str, Preset]]
    """Among them `default`."""

    def __init__(self, game: Game, config: Any, rng: np.random.Generator, workers: Workers) -> None: ...

    def pairings(self) -> list[Pairing]: ...

    def learn(self, played: list[Games]) -> dict[str, float]:
        """One round; returns what is worth a curve. `games` among it counts games that the learner played itself."""

    def player(self) -> TrainedPlayer:
        """A snapshot of the best player so far; draws nothing from `rng`."""

    def state(self) -> dict[str, Any]:
        """All that a checkpoint needs beside `rng`: dicts and lists of arrays, numbers, texts, None and generators."""

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on exactly where `state` was taken."""


@runtime_checkable
class Streaming(Protocol):
    """A learner to whom games can come all the time, so that its workers have tasks between rounds as well. What it learns
    depends on which games come first.
    """

    @property
    def asynchronous(self) -> bool:
        """Whether they do, with the settings it was given."""

    def streaming(self, folder: Path) -> AbstractContextManager[None]:
        """Inside, `learn` is a round; games are safe in the folder before they count."""


@runtime_checkable
class Annealing(Protocol):
    """A learner whose steps become smaller towards the end of its training: the end that its settings name, unless it is
    opened."""

    @property
    def config(self) -> Any:
        """Its settings, with the ends that were set."""

    @property
    def end_is_open(self) -> bool:
        """Whether nobody knows the end yet, so that the steps stay as they are at first."""

    def open_end(self) -> None:
        """From here on, or from the end that is set already, the end is open."""

    def end_after(self, rounds: int) -> None:
        """The training, whose end is open, ends after so many further rounds."""
