"""The rooms: opens them, makes moves in them, keeps every move before it is shown."""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, partial, reduce
from typing import TypeVar
from weakref import WeakValueDictionary

import numpy as np

from randori.app.service import partner, pupils
from randori.app.service.duel import Duel
from randori.app.service.followers import Followers
from randori.app.service.forgetting import recognise
from randori.app.service.keeper import Keeper
from randori.app.service.limits import BY_PROFILE, MAX_GAMES_UNDER_WAY, MAX_OPEN_ROOMS, NEWCOMERS, Buckets
from randori.app.service.menu import Menu, game_named, is_partner, offered
from randori.app.service.minds import Mind, read_mind
from randori.app.service.preparations import Preparations
from randori.app.service.pupils import Pupils
from randori.app.service.refusals import Forbidden, Invalid, Refusal, TooMany, Unavailable, Unknown
from randori.app.service.reviews import Reviews
from randori.app.service.room import PERSON, GoneOn, Room
from randori.app.service.store import Change, Conflict, KeptGame, KeptRating, Profile, Rated, Store
from randori.app.service.thinking import Thinking, choose_all
from randori.app.service.turns import asker
from randori.core.game import Game
from randori.core.game_so_far import GameSoFar
from randori.core.notation import parse_transcript
from randori.errors import UserError
from randori.players import Player
from randori.players.companion import Companion

T = TypeVar("T")
_TRIES = 8


class Rooms:
    """All games of everybody. Its methods run in the event loop; reading, writing and thinking happen in threads."""

    def __init__(self, store: Store, menu: Menu, thinking: Thinking) -> None:
        self.store, self.menu, self.thinking = store, menu, thinking
        self.pupils, self.reviews = Pupils(store, thinking), Reviews(thinking)
        self.preparations = Preparations(menu)
        self.followers = Followers(self._follow if store.is_shared else None)
        self._keeper = Keeper(store)
        self._open: OrderedDict[str, Room] = OrderedDict()
        self._replying: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._known: OrderedDict[str, Profile] = OrderedDict()
        self._known_from = store.identity
        self.pace, self._newcomers = Buckets(BY_PROFILE), Buckets(NEWCOMERS)

    async def profile_of(self, token: str) -> Profile:
        """The visitor who has this token; known ones are remembered. Raises TooMany."""
        if self._known_from != (database := self.store.identity):  # another one may know others by the same numbers
            self._known.clear()
            self._known_from = database
        if token not in self._known:
            self._newcomers.take(asker.get())
            self._known[token] = await self._keeper.write(partial(recognise, self.store, token))
            if len(self._known) > MAX_OPEN_ROOMS:
                self._known.popitem(last=False)
        return self._known[token]

    async def rename(self, token: str, name: str) -> None:
        profile = await self.profile_of(token)
        await self._keeper.write(partial(self.store.rename, profile.id, name))
        self._known[token] = profile._replace(name=name)

    def drop(self, profile: Profile) -> None:
        """Nothing of somebody who was forgotten stays in memory."""
        self._known = OrderedDict((token, it) for token, it in self._known.items() if it.id != profile.id)
        left = {id: it for id, it in self._open.items() if it.profile != profile.id and it.seat_of(profile.id) is None}
        self._open = OrderedDict(left)
        self.pupils.drop(profile.id)

    def look_up_again(self) -> None:
        """Looks everybody up again at their next request, which notes the day of their visit."""
        self._known.clear()

    async def open(
        self, profile: int, game_name: str, seats: tuple[str, str], moves: str = "", duel: Duel | None = None
    ) -> Room:
        """A new game, after the moves of a transcript where one is given."""
        self.pace.take(profile)
        game = game_named(game_name)
        if pupils.SPEC in seats:
            await self.pupils.lessons(profile, game)  # says why where there are none
        for seat in seats:
            if seat != PERSON:
                await _read(partial(self.menu.entry, game, seat))
        if PERSON not in seats and any(map(is_partner, seats)):
            raise Invalid("Companion and pupil play with a person: take one of the seats.")
        await self.check_may_begin(profile)
        try:
            board = await self.thinking.about(partial(_begun, game, moves))
        except Refusal:
            raise
        except UserError as error:
            raise Invalid(str(error)) from error
        room = Room(secrets.token_urlsafe(9), profile, board, seats, duel=duel)
        room, rated = await self._ending(room)
        kept = (room.id, profile, game.name, seats, room.board.history, room.result, rated, duel)
        try:
            await self._keeper.write(partial(self.store.add_game, *kept))
        except Conflict:
            self._known.clear()  # the profile is gone, and is made again with the next request
            raise Unavailable("The game could not be started: try again.") from None
        return self._put(room)

    async def check_may_begin(self, profile: int) -> None:
        """Raises TooMany if somebody has too many games under way already."""
        if await _read(partial(self.store.count_under_way, profile)) >= MAX_GAMES_UNDER_WAY:
            raise TooMany(f"You have {MAX_GAMES_UNDER_WAY} games under way: finish or resign some first.")

    async def find(self, profile: int, id: str) -> Room:
        """As it is now. Raises Unknown for games that are not there, or somebody else's; Forbidden for others' duels."""
        room = await self.look_up(id)
        if room.duel is not None and room.seat_of(profile) is None:
            raise Forbidden("This game is between two others; their link lets you watch it.")
        if room.duel is None and room.profile != profile:
            raise Unknown("There is no such game.")
        return room

    async def look_up(self, id: str) -> Room:
        """As `find`, for anybody."""
        room = self._open.get(id)
        if room is not None:
            version = await _read(partial(self.store.version, id))
            room = self._open.get(id)
            if room is not None and room.version != version:
                room = None  # another server has changed it, or somebody has put an older database back
        if room is None:
            room = await self._read_again(id)
        if id in self._open:
            self._open.move_to_end(id)
        return room

    async def move(self, room: Room, name: str) -> Room:
        """The person's move. As below, the room is the one that somebody has seen; raises GoneOn if it has changed."""
        room = self._current(room)
        action = room.persons_action(name)
        return await self.change(room, lambda it: it.after(action))

    async def reply(self, room: Room) -> Room:
        """With the move of the player whose turn it is. A room that has moved on in the meantime is returned as it is."""
        async with self._replying.setdefault(room.id, asyncio.Lock()):  # one reply for two tabs
            now = self._open.get(room.id, room)
            if not (now.stands_as(room) and now.players_turn):
                return now
            try:
                action = await self._choice(now)
                return await self.change(now, lambda it: it.after(action))
            except GoneOn as gone_on:
                return gone_on.room  # the reply was to an earlier position

    async def answer(self, room: Room, name: str) -> Room:
        """The person's move and the reply to it, if there is one: kept together, which is cheaper, and then shown."""
        room = self._current(room)
        actions = [room.persons_action(name)]
        after = room.after(actions[0])
        if after.players_turn:
            actions.append(await self._choice(after))
        return await self.change(room, lambda it: reduce(Room.after, actions, it))

    async def undo(self, room: Room) -> Room:
        """Takes back the person's last move and whatever followed."""
        room = self._current(room)
        plies = room.plies_before_last_choice()
        return await self.change(room, lambda it: it.until(plies))

    async def resign(self, room: Room) -> Room:
        room = self._current(room)
        if room.is_over:
            raise Refusal("The game is over.")
        seat = room.person_seat if room.person_seat is not None else room.to_move
        if room.seats[seat] != PERSON:
            raise Refusal("Only a person can resign.")
        return await self.change(room, lambda it: replace(it, resigned=seat))

    async def hint(self, room: Room) -> Mind:
        """What the strongest would do for the person."""
        room = self._current(room)
        if not room.persons_turn:
            raise Refusal("A hint is for your own turn.")
        best = await self.thinking.about(partial(self.menu.adviser, room.game))
        mind = await self._mind(room, await self._player(room, best.spec))
        await self._assist(self.now(room))
        return mind

    async def assist(self, profile: int, id: str) -> None:
        """Notes that the person has had help, if the game is still under way."""
        await self._assist(await self.find(profile, id))

    async def _assist(self, room: Room) -> None:
        if not room.is_over and not room.assisted:
            await self.change(room, lambda it: replace(it, assisted=True))

    async def mind(self, room: Room, spec: str) -> Mind:
        """What a player thinks about the current position."""
        self.pace.take(room.profile)
        _check_one_device(room)
        return await self._mind(room, await self._player(room, spec))

    async def _mind(self, room: Room, player: Player) -> Mind:
        if room.is_over:
            raise Refusal("The game is over.")
        question = partial(read_mind, player, room.game, room.board.state, np.random.default_rng())
        return await self.thinking.about(question)

    async def _player(self, room: Room, spec: str) -> Player:
        if partner.is_companion(spec):
            return await self._companion(room, spec)
        if spec == pupils.SPEC:
            return await self.pupils.pupil(room.profile, room.game)
        known = self.menu.known_player(room.game, spec)
        if known is not None:
            return known
        return await self.thinking.about(partial(self.menu.player, room.game, spec))

    async def _companion(self, room: Room, spec: str) -> Companion:
        known = (await _read(partial(self.store.ratings, room.profile))).get(room.game.name)
        return await self.thinking.about(partial(partner.partner, room.game, known, spec))

    async def _choice(self, room: Room) -> int:
        """Of the player whose turn it is. Those who wait for the same player are answered together."""
        player = await self._player(room, room.seats[room.to_move])
        return await self.thinking.together(id(player), room.board, partial(choose_all, player))

    def _current(self, room: Room) -> Room:
        """As `now`, for somebody who wants to act. Raises TooMany, too."""
        self.pace.take(room.profile)
        _check_one_device(room)
        return self.now(room)

    def now(self, room: Room) -> Room:
        """The current room, if it still stands as somebody has seen it. Raises GoneOn."""
        now = self._open.get(room.id, room)
        if not now.stands_as(room):
            raise GoneOn(now)
        return now

    async def change(self, room: Room, change: Callable[[Room], Room]) -> Room:
        """Kept first, all of it in one transaction, and then shown: nobody sees what a crash could take back.

        The database decides: where it has another version by now, the room is read again, and changed only if it stands
        as before. So it does not matter whether somebody was stopped between keeping and showing.
        """
        for _ in range(_TRIES):
            after = replace(change(room), version=room.version + 1)
            after, rated = await self._ending(after)
            try:
                await self._keeper.keep(_difference(room, after, rated))
            except Conflict:
                now = await self._read_again(room.id)
                if not now.stands_as(room):
                    raise GoneOn(now) from None
                room = now
                continue
            return self._put(after)
        raise Unavailable("Too many changes to this game at once: try again in a moment.")

    async def _ending(self, room: Room) -> tuple[Room, Rated | None]:
        """With the comment of a partner and the person's new rating; as it is while the game goes on."""
        result, seat = room.result, room.person_seat
        if result is None or seat is None:
            return room, None
        account, elo = await self._opponent(room, room.seats[1 - seat])
        room = replace(room, account=account)
        if elo is None or room.assisted or not room.ply:
            return room, None
        persons = result if seat == 0 else 1 - result
        known = (await self.ratings(room.profile)).get(room.game.name)
        about = partial(partner.updated, room.game, known, room.board.history, seat, persons, elo)
        after = await self.thinking.about(about)
        room = replace(room, ratings=(None if known is None else known.elo, after.elo))
        return room, Rated(room.profile, known, after)

    async def _read_again(self, id: str) -> Room:
        """As the database has it. Raises Unknown if it has none."""
        while True:
            before = self._open.get(id)
            kept = await _read(partial(_kept_game, self.store, id))
            if self._open.get(id) is before:
                break  # nobody changed it while it was read
        if kept is None or kept.game not in offered():
            self._open.pop(id, None)
            raise Unknown("There is no such game.")
        self._open.pop(id, None)
        board = _board(game_named(kept.game), kept.actions)
        room = Room(
            kept.id, kept.profile, board, kept.seats, kept.resigned, kept.assisted, version=kept.version, duel=kept.duel
        )
        return self._put(room) if room.is_over == (kept.result is not None) else await self._mend(room)

    async def _mend(self, room: Room) -> Room:
        """Adds a missing result: the first version stored it after the last move, and could be killed in between."""
        try:
            return await self.change(room, lambda it: it)
        except Unavailable:
            return self._put(room)  # it can be looked at meanwhile

    async def _opponent(self, room: Room, spec: str) -> tuple[str, float | None]:
        """What a partner says after a game, and how strong the opponent played, where that is known."""
        if spec == pupils.SPEC:
            return await self.pupils.account(room.profile, room.game), None
        if partner.is_companion(spec):
            companion = await self._companion(room, spec)
            return companion.account(), companion.elo
        strength = self.menu.entry(room.game, spec).strength
        return "", None if strength is None else strength.elo

    def show_again(self, id: str) -> None:
        """Shows a room again to all who look at it: somebody has arrived or left."""
        if (room := self._open.get(id)) is not None:
            self.followers.notify(room)

    async def ratings(self, profile: int) -> dict[str, KeptRating]:
        return await _read(partial(self.store.ratings, profile))

    async def _follow(self, ids: Iterable[str]) -> None:
        """Reads what other servers have changed."""
        versions = await _read(partial(self.store.versions, ids))
        for id, version in versions.items():
            known = self._open.get(id)
            if known is None or known.version != version:
                await self._read_again(id)

    def _put(self, room: Room) -> Room:
        known = self._open.get(room.id)
        if known is not None and known.version >= room.version:
            return room  # a later version is there already
        self._open[room.id] = room
        self._open.move_to_end(room.id)
        while len(self._open) > MAX_OPEN_ROOMS:
            self._open.popitem(last=False)
        self.followers.notify(room)
        return room

    def close(self) -> None:
        self.preparations.close()
        self.followers.close()
        self._keeper.close()


@cache
def load_rules(game: Game) -> None:
    """Compiles in a thread, if it has to be, what the event loop will ask of a game."""
    first = game.start(1)
    legal = game.legal(first)[0]
    game.cells(first), game.outcome(game.play(first, [int(legal.argmax())]))


def _begun(game: Game, moves: str) -> GameSoFar:
    """After the moves of a transcript."""
    load_rules(game)
    return _board(game, parse_transcript(game, moves))


def _kept_game(store: Store, id: str) -> KeptGame | None:
    kept = store.game(id)
    if kept is not None and kept.game in offered():
        load_rules(game_named(kept.game))
    return kept


def _board(game: Game, actions: Iterable[int]) -> GameSoFar:
    """As far as the actions can be played."""
    board = GameSoFar(game)
    for action in actions:
        try:
            board.play(int(action))
        except ValueError:
            break
    return board


def _check_one_device(room: Room) -> None:
    """Raises Forbidden for a duel: there it matters who acts, and nobody gets help; see `duels`."""
    if room.duel is not None:
        raise Forbidden("In a game with a friend there are no hints, and moves are taken back by agreement.")


def _difference(before: Room, after: Room, rated: Rated | None) -> Change:
    ply = min(before.ply, after.ply)
    actions = tuple(after.board.history[ply:])
    return Change(
        after.id, before.version, ply, actions, after.resigned, after.assisted, after.result, rated, after.duel
    )


async def _read(work: Callable[[], T]) -> T:
    """The database is asked in a thread, so that a slow disk stops nobody else."""
    return await asyncio.to_thread(work)
