"""The verdict on one move, and whose opinion counts where nothing is known for certain."""

from typing import NamedTuple, Protocol

from randori.core.game import States
from randori.review.effort import Effort


class Verdict(NamedTuple):
    """On one move, for the side that made it."""

    best: float
    """The chance that the position offered."""
    played: float
    """What was left of it; never more."""
    action: int
    """The best move; the one that was played where none is known to be better."""
    line: tuple[int, ...] = ()
    """How the game goes on from the best move, that move included."""
    discs: float | None = None
    """What the move cost of what the game counts."""
    exact: bool = False
    """Whether both chances are proved."""
    forced: bool = False
    """Whether there was no other move."""

    @property
    def cost(self) -> float:
        return self.best - self.played


class Worth(NamedTuple):
    """Of a position, for the side to move."""

    chance: float
    margin: float | None = None
    """Its expected lead at the end, in what the game counts."""
    exact: bool = False
    """Whether that is proved."""


class Opinion(Protocol):
    """Gives an opinion where nothing is known for certain. Serves one thread; the opinion depends on the position
    alone.
    """

    def worth(self, state: States, effort: Effort) -> Worth: ...

    def verdict(self, state: States, action: int, effort: Effort) -> Verdict: ...
