"""What the learner asks of a network in the making."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from randori.core.record import Games
from randori.errors import UserError
from randori.players import Player
from randori.players.files import TrainedPlayer
from randori.workers import Workers


class Lesson(NamedTuple):
    """Games, and the network's seat in them: 0 the first, 1 the second, -1 none."""

    games: Games
    seat: int


class Network(Protocol):
    """A network in the making."""

    def player(self) -> TrainedPlayer: ...

    def sparring(self) -> Player:
        """The player for games in training."""

    def study(self, lessons: Sequence[Lesson], rng: np.random.Generator, workers: Workers) -> dict[str, float]:
        """Learns from the games of a round; returns what is worth a curve."""

    def begin_with(self, trained: Player) -> None:
        """Takes over the weights of a player of the same kind."""

    def state(self) -> dict[str, Any]: ...

    def restore(self, state: dict[str, Any]) -> None: ...


def other_network(trained: Player, network: str) -> UserError:
    return UserError(
        f"'{trained.name}' is not a network of {network}: begin with another player or choose its --network."
    )
