"""What is kept: profiles, games move by move, ratings, pupils' memories, practice.

SQLite unless `RANDORI_DB` names another database.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from randori.app.service.database import Database
from randori.app.service.duel import Duel
from randori.app.service.duel_rows import duel_of, row_of
from randori.app.service.tables import _DUELS, _GAMES, _MOVES, _PROFILES, _PUPILS, _RATED, _RATINGS, _TABLES


class Profile(NamedTuple):
    """Somebody: known by a token in a cookie, called what they like."""

    id: int
    name: str


class KeptGame(NamedTuple):
    """A game as it is kept."""

    id: str
    profile: int
    game: str
    seats: tuple[str, str]
    resigned: int | None
    assisted: bool
    result: float | None
    created: datetime
    version: int
    actions: tuple[int, ...] = ()
    duel: Duel | None = None


class KeptRating(NamedTuple):
    """How strong a person plays a game, as far as is known."""

    game: str
    elo: float
    deviation: float
    games: int


def database_url() -> str:
    """The database in `RANDORI_DB`, else a file in the user's data folder."""
    named = os.environ.get("RANDORI_DB")
    if named:
        return named
    folder = Path(platformdirs.user_data_dir("randori"))
    folder.mkdir(parents=True, exist_ok=True)
    return f"sqlite:///{folder / 'page.sqlite'}"


class Rated(NamedTuple):
    """What a game has changed in what is known of a person."""

    profile: int
    before: KeptRating | None
    after: KeptRating


class Change(NamedTuple):
    """A change to a game: kept whole or not at all, and only if the game still has the version that it was made for."""

    game: str
    version: int
    """Of the game that it was made for."""
    ply: int
    """From this ply on the game has other moves:"""
    actions: tuple[int, ...]
    resigned: int | None
    assisted: bool
    result: float | None
    rated: Rated | None = None
    duel: Duel | None = None


class Conflict(Exception):
    """Somebody else has changed or removed what was to be changed."""


class Store:
    """Every method is a transaction of its own: once it has returned, what it wrote outlives the process.

    All of them raise Unavailable where the database cannot be used.
    """

    def __init__(self, url: str) -> None:
        """Raises UserError if the database cannot be opened."""
        self._database = Database(url, _set_up)
        self.is_shared = self._database.is_shared
        """Whether other servers may change what is kept, too."""

    @property
    def identity(self) -> object:
        """Changes when the database becomes another one, such as a backup that was put in its place."""
        return self._database.identity

    def check(self) -> None:
        """Raises where the database does not answer."""
        with self._reading() as connection:
            connection.execute(sa.select(_PROFILES.c.id).limit(1)).first()

    def profile(self, token: str) -> Profile:
        """The profile with this token; made if there is none yet."""
        hashed = hashlib.sha256(token.encode()).hexdigest()
        find = sa.select(_PROFILES.c.id, _PROFILES.c.name).where(_PROFILES.c.token_hash == hashed)
        with self._reading() as connection:
            row = connection.execute(find).first()
        if row is None:
            try:
                with self._begin() as connection:
                    connection.execute(_PROFILES.insert().values(token_hash=hashed, name="", created=_now()))
            except IntegrityError:
                pass  # another request of the same person was quicker
            with self._reading() as connection:
                row = connection.execute(find).one()
        return Profile(*row)

    def rename(self, profile: int, name: str) -> None:
        self._write(_PROFILES.update().where(_PROFILES.c.id == profile).values(name=name))

    def add_game(
        self,
        id: str,
        profile: int,
        game: str,
        seats: tuple[str, str],
        actions: Sequence[int],
        result: float | None = None,
        rated: Rated | None = None,
        duel: Duel | None = None,
    ) -> None:
        """Raises Conflict if the profile is gone."""
        first, second = seats
        row = {"id": id, "profile": profile, "game": game, "first": first, "second": second, "result": result}
        with self._changing() as connection:
            connection.execute(_GAMES.insert().values(**row, assisted=False, created=_now()))
            _add_moves(connection, [(id, 0, tuple(actions))])
            _keep_ratings(connection, [] if rated is None else [(id, rated)])
            if duel is not None:
                connection.execute(_DUELS.insert().values(game=id, **row_of(duel)))

    def keep(self, changes: Sequence[Change]) -> None:
        """All or none of them. Raises Conflict if a game or a rating has changed since its change was made."""
        # In one order everywhere: two servers that wait for each other's rows would wait for ever.
        changes = sorted(changes, key=lambda it: it.game)
        rows = [
            {
                "id_": it.game,
                "version_": it.version,
                "resigned": it.resigned,
                "assisted": it.assisted,
                "result": it.result,
            }
            for it in changes
        ]
        with self._changing() as connection:
            if connection.execute(_CHANGE, rows).rowcount != len(rows):
                raise Conflict
            connection.execute(_CUT, [{"game_": it.game, "ply_": it.ply} for it in changes])
            _add_moves(connection, [(it.game, it.ply, it.actions) for it in changes])
            _keep_ratings(connection, [(it.game, it.rated) for it in changes if it.rated is not None])
            for it in changes:
                if it.duel is not None:
                    connection.execute(_DUELS.update().where(_DUELS.c.game == it.game).values(**row_of(it.duel)))

    def version(self, id: str) -> int | None:
        """The current version of a game."""
        with self._reading() as connection:
            return connection.execute(sa.select(_GAMES.c.version).where(_GAMES.c.id == id)).scalar()

    def versions(self, ids: Iterable[str]) -> dict[str, int]:
        """The current versions of the games that exist."""
        with self._reading() as connection:
            queries = [sa.select(_GAMES.c.id, _GAMES.c.version).where(_GAMES.c.id.in_(it)) for it in portions(ids)]
            return {row.id: row.version for query in queries for row in connection.execute(query)}

    def game(self, id: str) -> KeptGame | None:
        # One statement: between two, somebody could change the game.
        both = (
            sa.select(_GAMES, *_OF_DUELS, _MOVES.c.ply, _MOVES.c.action).outerjoin(_DUELS).outerjoin(_MOVES, _ITS_MOVES)
        )
        both = both.where(_GAMES.c.id == id)
        with self._reading() as connection:
            rows = connection.execute(both.order_by(_MOVES.c.ply)).all()
        # Two servers on one file could once leave a hole; what follows it belongs to no position.
        actions = tuple(row.action for ply, row in enumerate(rows) if row.ply == ply)
        return _kept(rows[0])._replace(actions=actions) if rows else None

    def games(self, profile: int, limit: int) -> list[KeptGame]:
        """Somebody's games without their moves, the newest first."""
        newest = sa.select(_GAMES, *_OF_DUELS).outerjoin(_DUELS).where(_is_in(profile))
        newest = newest.order_by(_GAMES.c.created.desc()).limit(limit)
        with self._reading() as connection:
            return [_kept(row) for row in connection.execute(newest)]

    def count_under_way(self, profile: int) -> int:
        count = sa.select(sa.func.count()).where(_is_in(profile), _GAMES.c.result.is_(None))
        with self._reading() as connection:
            return int(connection.execute(count).scalar_one())

    def ratings(self, profile: int) -> dict[str, KeptRating]:
        """By game."""
        columns = (_RATINGS.c.game, _RATINGS.c.elo, _RATINGS.c.deviation, _RATINGS.c.games)
        with self._reading() as connection:
            rows = connection.execute(sa.select(*columns).where(_RATINGS.c.profile == profile))
            return {row.game: KeptRating(*row) for row in rows}

    def lessons(self, profile: int, game: str, pupil: str) -> list[str]:
        """The games that somebody has finished with the pupil, the oldest first: once finished, a game is a lesson."""
        since = sa.select(_PUPILS.c.since).where(_PUPILS.c.profile == profile, _PUPILS.c.game == game).scalar_subquery()
        played = sa.exists().where(_MOVES.c.game == _GAMES.c.id)
        chosen = (
            sa.select(_GAMES.c.id)
            .where(_GAMES.c.profile == profile, _GAMES.c.game == game, _GAMES.c.result.is_not(None), played)
            .where(sa.or_(_GAMES.c.first == pupil, _GAMES.c.second == pupil))
            .where(sa.or_(since.is_(None), _GAMES.c.created > since))
            .order_by(_GAMES.c.created, _GAMES.c.id)
        )
        with self._reading() as connection:
            return list(connection.execute(chosen).scalars())

    def forget_lessons(self, profile: int, game: str) -> None:
        """Only games from now on are lessons."""
        with self._begin() as connection:
            connection.execute(_PUPILS.delete().where(_PUPILS.c.profile == profile, _PUPILS.c.game == game))
            connection.execute(_PUPILS.insert().values(profile=profile, game=game, since=_now()))

    def close(self) -> None:
        self._database.close()

    def _reading(self) -> AbstractContextManager[sa.Connection]:
        return self._database.reading()

    def _begin(self) -> AbstractContextManager[sa.Connection]:
        return self._database.writing()

    @contextmanager
    def _changing(self) -> Iterator[sa.Connection]:
        """As `_begin`, where somebody else may have been quicker. Raises Conflict."""
        try:
            with self._begin() as connection:
                yield connection
        except IntegrityError as error:
            raise Conflict from error

    def _write(self, statement: sa.Executable) -> None:
        with self._begin() as connection:
            connection.execute(statement)


_CHANGE = (
    _GAMES.update()
    .where(_GAMES.c.id == sa.bindparam("id_"), _GAMES.c.version == sa.bindparam("version_"))
    .values(
        version=_GAMES.c.version + 1,
        resigned=sa.bindparam("resigned"),
        assisted=sa.bindparam("assisted"),
        result=sa.bindparam("result"),
    )
)
_OF_DUELS = [it for it in _DUELS.c if it.name != "game"]
_ITS_MOVES = _MOVES.c.game == _GAMES.c.id
_CUT = _MOVES.delete().where(_MOVES.c.game == sa.bindparam("game_"), _MOVES.c.ply >= sa.bindparam("ply_"))


def _set_up(connection: sa.Connection) -> None:
    """Makes the tables, and adds what those of the first version lack."""
    _TABLES.create_all(connection)
    if not any(it["name"] == "version" for it in sa.inspect(connection).get_columns("games")):
        connection.execute(sa.text("ALTER TABLE games ADD COLUMN version INTEGER NOT NULL DEFAULT 0"))


def _add_moves(connection: sa.Connection, games: Iterable[tuple[str, int, Sequence[int]]]) -> None:
    """Of each game: from which ply on, and what was played."""
    now = _now()
    rows = [
        {"game": id, "ply": ply, "action": int(action), "played": now}
        for id, first, actions in games
        for ply, action in enumerate(actions, first)
    ]
    if rows:
        connection.execute(_MOVES.insert(), rows)


def _is_in(profile: int) -> sa.ColumnElement[bool]:
    """Whether somebody plays in a game, as its host or as a guest."""
    joined = sa.select(_DUELS.c.game).where(_DUELS.c.guest == profile)
    return sa.or_(_GAMES.c.profile == profile, _GAMES.c.id.in_(joined))


def _keep_ratings(connection: sa.Connection, ratings: Iterable[tuple[str, Rated]]) -> None:
    """Each in place of the one that it was made from, identified by its number of games; and what it was after this one."""
    for id, (profile, before, after) in ratings:
        connection.execute(_RATED.delete().where(_RATED.c.game == id))
        connection.execute(_RATED.insert().values(game=id, elo=after.elo, deviation=after.deviation, at=_now()))
        if before is None:
            connection.execute(_RATINGS.insert().values(profile=profile, **after._asdict()))
            continue
        mine = (_RATINGS.c.profile == profile, _RATINGS.c.game == after.game, _RATINGS.c.games == before.games)
        if connection.execute(_RATINGS.update().where(*mine).values(**after._asdict())).rowcount != 1:
            raise Conflict


def _kept(row: Any) -> KeptGame:
    seats, duel = (row.first, row.second), duel_of(row)
    return KeptGame(
        row.id,
        row.profile,
        row.game,
        seats,
        row.resigned,
        row.assisted,
        row.result,
        row.created,
        row.version,
        duel=duel,
    )


def portions(ids: Iterable[str]) -> Iterator[list[str]]:
    """As many at a time as a statement can name."""
    left = iter(ids)
    while portion := list(islice(left, 500)):
        yield portion


def _now() -> datetime:
    return datetime.now(UTC)
