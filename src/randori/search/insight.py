"""What a searching player can show of its search beyond the move that it chooses."""

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

from randori.core.game import Floats
from randori.kernels.judges import Judge
from randori.search.alphabeta import AlphaBeta, Limits


class Insight(NamedTuple):
    """A search of its own, for one thread, over what somebody has learned of how games end."""

    search: AlphaBeta
    judge: Judge
    chances: Callable[[Floats], Floats]
    """From the scale of the search to -1 lost .. 1 won."""
    by_margin: bool
    """Whether that scale is a margin, such as discs."""

    def forget(self) -> None:
        """From now on the search finds what it would have found first: values that depend on the position alone."""
        self.search.forget(self.judge)


@runtime_checkable
class HasInsight(Protocol):
    """A player whose values are chances, found by compiled alpha-beta."""

    def insight(self, limits: Limits) -> Insight:
        """Room for searches within such limits."""
        ...
