"""One's own progress: every game with its opponent, result and rating, what they add up to, and the puzzles."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import sqlalchemy as sa

from randori.app.service.kept_duels import names
from randori.app.service.kept_practice import all_practised
from randori.app.service.menu import Menu, game_named, offered
from randori.app.service.room import PERSON
from randori.app.service.rooms import Rooms
from randori.app.service.store import KeptGame, Store
from randori.app.service.tables import _GAMES, _RATED
from randori.practice import Skill

MOST_GAMES = 1000
"""The newest that are looked at."""


class RatedGame(NamedTuple):
    """What a person's rating was after a game that counted."""

    elo: float
    deviation: float
    at: datetime


class Played(NamedTuple):
    """A game of somebody against somebody else."""

    id: str
    game: str
    begun: datetime
    seat: int
    opponent: str
    """What people call them."""
    score: float | None
    """The person's own: 1 won, 0.5 drawn, 0 lost; None while the game goes on."""
    rated: RatedGame | None


class Tally(NamedTuple):
    """Games that are over."""

    won: int
    drawn: int
    lost: int

    @property
    def games(self) -> int:
        return sum(self)

    @classmethod
    def of(cls, games: Iterable[Played]) -> "Tally":
        counted = Counter(it.score for it in games)
        return cls(counted[1.0], counted[0.5], counted[0.0])


class Progress(NamedTuple):
    """In one game."""

    game: str
    played: list[Played]
    """The newest first."""
    puzzles: Skill | None

    @property
    def tally(self) -> Tally:
        return Tally.of(self.played)

    @property
    def rated(self) -> list[RatedGame]:
        """The oldest first."""
        return sorted((it.rated for it in self.played if it.rated is not None), key=lambda it: it.at)

    @property
    def by_opponent(self) -> dict[str, Tally]:
        """The most frequent first."""
        met = dict.fromkeys(it.opponent for it in self.played if it.score is not None)
        found = {name: Tally.of(it for it in self.played if it.opponent == name) for name in met}
        return dict(sorted(found.items(), key=lambda it: -it[1].games))


async def progress_of(rooms: Rooms, profile: int) -> dict[str, Progress]:
    """By game, that of the newest first, then those of which only puzzles were tried.

    Games of two people at one board are nobody's progress.
    """
    kept = await asyncio.to_thread(rooms.store.games, profile, MOST_GAMES)
    mine = [it for it in kept if it.game in offered() and seat_in(it, profile) is not None]
    practised = await asyncio.to_thread(all_practised, rooms.store, profile)
    rated = await asyncio.to_thread(_rated, rooms.store, profile)
    opponents = await asyncio.to_thread(_opponents, rooms.store, rooms.menu, mine, profile)
    skills = {name: it.skill for name, it in practised.items() if it.skill is not None and name in offered()}
    played = [*(it.game for it in mine), *skills]
    found = {name: Progress(name, [], skills.get(name)) for name in dict.fromkeys(played)}
    for it, opponent in zip(mine, opponents, strict=True):
        found[it.game].played.append(_played(it, profile, opponent, rated.get(it.id)))
    return found


def seat_in(kept: KeptGame, profile: int) -> int | None:
    """Where somebody sat; None if both seats were theirs, or neither, or if no friend has joined."""
    if kept.duel is not None:
        if kept.duel.guest is None:
            return None
        return kept.duel.host_seat if kept.profile == profile else 1 - kept.duel.host_seat
    return kept.seats.index(PERSON) if kept.seats.count(PERSON) == 1 else None


def _played(kept: KeptGame, profile: int, opponent: str, rated: RatedGame | None) -> Played:
    seat = seat_in(kept, profile)
    assert seat is not None
    score = None if kept.result is None else kept.result if seat == 0 else 1 - kept.result
    return Played(kept.id, kept.game, aware(kept.created), seat, opponent, score, rated)


def _opponents(store: Store, menu: Menu, games: Sequence[KeptGame], profile: int) -> list[str]:
    friends = {it.id: it.profile if it.profile != profile else it.duel.guest for it in games if it.duel is not None}
    friend_names = names(store, set(friends.values()))
    found = []
    for it in games:
        seat = seat_in(it, profile)
        assert seat is not None
        friend = friend_names.get(friends.get(it.id) or 0, "") or "A friend"
        found.append(friend if it.duel is not None else menu.title(game_named(it.game), it.seats[1 - seat]))
    return found


def _rated(store: Store, profile: int) -> dict[str, RatedGame]:
    query = sa.select(_RATED).join(_GAMES).where(_GAMES.c.profile == profile)
    with store._reading() as connection:
        return {row.game: RatedGame(row.elo, row.deviation, aware(row.at)) for row in connection.execute(query)}


def aware(moment: datetime) -> datetime:
    """SQLite forgets that times are kept in UTC."""
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
