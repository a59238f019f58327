"""The rooms: opens them, makes moves in them, keeps every move before it is shown."""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

import numpy as np

from randori.app.service import partner, pupils
from randori.app.service.forgetting import recognise
from randori.app.service.limits import BY_PROFILE, MAX_GAMES_UNDER_WAY, MAX_OPEN_ROOMS, NEWCOMERS, Buckets
from randori.app.service.menu import PARTNERS, Menu, game_named, offered
from randori.app.service.minds import Mind, read_mind
from randori.app.service.pupils import Pupils
from randori.app.service.refusals import Invalid, Refusal, TooMany, Unknown
from randori.app.service.replies import Turn, reply_to_all
from randori.app.service.room import PERSON, Room
from randori.app.service.store import KeptMove, KeptRating, Profile, Store
from randori.app.service.thinking import Thinking
from randori.app.service.turns import asker
from randori.core.game_so_far import GameSoFar
from randori.core.notation import parse_transcript
from randori.errors import UserError
from randori.players import Player
from randori.players.companion import Companion

T = TypeVar("T")


class Rooms:
    """All games of everybody. Its methods run in the event loop; reading, writing and thinking happen in threads."""

    def __init__(self, store: Store, menu: Menu, thinking: Thinking) -> None:
        self.store, self.menu, self.thinking = store, menu, thinking
        self.pupils = Pupils(store, thinking)
        self._open: OrderedDict[str, Room] = OrderedDict()
        self._known: OrderedDict[str, Profile] = OrderedDict()
        self.pace, self._newcomers = Buckets(BY_PROFILE), Buckets(NEWCOMERS)

    async def whoever(self, token: str) -> Profile:
        """Who has this token; known visitors are remembered. Raises TooMany."""
        if token not in self._known:
            self._newcomers.take(asker.get())
            self._known[token] = await _kept(partial(recognise, self.store, token))
            if len(self._known) > MAX_OPEN_ROOMS:
                self._known.popitem(last=False)
        return self._known[token]

    async def rename(self, token: str, name: str) -> None:
        profile = await self.whoever(token)
        await _kept(partial(self.store.rename, profile.id, name))
        self._known[token] = profile._replace(name=name)

    def drop(self, profile: Profile) -> None:
        """Nothing of somebody who was forgotten stays in memory."""
        self._known = OrderedDict((token, it) for token, it in self._known.items() if it.id != profile.id)
        self._open = OrderedDict((id, room) for id, room in self._open.items() if room.profile != profile.id)
        self.pupils.drop(profile.id)

    def look_anew(self) -> None:
        """Looks everybody up again when they come next, which notes the day of their visit."""
        self._known.clear()

    async def open(self, profile: int, game_name: str, seats: tuple[str, str], moves: str = "") -> Room:
        """A new game, after the moves of a transcript where one is given."""
        self.pace.take(profile)
        game = game_named(game_name)
        if pupils.SPEC in seats:
            await self.pupils.lessons(profile, game)  # says why where there are none
        for seat in seats:
            if seat != PERSON:
                self.menu.entry(game, seat)
        if PERSON not in seats and not {*seats}.isdisjoint(PARTNERS):
            raise Invalid("Companion and pupil play with a person: take one of the seats.")
        if await _kept(partial(self.store.count_under_way, profile)) >= MAX_GAMES_UNDER_WAY:
            raise TooMany(f"You have {MAX_GAMES_UNDER_WAY} games under way: finish or resign some first.")
        try:
            actions = await self.thinking.about(partial(parse_transcript, game, moves))
        except Refusal:
            raise
        except UserError as error:
            raise Invalid(str(error)) from error
        room = Room(secrets.token_urlsafe(9), profile, GameSoFar(game), seats)
        for action in actions:
            room.board.play(int(action))
        await _kept(partial(self.store.add_game, room.id, profile, game.name, seats, room.board.history))
        self._remember(room)
        await self._note_end(room)
        return room

    async def find(self, profile: int, id: str) -> Room:
        """Raises Unknown for games that are not there, or somebody else's."""
        room = self._open.get(id)
        if room is None:
            kept = await _kept(partial(self.store.game, id))
            if kept is None or kept.game not in offered():
                raise Unknown("There is no such game.")
            room = Room(
                kept.id, kept.profile, GameSoFar(game_named(kept.game)), kept.seats, kept.resigned, kept.assisted
            )
            for action in kept.actions:
                room.board.play(action)
            room = self._open.get(id) or room  # another request may have been quicker
        if room.profile != profile:
            raise Unknown("There is no such game.")
        self._remember(room)
        return room

    async def move(self, room: Room, name: str) -> None:
        """The person's move."""
        self.pace.take(room.profile)
        async with self._changing(room):
            await self._play(room, room.persons_action(name))

    async def reply(self, room: Room) -> bool:
        """The move of the player whose turn it is; returns whether there was one."""
        async with self._changing(room):
            if not room.players_turn:
                return False
            await self._reply(room, room.board, 0)
            return True

    async def answer(self, room: Room, name: str) -> None:
        """The person's move and the reply to it, if there is one: kept together, which is cheaper, and then shown."""
        self.pace.take(room.profile)
        async with self._changing(room):
            action = room.persons_action(name)
            board = room.board.after(action)
            if board.is_over or room.seats[1 - room.to_move] == PERSON:
                await self._play(room, action)
            else:
                await self._reply(room, board, 1)

    @asynccontextmanager
    async def _changing(self, room: Room) -> AsyncIterator[None]:
        """Whoever was stopped in between may have kept what the room does not know: then it is read again."""
        async with room.lock:
            try:
                yield
            except Refusal:
                raise
            except BaseException:
                self._open.pop(room.id, None)
                raise

    async def undo(self, room: Room) -> None:
        """Takes back the person's last move and whatever followed."""
        self.pace.take(room.profile)
        async with room.lock:
            plies = room.plies_before_last_choice()
            await _kept(partial(self.store.take_back, room.id, plies))
            room.cut(plies)

    async def resign(self, room: Room) -> None:
        self.pace.take(room.profile)
        async with room.lock:
            if room.is_over:
                raise Refusal("The game is over.")
            seat = room.person_seat if room.person_seat is not None else room.to_move
            if room.seats[seat] != PERSON:
                raise Refusal("Only a person can resign.")
            room.resigned = seat
            await self._note_end(room)

    async def hint(self, room: Room) -> Mind:
        """What the strongest would do for the person."""
        self.pace.take(room.profile)
        async with room.lock:
            if not room.persons_turn:
                raise Refusal("A hint is for your own turn.")
            best = self.menu.adviser(room.game)
            mind = await self._read(room, self.menu.player(room.game, best.spec))
            if not room.assisted:
                await _kept(partial(self.store.note_assistance, room.id))
                room.assisted = True
            return mind

    async def mind(self, room: Room, spec: str) -> Mind:
        """What somebody thinks about the position now."""
        self.pace.take(room.profile)
        return await self._read(room, await self._player(room, spec))

    async def _read(self, room: Room, player: Player) -> Mind:
        if room.is_over:
            raise Refusal("The game is over.")
        question = partial(read_mind, player, room.game, room.board.state, np.random.default_rng())
        return await self.thinking.about(question)

    async def _player(self, room: Room, spec: str) -> Player:
        if spec == partner.SPEC:
            return await self._companion(room)
        if spec == pupils.SPEC:
            return await self.pupils.pupil(room.profile, room.game)
        known = self.menu.known_player(room.game, spec)
        if known is not None:
            return known
        return await self.thinking.about(partial(self.menu.player, room.game, spec))

    async def _companion(self, room: Room) -> Companion:
        known = (await _kept(partial(self.store.ratings, room.profile))).get(room.game.name)
        return await self.thinking.about(partial(partner.partner, room.game, known))

    async def _play(self, room: Room, action: int) -> None:
        """Kept first, then shown: nobody sees a move that a crash could take back."""
        await _kept(partial(self.store.add_moves, [KeptMove(room.id, room.ply, action)]))
        room.board.play(action)
        await self._note_end(room)

    async def _reply(self, room: Room, board: GameSoFar, n_unkept: int) -> None:
        """The player's move on a board that is the room's, or `n_unkept` moves further."""
        player = await self._player(room, room.seats[len(board.history) % 2])
        answers = partial(reply_to_all, self.store, player)
        action = await self.thinking.together(id(player), Turn(room.id, board, n_unkept), answers)
        board.play(action)
        room.board = board
        await self._note_end(room)

    async def _note_end(self, room: Room) -> None:
        result = room.result
        if result is None:
            return
        await _kept(partial(self.store.finish, room.id, result, room.resigned))
        if room.person_seat is None:
            return
        opponent = room.seats[1 - room.person_seat]
        elo = await self._elo(room, opponent)
        if elo is not None and not room.assisted and room.ply:
            persons = result if room.person_seat == 0 else 1 - result
            known = (await _kept(partial(self.store.ratings, room.profile))).get(room.game.name)
            about = partial(partner.updated, room.game, known, room.board.history, room.person_seat, persons, elo)
            await _kept(partial(self.store.keep_rating, room.profile, await self.thinking.about(about)))

    async def _elo(self, room: Room, spec: str) -> float | None:
        """How strong an opponent played; a partner also leaves its account."""
        if spec == pupils.SPEC:
            room.account = await self.pupils.account(room.profile, room.game)
            return None
        if spec == partner.SPEC:
            companion = await self._companion(room)
            room.account = companion.account()
            return companion.elo
        strength = self.menu.entry(room.game, spec).strength
        return None if strength is None else strength.elo

    async def ratings(self, profile: int) -> dict[str, KeptRating]:
        return await _kept(partial(self.store.ratings, profile))

    def _remember(self, room: Room) -> None:
        self._open[room.id] = room
        self._open.move_to_end(room.id)
        while len(self._open) > MAX_OPEN_ROOMS:
            self._open.popitem(last=False)


async def _kept(work: Callable[[], T]) -> T:
    """The database is asked in a thread, so that a slow disk stops nobody else."""
    return await asyncio.to_thread(work)
