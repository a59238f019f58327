"""What is kept: profiles, games move by move, ratings, pupils' memories. SQLite unless `RANDORI_DB` names another database."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import platformdirs
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from randori.errors import UserError

_TABLES = sa.MetaData()
_PROFILES = sa.Table(
    "profiles",
    _TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("token_hash", sa.String(64), unique=True, nullable=False),
    sa.Column("name", sa.String(40), nullable=False, default=""),
    sa.Column("created", sa.DateTime(timezone=True), nullable=False),
)
_GAMES = sa.Table(
    "games",
    _TABLES,
    sa.Column("id", sa.String(24), primary_key=True),
    sa.Column("profile", sa.ForeignKey("profiles.id"), nullable=False, index=True),
    sa.Column("game", sa.String(32), nullable=False),
    sa.Column("first", sa.String(200), nullable=False),
    sa.Column("second", sa.String(200), nullable=False),
    sa.Column("resigned", sa.Integer),  # the seat that gave up
    sa.Column("assisted", sa.Boolean, nullable=False, default=False),
    sa.Column("result", sa.Float),  # for the side that began; null while the game goes on
    sa.Column("created", sa.DateTime(timezone=True), nullable=False),
)
_MOVES = sa.Table(
    "moves",
    _TABLES,
    sa.Column("game", sa.ForeignKey("games.id"), primary_key=True),
    sa.Column("ply", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("action", sa.Integer, nullable=False),
    sa.Column("played", sa.DateTime(timezone=True), nullable=False),
)
_RATINGS = sa.Table(
    "ratings",
    _TABLES,
    sa.Column("profile", sa.ForeignKey("profiles.id"), primary_key=True),
    sa.Column("game", sa.String(32), primary_key=True),
    sa.Column("elo", sa.Float, nullable=False),
    sa.Column("deviation", sa.Float, nullable=False),
    sa.Column("games", sa.Integer, nullable=False),
)
_VISITS = sa.Table(
    "visits",
    _TABLES,
    sa.Column("profile", sa.ForeignKey("profiles.id"), primary_key=True),
    sa.Column("seen", sa.DateTime(timezone=True), nullable=False),  # the last day after the first
)
_PUPILS = sa.Table(
    "pupils",
    _TABLES,
    sa.Column("profile", sa.ForeignKey("profiles.id"), primary_key=True),
    sa.Column("game", sa.String(32), primary_key=True),
    sa.Column("since", sa.DateTime(timezone=True), nullable=False),  # games begun before are forgotten
)
_ADD_MOVES = _MOVES.insert()


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
    actions: tuple[int, ...] = ()


class KeptMove(NamedTuple):
    """One move of a game."""

    game: str
    ply: int
    action: int


class KeptRating(NamedTuple):
    """How strong a person plays a game, as far as is known."""

    game: str
    elo: float
    deviation: float
    games: int


def database_url() -> str:
    """Where the data are, unless told otherwise: a file in the user's data folder."""
    named = os.environ.get("RANDORI_DB")
    if named:
        return named
    folder = Path(platformdirs.user_data_dir("randori"))
    folder.mkdir(parents=True, exist_ok=True)
    return f"sqlite:///{folder / 'page.sqlite'}"


class Store:
    """Every method is a transaction of its own: once it has returned, what it wrote outlives the process."""

    def __init__(self, url: str) -> None:
        """Raises UserError where the database cannot be opened."""
        is_sqlite = url.startswith("sqlite")
        # SQLite has one writer at a time, and those who wait sleep longer and longer; a lock wakes them at once.
        self._turn: AbstractContextManager[Any] = Lock() if is_sqlite else nullcontext()
        try:
            # Another database may have been started anew since a connection was made.
            self._engine = sa.create_engine(_with_driver(url), pool_pre_ping=not is_sqlite)
            if is_sqlite:
                sa.event.listen(self._engine, "connect", _set_up_sqlite)
            _TABLES.create_all(self._engine)
        except ModuleNotFoundError as error:
            raise UserError(
                f"The database in RANDORI_DB needs the package {error.name}: {_how_to_get(error)}."
            ) from error
        except (SQLAlchemyError, ImportError) as error:
            reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
            raise UserError(f"The database cannot be opened; check RANDORI_DB ({reason}).") from error

    def check(self) -> None:
        """Raises where the database does not answer."""
        with self._engine.connect() as connection:
            connection.execute(sa.select(_PROFILES.c.id).limit(1)).first()

    def profile(self, token: str) -> Profile:
        """Whoever has this token, made where there is nobody yet."""
        hashed = hashlib.sha256(token.encode()).hexdigest()
        find = sa.select(_PROFILES.c.id, _PROFILES.c.name).where(_PROFILES.c.token_hash == hashed)
        with self._engine.connect() as connection:
            row = connection.execute(find).first()
        if row is None:
            try:
                with self._begin() as connection:
                    connection.execute(_PROFILES.insert().values(token_hash=hashed, name="", created=_now()))
            except IntegrityError:
                pass  # another request of the same person was quicker
            with self._engine.connect() as connection:
                row = connection.execute(find).one()
        return Profile(*row)

    def rename(self, profile: int, name: str) -> None:
        self._write(_PROFILES.update().where(_PROFILES.c.id == profile).values(name=name))

    def add_game(self, id: str, profile: int, game: str, seats: tuple[str, str], actions: Sequence[int]) -> None:
        first, second = seats
        with self._begin() as connection:
            connection.execute(
                _GAMES.insert().values(
                    id=id, profile=profile, game=game, first=first, second=second, assisted=False, created=_now()
                )
            )
            if actions:
                rows = _rows(KeptMove(id, ply, action) for ply, action in enumerate(actions))
                connection.execute(_ADD_MOVES, rows)

    def add_moves(self, moves: Sequence[KeptMove]) -> None:
        """All or none of them."""
        with self._begin() as connection:
            connection.execute(_ADD_MOVES, _rows(moves))

    def take_back(self, id: str, plies: int) -> None:
        """Only the first `plies` remain; the game is no longer over, and no longer a person's unaided work."""
        with self._begin() as connection:
            connection.execute(_MOVES.delete().where(_MOVES.c.game == id, _MOVES.c.ply >= plies))
            connection.execute(
                _GAMES.update().where(_GAMES.c.id == id).values(resigned=None, result=None, assisted=True)
            )

    def note_assistance(self, id: str) -> None:
        self._write(_GAMES.update().where(_GAMES.c.id == id).values(assisted=True))

    def finish(self, id: str, result: float, resigned: int | None) -> None:
        self._write(_GAMES.update().where(_GAMES.c.id == id).values(result=result, resigned=resigned))

    def game(self, id: str) -> KeptGame | None:
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(_GAMES).where(_GAMES.c.id == id)).first()
            if row is None:
                return None
            moves = sa.select(_MOVES.c.action).where(_MOVES.c.game == id).order_by(_MOVES.c.ply)
            return _kept(row)._replace(actions=tuple(connection.execute(moves).scalars()))

    def games(self, profile: int, limit: int) -> list[KeptGame]:
        """Somebody's games without their moves, the newest first."""
        newest = sa.select(_GAMES).where(_GAMES.c.profile == profile).order_by(_GAMES.c.created.desc()).limit(limit)
        with self._engine.connect() as connection:
            return [_kept(row) for row in connection.execute(newest)]

    def count_under_way(self, profile: int) -> int:
        count = sa.select(sa.func.count()).where(_GAMES.c.profile == profile, _GAMES.c.result.is_(None))
        with self._engine.connect() as connection:
            return int(connection.execute(count).scalar_one())

    def ratings(self, profile: int) -> dict[str, KeptRating]:
        """By game."""
        columns = (_RATINGS.c.game, _RATINGS.c.elo, _RATINGS.c.deviation, _RATINGS.c.games)
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(*columns).where(_RATINGS.c.profile == profile))
            return {row.game: KeptRating(*row) for row in rows}

    def keep_rating(self, profile: int, rating: KeptRating) -> None:
        with self._begin() as connection:
            mine = (_RATINGS.c.profile == profile, _RATINGS.c.game == rating.game)
            connection.execute(_RATINGS.delete().where(*mine))
            connection.execute(_RATINGS.insert().values(profile=profile, **rating._asdict()))

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
        with self._engine.connect() as connection:
            return list(connection.execute(chosen).scalars())

    def forget_lessons(self, profile: int, game: str) -> None:
        """From now on."""
        with self._engine.begin() as connection:
            connection.execute(_PUPILS.delete().where(_PUPILS.c.profile == profile, _PUPILS.c.game == game))
            connection.execute(_PUPILS.insert().values(profile=profile, game=game, since=_now()))

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _begin(self) -> Iterator[sa.Connection]:
        with self._turn, self._engine.begin() as connection:
            yield connection

    def _write(self, statement: sa.Executable) -> None:
        with self._begin() as connection:
            connection.execute(statement)


_POSTGRESQL = "postgresql+psycopg"


def _with_driver(url: str) -> str:
    """The URL as it is usually written leaves the driver open."""
    scheme, separator, rest = url.partition("://")
    return f"{_POSTGRESQL}{separator}{rest}" if scheme in ("postgresql", "postgres") else url


def _how_to_get(missing: ModuleNotFoundError) -> str:
    return "pip install 'randori[postgresql]'" if missing.name == "psycopg" else "install it"


def _set_up_sqlite(connection: Any, _: object) -> None:
    """With a write-ahead log readers do not wait for writers, and what was committed outlives a killed process."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA busy_timeout=5000")
    connection.execute("PRAGMA foreign_keys=ON")


def _kept(row: Any) -> KeptGame:
    return KeptGame(
        row.id, row.profile, row.game, (row.first, row.second), row.resigned, row.assisted, row.result, row.created
    )


def _rows(moves: Iterable[KeptMove]) -> list[dict[str, Any]]:
    now = _now()
    return [{"game": it.game, "ply": it.ply, "action": int(it.action), "played": now} for it in moves]


def _now() -> datetime:
    return datetime.now(UTC)
