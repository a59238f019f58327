"""What a player is: something that chooses an action for each position of a batch."""

from typing import NamedTuple, Protocol

import numpy as np

from randori.game import Actions, Floats, States


class Choice(NamedTuple):
    """The actions chosen, `[B]`, and, where the player has one, the policy `[B, A]` they came from."""

    actions: Actions
    policy: Floats | None = None


class Player(Protocol):
    """Keeps nothing between calls; all chance comes from the generator handed in. States are never finished ones."""

    @property
    def name(self) -> str: ...

    def choose(self, states: States, rng: np.random.Generator) -> Choice: ...
