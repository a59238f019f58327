"""One row of `randori bench`."""

from collections.abc import Callable
from dataclasses import dataclass

Work = Callable[[], float]
"""Does a piece of work and returns how many units it was."""


@dataclass(frozen=True)
class Benchmark:
    """One row: `prepare` and `prepare_peer` return the work to be timed; whatever they do themselves is not."""

    name: str
    unit: str
    prepare: Callable[[], Work]
    peer: str | None = None
    prepare_peer: Callable[[], Work] | None = None
    turns: int = 30
    """The best of so many counts."""
