"""A duel: what a game of two people on two devices needs besides the game: seats, an invitation, clocks, offers."""

import secrets
import time
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

from randori.app.service.refusals import Invalid

FRIEND = "friend"
"""Stands for the other person where an opponent is chosen; no player has this spec."""
What = Literal["draw", "undo", "rematch"]
OFFERS: tuple[What, ...] = get_args(What)
FREE_PLIES = 2
"""Each side's first move takes no time: nobody loses any before they have seen that the game began."""
MOST_MINUTES, MOST_INCREMENT = 180.0, 180.0


def now() -> float:
    """Seconds since 1970: clocks must survive a restart, and agree on every server."""
    return time.time()


def drawn(seat: str) -> int:
    """The seat that `first` or `second` means; `lot` leaves it to chance."""
    return {"first": 0, "second": 1}.get(seat, secrets.randbelow(2))


class Pace(NamedTuple):
    """How much time both have: seconds for the game, and seconds more after each move."""

    seconds: float
    increment: float

    @classmethod
    def of(cls, minutes: float, increment: float) -> "Pace":
        """Raises Invalid."""
        if not (0 < minutes <= MOST_MINUTES and 0 <= increment <= MOST_INCREMENT):
            raise Invalid(
                f"A clock has up to {MOST_MINUTES:.0f} minutes for each side, more than 0, "
                f"and 0 to {MOST_INCREMENT:.0f} seconds for each move."
            )
        return cls(60 * minutes, float(increment))

    def __str__(self) -> str:
        return f"{self.seconds / 60:g}+{self.increment:g}"

    @property
    def in_words(self) -> str:
        minutes = "1 minute" if self.seconds == 60 else f"{self.seconds / 60:g} minutes"
        more = "1 second" if self.increment == 1 else f"{self.increment:g} seconds"
        return f"{minutes} each" + (f", {more} more for each move" if self.increment else "")


@dataclass(frozen=True)
class Clock:
    """The time of both sides. It is a value: reading it changes nothing, and it runs while nobody looks."""

    pace: Pace
    left: tuple[float, float]
    """Seconds, by seat, at the time `since`."""
    since: float | None = None
    """From when on the time of the side to move runs; None while it stands still."""

    @classmethod
    def new(cls, pace: Pace) -> "Clock":
        return cls(pace, (pace.seconds, pace.seconds))

    def left_at(self, to_move: int, moment: float) -> tuple[float, float]:
        """The seconds that both have left; those of the side to move run."""
        passed = 0.0 if self.since is None else max(0.0, moment - self.since)
        first, second = (max(0.0, it - passed * (seat == to_move)) for seat, it in enumerate(self.left))
        return first, second

    def is_out(self, to_move: int, moment: float) -> bool:
        return self.since is not None and self.left_at(to_move, moment)[to_move] <= 0

    def pressed(self, mover: int, moment: float, runs: bool) -> "Clock":
        """After a move; `runs` says whether the other side's time starts."""
        left = list(self.left_at(mover, moment))
        if self.since is not None:
            left[mover] += self.pace.increment
        return replace(self, left=(left[0], left[1]), since=moment if runs else None)

    def standing(self, to_move: int, moment: float) -> "Clock":
        """Stopped."""
        return replace(self, left=self.left_at(to_move, moment), since=None)


class Offer(NamedTuple):
    """What one side proposes; it stands until the other accepts or declines, or somebody moves."""

    what: What
    seat: int


@dataclass(frozen=True)
class Duel:
    """The host, to whose profile the room belongs, has invited somebody."""

    key: str
    """In the link of the invitation: whoever has it may take the free seat, or watch."""
    host_seat: int
    guest: int | None = None
    """The profile at the other seat, once somebody has joined."""
    clock: Clock | None = None
    offer: Offer | None = None
    agreed: bool = False
    """Whether both have agreed to a draw."""
    timed_out: int | None = None
    """The seat whose time ran out."""
    next: str | None = None
    """The room of the rematch."""

    def clock_runs(self, ply: int) -> bool:
        return self.guest is not None and ply >= FREE_PLIES

    def started(self, ply: int, moment: float) -> "Duel":
        """With its clock running from now on, if it has one and it should run."""
        if self.clock is None or not self.clock_runs(ply):
            return self
        return replace(self, clock=replace(self.clock, since=moment))

    def moved(self, plies: int, moment: float, is_over: bool) -> "Duel":
        """After the last of this many plies."""
        clock = self.clock
        if clock is not None:
            clock = clock.pressed((plies - 1) % 2, moment, self.clock_runs(plies) and not is_over)
        return replace(self, clock=clock, offer=None)

    def ended(self, to_move: int, moment: float) -> "Duel":
        """Over, however it ended: nothing runs and nothing is offered."""
        clock = None if self.clock is None else self.clock.standing(to_move, moment)
        return replace(self, clock=clock, offer=None)
