"""Rows of `randori bench`: work that is timed, and figures that are read."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

Work = Callable[[], float]
"""Does a piece of work and returns how many units it was."""

_SECONDS_A_TURN = 0.05


class Known(NamedTuple):
    """The best figure known for a row, and where it comes from."""

    figure: float
    source: str


class Measured(NamedTuple):
    """A row as it was measured."""

    name: str
    unit: str
    ours: float
    less_is_better: bool
    peer: str | None = None
    theirs: float | None = None
    known: Known | None = None

    def summary(self) -> dict[str, Any]:
        """As `--json` prints it. A ratio above 1 is in our favour."""
        figures = self._asdict() | {"known": None if self.known is None else self.known._asdict()}
        return figures | {"ratio": None if self.theirs is None else self.ours / self.theirs}


class Row(Protocol):
    """What `randori bench` measures."""

    @property
    def name(self) -> str: ...

    @property
    def cores(self) -> int:
        """How many it uses."""

    @property
    def asked_for(self) -> bool:
        """Whether it takes so long that it is measured only where `--only` names it."""

    def measure(self, peers: bool) -> Measured: ...


@dataclass(frozen=True)
class Benchmark:
    """One row: `prepare` and `prepare_peer` return the work to be timed; whatever they do themselves is not.

    Work on one core is timed by CPU time, since others share the machine; work on several by the clock.
    """

    name: str
    unit: str
    prepare: Callable[[], Work]
    peer: str | None = None
    prepare_peer: Callable[[], Work] | None = None
    turns: int = 30
    """The best of this many turns counts."""
    cores: int = 1
    known: Known | None = None
    asked_for: bool = False

    def measure(self, peers: bool) -> Measured:
        """Ours and theirs in turns: on a shared machine, only that is a fair comparison."""
        ours = self.prepare()
        theirs = self.prepare_peer() if peers and self.prepare_peer is not None else None
        ours()  # compiles and warms up
        best_ours = best_theirs = 0.0
        for _ in range(self.turns):
            best_ours = max(best_ours, self._rate(ours))
            if theirs is not None:
                best_theirs = max(best_theirs, self._rate(theirs))
        if theirs is None:
            return Measured(self.name, self.unit, best_ours, False, known=self.known)
        return Measured(self.name, self.unit, best_ours, False, self.peer, best_theirs, self.known)

    def _rate(self, work: Work) -> float:
        """Units per second over one turn."""
        clock = time.process_time if self.cores == 1 else time.perf_counter
        units = 0.0
        began = clock()
        while (elapsed := clock() - began) < _SECONDS_A_TURN:
            units += work()
        return units / elapsed


@dataclass(frozen=True)
class Reading:
    """A row of seconds or megabytes that is not timed here: less is better."""

    name: str
    unit: str
    read: Callable[[], float]
    cores: int = 1
    asked_for: bool = True

    def measure(self, peers: bool) -> Measured:
        return Measured(self.name, self.unit, self.read(), True)
