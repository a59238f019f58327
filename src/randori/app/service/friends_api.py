"""The part of the JSON API for games with a friend on another device: invitations, and what the two offer each other."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from randori.app.service.api import REFUSALS, DuelsHere, Me, RoomHere, RoomsHere
from randori.app.service.duel import Pace, drawn
from randori.app.service.room import Room
from randori.app.service.schemas import Meant, NewInvitation, Offered, RoomOut

friends = APIRouter(prefix="/api", responses=REFUSALS)
Key = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,40}$")]
_WHATEVER = Meant()


async def invited_to(key: Key, me: Me, rooms: RoomsHere, duels: DuelsHere) -> Room:
    rooms.pace.take(me.id)
    return await duels.invited_to(key)


Invited = Annotated[Room, Depends(invited_to)]


@friends.post("/invitations", status_code=201)
async def invite(new: NewInvitation, me: Me, duels: DuelsHere) -> RoomOut:
    """Begins a game with a friend: send them the link `/friend/KEY` with the key in `friend.invitation`."""
    pace = None if new.minutes is None else Pace.of(new.minutes, new.increment)
    return RoomOut.of(await duels.open(me.id, new.game, drawn(new.seat), pace, new.moves))


@friends.get("/invitations/{key}")
async def show_invitation(room: Invited) -> RoomOut:
    """The game that an invitation is for, even if you only watch. It does not take a seat."""
    return RoomOut.of(room)


@friends.post("/invitations/{key}/join")
async def join(room: Invited, me: Me, duels: DuelsHere) -> RoomOut:
    """Takes the free seat; 403 if somebody else has it."""
    return RoomOut.of(await duels.join(room, me.id))


@friends.post("/rooms/{id}/offer")
async def offer(offered: Offered, room: RoomHere, me: Me, duels: DuelsHere) -> RoomOut:
    """Offers your friend a draw, to take your last move back, or a rematch; or accepts what they offer."""
    room.check_meant(offered.ply)
    return RoomOut.of(await duels.offer(room, me.id, offered.what))


@friends.post("/rooms/{id}/decline")
async def decline(room: RoomHere, me: Me, duels: DuelsHere, meant: Meant = _WHATEVER) -> RoomOut:
    """Declines your friend's offer, or withdraws your own."""
    room.check_meant(meant.ply)
    return RoomOut.of(await duels.decline(room, me.id))
