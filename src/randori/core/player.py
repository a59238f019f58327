"""What a player is: something that chooses an action for each position of a batch."""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Actions, Floats, States
from randori.core.record import Forfeit


class Choice(NamedTuple):
    """The chosen actions, `[B]`, and, where the player has one, the policy `[B, A]` behind them."""

    actions: Actions
    policy: Floats | None = None
    forfeits: tuple[Forfeit, ...] = ()
    """Rows of the batch for which no action was found; what `actions` says there is not played."""
    values: Floats | None = None
    """`[B]`: what the player thinks the positions are worth to the side to move, -1 .. 1; nan where it does not know."""

    def shares(self, n_actions: int) -> Floats:
        """`[B, A]`: the policy, or where the player has none, all for what it chose."""
        if self.policy is not None:
            return self.policy
        return (np.arange(n_actions) == self.actions[:, None]).astype(np.float64)


class PlayerFailed(RuntimeError):
    """A player cannot play at all; the message is a sentence that says why and what to do."""

    def __init__(self, player: str, sentence: str) -> None:
        super().__init__(player, sentence)
        self.player, self.sentence = player, sentence

    def __str__(self) -> str:
        return self.sentence


class Player(Protocol):
    """Keeps nothing between calls; all chance comes from the generator handed in. States are never finished ones."""

    @property
    def name(self) -> str: ...

    def choose(self, states: States, rng: np.random.Generator) -> Choice: ...


@runtime_checkable
class FollowsGames(Protocol):
    """A player that needs the moves that led to a position, because its program cannot be shown a position, only led to it."""

    @property
    def name(self) -> str: ...

    def choose_after(self, actions: Actions, states: States, rng: np.random.Generator) -> Choice:
        """As `choose`, for the states that `actions`, `[B, T]`, led to from the first position."""
        ...


@runtime_checkable
class SitsAtManyBoards(Protocol):
    """Several players as one: who is asked depends on which game of a batch it is."""

    @property
    def name(self) -> str: ...

    def choose_in(self, games: NDArray[np.intp], states: States, rng: np.random.Generator) -> Choice:
        """As `choose`, for the states of these games of the batch, `[B]`."""
        ...


def choose_in_game(player: Player, actions: Actions, states: States, rng: np.random.Generator) -> Choice:
    """What a player chooses in games under way; `actions`, `[B, T]`, led to the states."""
    if isinstance(player, FollowsGames):
        return player.choose_after(actions, states, rng)
    return player.choose(states, rng)
