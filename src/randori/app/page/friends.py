"""A game of two people on two devices in words: their names, the state of the game, and offers."""

import asyncio

from randori.app.page.board import side_names
from randori.app.page.frame import Visit
from randori.app.page.in_words import played, result
from randori.app.service.duel import Duel
from randori.app.service.kept_duels import names
from randori.app.service.room import Room

_OFFERS = {
    "draw": ("offers a draw", "You have offered a draw."),
    "undo": ("asks to take their last move back", "You have asked to take your last move back."),
    "rematch": ("wants a rematch", "You have asked for a rematch."),
}
"""By what is offered: what the friend does, and what the person has done."""


async def names_of_friends(visit: Visit, room: Room) -> list[str]:
    """By seat, as the visitor should see them."""
    assert room.duel is not None
    host, guest, host_seat = room.profile, room.duel.guest, room.duel.host_seat
    known = await asyncio.to_thread(names, visit.rooms.store, [host, guest])
    mine, found = room.seat_of(visit.profile.id), ["", ""]
    for seat, profile in ((host_seat, host), (1 - host_seat, guest)):
        nobody = side_names(room.game)[seat].capitalize() if mine is None else "Your friend"
        found[seat] = known.get(profile or 0, "") or ("You" if seat == mine else nobody)
    return found


def standing_of_friends(room: Room, mine: int | None, names: list[str], is_here: bool) -> str:
    """The state of the game, for the person at a seat or for somebody who watches; `is_here`: whether the friend is."""
    assert room.duel is not None
    if room.duel.guest is None and room.resigned in (None, room.duel.host_seat):
        return "The invitation was withdrawn." if room.is_over else "Your friend has not joined yet."
    if room.is_over:
        return result(room, mine)
    side = side_names(room.game)[room.to_move]
    last = f"{played(room, room.ply)}. " if room.ply else ""
    if room.to_move == mine:
        return f"{last}You have no move: pass." if room.board.must_pass else f"{last}Your turn, {side}."
    name = names[room.to_move]
    whose = f"It is {side}'s turn" if mine is None else f"{name} is to move, {side}"
    return f"{last}{whose}{'' if is_here else ', but away just now'}."


def offer_in_words(duel: Duel, mine: int, friend: str) -> str:
    if duel.offer is None:
        return ""
    theirs, own = _OFFERS[duel.offer.what]
    return own if duel.offer.seat == mine else f"{friend} {theirs}."


async def invitation_in_words(visit: Visit, room: Room) -> tuple[str, str]:
    """A heading and a description of the game that somebody may join."""
    assert room.duel is not None
    host = (await asyncio.to_thread(names, visit.rooms.store, [room.profile])).get(room.profile, "")
    seat, clock = 1 - room.duel.host_seat, room.duel.clock
    begins = "You begin and" if seat == 0 else f"{host or 'Your friend'} begins; you"
    who_begins = f"{begins} play {side_names(room.game)[seat]}."
    heading = f"{host or 'A friend'} invites you to a game of {room.game.title}"
    return heading, f"{who_begins} {'There is no clock.' if clock is None else f'{clock.pace.in_words}.'}"
