"""Duels: opens them, lets a friend join, and does what the two ask for. Only here does it matter who asks."""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from randori.app.service.duel import Clock, Duel, Offer, Pace, What, now
from randori.app.service.kept_duels import invited_to
from randori.app.service.presence import Presence
from randori.app.service.refusals import Forbidden, Refusal, Unknown
from randori.app.service.room import PERSON, GoneOn, Room
from randori.app.service.rooms import Rooms

_KEY_BYTES = 18
_TAKEN = "Somebody else has taken the seat: you can watch."


class Duels:
    """Its methods run in the event loop. A room is passed as somebody has seen it; raises GoneOn if it has changed."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self.presence = Presence(rooms.store, rooms.show_again)
        self._alarms: dict[str, asyncio.TimerHandle] = {}
        self._settling: set[asyncio.Task[None]] = set()

    async def open(self, host: int, game: str, host_seat: int, pace: Pace | None = None, moves: str = "") -> Room:
        """A game with a free seat, and a link to it."""
        clock = None if pace is None else Clock.new(pace)
        duel = Duel(secrets.token_urlsafe(_KEY_BYTES), host_seat, clock=clock)
        return await self._rooms.open(host, game, (PERSON, PERSON), moves, duel)

    async def invited_to(self, key: str) -> Room:
        """The room that a link leads to. Looking at it takes no seat. Raises Unknown."""
        id = await asyncio.to_thread(invited_to, self._rooms.store, key)
        if id is None:
            raise Unknown("There is no such invitation: ask your friend for the whole link.")
        return await self.settle(await self._rooms.look_up(id))

    async def next_of(self, room: Room) -> Room:
        """The rematch, for whoever watches. Raises Unknown."""
        next = _duel(room).next
        if next is None:
            raise Unknown("There is no rematch of this game yet.")
        return await self._rooms.look_up(next)

    async def join(self, room: Room, profile: int) -> Room:
        """Takes the free seat; joining twice changes nothing. Raises Forbidden if somebody else has it."""
        self._rooms.pace.take(profile)
        if room.seat_of(profile) is None:
            await self._rooms.check_may_begin(profile)
        moment = now()

        def joined(it: Room) -> Room:
            if _duel(it).guest is not None or it.is_over:
                raise Forbidden(_TAKEN)
            return _with(it, lambda duel: replace(duel, guest=profile).started(it.ply, moment))

        try:
            return room if room.seat_of(profile) is not None else await self._change(room, joined)
        except Forbidden:
            now_there = await self._rooms.look_up(room.id)
            if now_there.seat_of(profile) is None:
                raise
            return now_there  # another tab of the same person was faster

    async def move(self, room: Room, profile: int, name: str) -> Room:
        moment = now()
        room, seat = await self._current(room, profile)
        _check_joined(room)
        if not room.is_over and seat != room.to_move:
            raise Forbidden("It is your friend's turn.")
        action = room.persons_action(name)

        def moved(it: Room) -> Room:
            after = it.after(action)
            return _with(after, lambda duel: duel.moved(after.ply, moment, after.is_over))

        return await self._change(room, moved)

    async def resign(self, room: Room, profile: int) -> Room:
        room, seat = await self._current(room, profile)
        _check_goes_on(room)
        return await self._change(room, lambda it: replace(_ended(it), resigned=seat))

    async def offer(self, room: Room, profile: int, what: What) -> Room:
        """Offers something, or accepts what the other side has offered."""
        room, seat = await self._current(room, profile)
        _check_joined(room)
        if _duel(room).offer == Offer(what, 1 - seat):
            return await self._accept(room, Offer(what, 1 - seat))
        if what == "rematch" and _duel(room).next is not None:
            return room
        if (what == "rematch") != room.is_over:
            raise Refusal("The game is over." if room.is_over else "A rematch follows when the game is over.")
        if what == "undo":
            room.plies_before_last_choice(seat)  # says where there is none
        return await self._change(room, lambda it: _with(it, lambda duel: replace(duel, offer=Offer(what, seat))))

    async def decline(self, room: Room, profile: int) -> Room:
        """Takes an offer off the table, the other side's or one's own."""
        room, _ = await self._current(room, profile)
        if _duel(room).offer is None:
            raise Refusal("Nothing is offered.")
        return await self._change(room, lambda it: _with(it, lambda duel: replace(duel, offer=None)))

    async def _accept(self, room: Room, offer: Offer) -> Room:
        next = await self._rematch(room) if offer.what == "rematch" else None
        moment = now()

        def accepted(it: Room) -> Room:
            if _duel(it).offer != offer:
                raise Refusal("That is no longer offered.")
            if offer.what == "rematch":
                return _with(it, lambda duel: replace(duel, offer=None, next=next))
            if offer.what == "draw":
                return _with(_ended(it), lambda duel: replace(duel, agreed=True))
            plies = it.plies_before_last_choice(offer.seat)
            return _with(replace(it, board=it.board.first(plies)), lambda duel: _taken_back(duel, it, plies, moment))

        return await self._change(room, accepted)

    async def _rematch(self, room: Room) -> str:
        """The id of a new room for the same two, with their seats swapped."""
        duel = _duel(room)
        clock = None if duel.clock is None else Clock.new(duel.clock.pace)
        again = Duel(secrets.token_urlsafe(_KEY_BYTES), 1 - duel.host_seat, duel.guest, clock)
        return (await self._rooms.open(room.profile, room.game.name, room.seats, duel=again)).id

    async def settle(self, room: Room) -> Room:
        """The room; a clock that has run out has decided the game."""
        duel = room.duel
        if duel is None or duel.clock is None or room.is_over or not duel.clock.is_out(room.to_move, now()):
            return room
        try:
            return await self._change(room, _timed_out)
        except GoneOn as gone_on:
            return gone_on.room  # another server was faster

    def watch_clock(self, room: Room) -> None:
        """Settles the game as soon as the time of the side to move runs out."""
        alarm = self._alarms.pop(room.id, None)
        if alarm is not None:
            alarm.cancel()
        clock = _duel(room).clock
        if clock is None or clock.since is None or room.is_over:
            return
        left = clock.left_at(room.to_move, now())[room.to_move]
        self._alarms[room.id] = asyncio.get_running_loop().call_later(left + 0.01, self._ring, room)

    def _ring(self, room: Room) -> None:
        self._alarms.pop(room.id, None)
        task = asyncio.ensure_future(self._settle_in_time(room))
        self._settling.add(task)  # somebody has to hold it until it is done
        task.add_done_callback(self._settling.discard)

    async def _settle_in_time(self, room: Room) -> None:
        with suppress(Refusal):  # if the database cannot be reached, whoever looks at it next settles it
            self.watch_clock(await self.settle(room))

    async def _current(self, room: Room, profile: int) -> tuple[Room, int]:
        """The current room, and the seat of this person. Raises Forbidden, GoneOn, TooMany."""
        self._rooms.pace.take(profile)
        _duel(room)
        seat = room.seat_of(profile)
        if seat is None:
            raise Forbidden("You are watching this game: only its two players can do that.")
        settled = await self.settle(self._rooms.now(room))
        if not settled.stands_as(room):
            raise GoneOn(settled)
        return settled, seat

    async def _change(self, room: Room, change: Callable[[Room], Room]) -> Room:
        after = await self._rooms.change(room, change)
        if room.id in self._alarms or self._rooms.followers.has(room.id):
            self.watch_clock(after)
        return after

    def close(self) -> None:
        self.presence.close()
        for alarm in self._alarms.values():
            alarm.cancel()


def _duel(room: Room) -> Duel:
    """Raises Refusal if the room is not a duel."""
    if room.duel is None:
        raise Refusal("This game is not one with a friend on another device.")
    return room.duel


def _with(room: Room, change: Callable[[Duel], Duel]) -> Room:
    return replace(room, duel=change(_duel(room)))


def _ended(room: Room) -> Room:
    return _with(room, lambda duel: duel.ended(room.to_move, now()))


def _timed_out(room: Room) -> Room:
    """Raises GoneOn if there is time left after all: a move was taken back and made again in the meantime."""
    clock = _duel(room).clock
    if clock is None or not clock.is_out(room.to_move, now()):
        raise GoneOn(room)
    return _with(_ended(room), lambda duel: replace(duel, timed_out=room.to_move))


def _check_goes_on(room: Room) -> None:
    if room.is_over:
        raise Refusal("The game is over.")


def _check_joined(room: Room) -> None:
    if _duel(room).guest is None and not room.is_over:
        raise Refusal("Your friend has not joined yet.")


def _taken_back(duel: Duel, before: Room, plies: int, moment: float) -> Duel:
    """Used time is not given back; from now on the time of the side to move runs."""
    clock = None if duel.clock is None else duel.clock.standing(before.to_move, moment)
    return replace(duel, clock=clock, offer=None).started(plies, moment)
