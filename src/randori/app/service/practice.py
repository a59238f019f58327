"""Practice: poses puzzles, judges answers, and notes when each puzzle comes back."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from threading import get_ident
from typing import NamedTuple

from randori.app.service.kept_practice import (
    Practised,
    Try,
    all_practised,
    keep_mistakes,
    keep_try,
    mistakes,
    practised,
    unexamined,
)
from randori.app.service.menu import game_named, offered
from randori.app.service.refusals import Unavailable, Unknown
from randori.app.service.room import PERSON, Room
from randori.app.service.rooms import Rooms
from randori.app.service.store import Conflict, KeptRating
from randori.core.game import Game
from randori.players.companion import first_estimate
from randori.practice import (
    Answer,
    Card,
    Prover,
    Puzzle,
    Skill,
    after_result,
    after_try,
    answer,
    counts,
    next_puzzle,
    own_mistakes,
    puzzles_of,
)
from randori.review import Referee, Review

_TRIES = 4
_MOST_EXAMINED = 30
"""The newest games are searched first, this many; older ones when these are done."""
_DEVIATION = 150.0
"""Of somebody who has not tried a puzzle yet."""
_GIVEN_UP = "This was the move."


class Posed(NamedTuple):
    """A puzzle in front of somebody."""

    puzzle: Puzzle
    room: Room
    """The position; nothing of it is kept."""
    counts: bool
    """Whether the next try counts."""


class Standing(NamedTuple):
    """How somebody stands in a course."""

    game: Game
    puzzles: int
    met: int
    due: int
    skill: Skill


class Tried(NamedTuple):
    """The result of a try."""

    answer: Answer
    counted: bool
    before: Skill
    skill: Skill
    card: Card | None


class Practice:
    """Its methods run in the event loop; the database and the solver are asked in threads."""

    def __init__(self, rooms: Rooms, clock: Callable[[], float] = time.time) -> None:
        self._rooms, self._clock = rooms, clock

    async def standings(self, profile: int) -> list[Standing]:
        """In every game that has a course."""
        known = await asyncio.to_thread(all_practised, self._rooms.store, profile)
        games = [it for it in map(game_named, offered()) if puzzles_of(it)]
        ratings = await self._rooms.ratings(profile)
        return [
            self._standing(it, list(puzzles_of(it)), known.get(it.name, Practised({}, None)), _elo(ratings, it))
            for it in games
        ]

    async def standing(self, profile: int, game: Game, own: bool) -> Standing:
        """In one of them, or in one's own mistakes there."""
        known = await asyncio.to_thread(practised, self._rooms.store, profile, game.name)
        ids = [it.id for it in await self._puzzles(profile, game, own)]
        return self._standing(game, ids, known, _elo(await self._rooms.ratings(profile), game))

    async def pose(self, profile: int, game_name: str, own: bool) -> Posed:
        """The next puzzle. Raises Unknown if there is none."""
        game = game_named(game_name)
        puzzles = await self._puzzles(profile, game, own)
        known = await asyncio.to_thread(practised, self._rooms.store, profile, game.name)
        skill = known.skill or _first_skill(game, _elo(await self._rooms.ratings(profile), game))
        puzzle = next_puzzle(puzzles, known.cards, skill.elo, int(self._clock()))
        if puzzle is None:
            raise Unknown(_none_of_them(game, own))
        return await self._posed(profile, game, puzzle, known.cards.get(puzzle.id))

    async def hear(self, profile: int, game_name: str, id: str, move: str | None) -> Tried:
        """A try; None gives up. It counts where the puzzle is new or due."""
        self._rooms.pace.take(profile)
        game = game_named(game_name)
        puzzle = await self._find(profile, game, id)
        posed = await self._posed(profile, game, puzzle, None)
        answer = await self._answer_to(posed, move)
        for _ in range(_TRIES):
            try:
                return await self._keep(profile, game, puzzle, answer)
            except Conflict:
                continue  # another tab was faster
        raise Unavailable("That could not be saved: try again.")

    async def examine(self, profile: int, game_name: str) -> int:
        """Searches the newest finished game that has not been for mistakes; returns how many are left then."""
        self._rooms.pace.take(profile)
        game = game_named(game_name)
        left = await asyncio.to_thread(unexamined, self._rooms.store, profile, game.name, _MOST_EXAMINED)
        if not left:
            return 0
        room = await self._rooms.find(profile, left[0])
        under_way = self._rooms.reviews.of_room(room)
        while not under_way.review.complete:
            await self._rooms.reviews.more(under_way)
        assert room.person_seat is not None
        found = await self._rooms.thinking.about(partial(_own_mistakes, under_way.review, room.person_seat, room.id))
        await asyncio.to_thread(keep_mistakes, self._rooms.store, room.id, found)
        return len(left) - 1

    async def _puzzles(self, profile: int, game: Game, own: bool) -> Sequence[Puzzle]:
        if own:
            return await asyncio.to_thread(mistakes, self._rooms.store, profile, game.name)
        return list(puzzles_of(game).values())

    async def _find(self, profile: int, game: Game, id: str) -> Puzzle:
        found = puzzles_of(game).get(id)
        if found is None:
            own = await self._puzzles(profile, game, own=True)
            found = next((it for it in own if it.id == id), None)
        if found is None:
            raise Unknown("There is no such puzzle.")
        return found

    async def _posed(self, profile: int, game: Game, puzzle: Puzzle, card: Card | None) -> Posed:
        board = await self._rooms.thinking.about(partial(puzzle.board, game))
        room = Room(f"puzzle-{puzzle.id}", profile, board, (PERSON, PERSON))
        return Posed(puzzle, room, counts(card, int(self._clock())))

    async def _answer_to(self, posed: Posed, move: str | None) -> Answer:
        if move is None:
            return Answer(False, _GIVEN_UP, tuple(posed.puzzle.line.split()))
        action = posed.room.persons_action(move)
        return await self._rooms.thinking.about(partial(_answer, posed, action))

    async def _keep(self, profile: int, game: Game, puzzle: Puzzle, answer: Answer) -> Tried:
        known = await asyncio.to_thread(practised, self._rooms.store, profile, game.name)
        skill = known.skill or _first_skill(game, _elo(await self._rooms.ratings(profile), game))
        card, now = known.cards.get(puzzle.id), int(self._clock())
        if not counts(card, now):
            return Tried(answer, False, skill, skill, card)
        after = after_try(card, puzzle.id, answer.right, now)
        # A puzzle that one has met before says little about one's skill.
        better = after_result(skill, puzzle.rating if card is None else None, answer.right)
        attempt = Try(profile, game.name, card, after, known.skill, better)
        await asyncio.to_thread(keep_try, self._rooms.store, attempt)
        return Tried(answer, True, skill, better, after)

    def _standing(self, game: Game, ids: Sequence[str], known: Practised, elo: float | None) -> Standing:
        now = int(self._clock())
        met = [known.cards[it] for it in ids if it in known.cards]
        due = sum(it.due <= now for it in met)
        return Standing(game, len(ids), len(met), due, known.skill or _first_skill(game, elo))


def _first_skill(game: Game, elo: float | None) -> Skill:
    """Of somebody who has not tried a puzzle yet: that of their rating, else that of any newcomer."""
    return Skill(first_estimate(game).elo if elo is None else elo, _DEVIATION)


def _elo(ratings: Mapping[str, KeptRating], game: Game) -> float | None:
    return ratings[game.name].elo if game.name in ratings else None


def _none_of_them(game: Game, own: bool) -> str:
    if own:
        return f"None of your mistakes in {game.title} has one clear answer yet: play some more games."
    return f"{game.title} has no course: `python -m randori.practice.make_course {game.name}` makes one."


def _answer(posed: Posed, action: int) -> Answer:
    prover = _prover(get_ident(), posed.room.game)
    return answer(prover, posed.puzzle, posed.room.board.state, action)


def _own_mistakes(review: Review, seat: int, id: str) -> list[Puzzle]:
    return list(own_mistakes(review, seat, id, _prover(get_ident(), review.game), Referee(review.game)))


@lru_cache(maxsize=8)
def _prover(thread: int, game: Game) -> Prover:
    """A prover serves one thread, and its tables take some megabytes."""
    return Prover(game)
