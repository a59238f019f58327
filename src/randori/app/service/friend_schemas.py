"""What the JSON API says of a game with a friend on another device."""

from typing import Literal

from pydantic import BaseModel, Field

from randori.app.service.duel import What, now
from randori.app.service.room import Room


class ClockOut(BaseModel):
    """The time of both sides, in seconds."""

    seconds: float = Field(description="For each side, for the whole game.")
    increment: float = Field(description="Added for each move.")
    left: tuple[float, float] = Field(
        description="What the side that began and the other side had left when this was sent."
    )
    running: int | None = Field(description="The side whose time runs; null while the clock stands still.")


class OfferOut(BaseModel):
    """What a side offers; the other accepts by offering the same."""

    what: What
    by: int


class FriendOut(BaseModel):
    """What belongs to such a game only. Sides are 0, the one that begins, and 1."""

    invitation: str = Field(description="The key of the link `/friend/KEY`: it gives the free seat, or lets one watch.")
    host: int = Field(description="The side of whoever sent the invitation.")
    joined: bool
    clock: ClockOut | None
    offer: OfferOut | None
    ended: Literal["time", "agreement"] | None = Field(
        description="How it ended, if neither by the rules nor by a resignation."
    )
    rematch: str | None = Field(description="The room of the rematch.")

    @classmethod
    def of(cls, room: Room) -> "FriendOut | None":
        duel = room.duel
        if duel is None:
            return None
        clock = None
        if duel.clock is not None:
            runs = duel.clock.since is not None and not room.is_over
            left = duel.clock.left_at(room.to_move, now()) if runs else duel.clock.left
            clock = ClockOut(
                seconds=duel.clock.pace.seconds,
                increment=duel.clock.pace.increment,
                left=(round(left[0], 2), round(left[1], 2)),
                running=room.to_move if runs else None,
            )
        ended: Literal["time", "agreement"] | None = "time" if duel.timed_out is not None else None
        return cls(
            invitation=duel.key,
            host=duel.host_seat,
            joined=duel.guest is not None,
            clock=clock,
            offer=None if duel.offer is None else OfferOut(what=duel.offer.what, by=duel.offer.seat),
            ended="agreement" if duel.agreed else ended,
            rematch=duel.next,
        )
