"""The database behind the store: it is opened and watched, and its errors become sentences."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import unquote

import sqlalchemy as sa
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, ProgrammingError, SQLAlchemyError

from randori.app.service.refusals import Unavailable
from randori.errors import UserError
from randori.systems import lock

_SECONDS = 2.5
"""How long anybody waits for others who use the database, once for a turn to write and once for a lock."""
_POSTGRESQL = "postgresql+psycopg"
_SETTING_UP = 7_463_202
"""The number of the PostgreSQL lock for making tables; any that nobody else uses."""
_GONE = "The database file is gone: put it back, or restart the server."
_BUSY = "The database is busy: try again in a moment."
_SENTENCES = {
    "locked": _BUSY,
    "lock timeout": _BUSY,
    "is full": "There is no space left for the database: nothing can be kept until there is.",
    "No space left": "There is no space left for the database: nothing can be kept until there is.",
    "readonly": "The database cannot be written to at the moment.",
    "read-only": "The database cannot be written to at the moment.",
}
"""By a part of the database's own message, which visitors do not see: it may name hosts and folders."""
_log = logging.getLogger("randori")


class Database:
    """Connections to a database with these tables. Whatever fails raises `Unavailable`."""

    def __init__(self, url: str, set_up: Callable[[sa.Connection], None]) -> None:
        """`set_up` makes the tables that are missing. Raises UserError if the database cannot be opened."""
        self._set_up_tables = set_up
        self._turn, self._noticing = Lock(), Lock()
        self._fault = ""
        self._times_lost = 0
        self._lock: int | None = None
        try:
            address = sa.make_url(_with_driver(url))
            self._file = _file_of(address)
            self.is_shared = not address.drivername.startswith("sqlite")
            """Whether other servers may use it, too."""
            if self._file is not None:
                self._lock = _lock(self._file)
                self._file.touch()
            self._engine = self._make_engine(address)
            self._set_up()
        except ModuleNotFoundError as error:
            self._unlock()
            raise UserError(
                f"The database in RANDORI_DB needs the package {error.name}: {_how_to_get(error)}."
            ) from error
        except (SQLAlchemyError, ImportError, OSError) as error:
            self._unlock()
            raise UserError(f"The database cannot be opened; check RANDORI_DB ({_reason(error)}).") from error
        self._identity = self._inode()

    def _make_engine(self, address: sa.URL) -> sa.Engine:
        if self.is_shared:
            seconds = {"connect_timeout": 5} if address.drivername == _POSTGRESQL else {}
            # The database may have been restarted since a connection was made.
            engine = sa.create_engine(address, pool_pre_ping=True, pool_timeout=2 * _SECONDS, connect_args=seconds)
            if address.drivername == _POSTGRESQL:
                sa.event.listen(engine, "connect", _set_up_postgresql)
            return engine
        engine = (
            sa.create_engine(address) if self._file is None else sa.create_engine(address, pool_timeout=2 * _SECONDS)
        )
        sa.event.listen(engine, "connect", _set_up_sqlite)
        if self._file is not None:
            sa.event.listen(engine, "do_connect", self._open_existing)
        return engine

    def _open_existing(self, dialect: object, record: object, arguments: list[Any], options: Any) -> None:
        """SQLite would make an empty file in place of one that was removed."""
        assert self._file is not None
        arguments[0] = f"{self._file.as_uri()}?mode=rw"
        options["uri"] = True

    def _set_up(self) -> None:
        with self._engine.begin() as connection:
            if connection.dialect.name == "postgresql":  # two servers may be started at once
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_SETTING_UP)))
            self._set_up_tables(connection)

    @property
    def identity(self) -> object:
        """Changes when it becomes another database, because its file was removed or replaced."""
        return self._times_lost, self._inode()

    def _inode(self) -> tuple[int, int] | None:
        """None if there is no file. It is nobody else's while our connections hold it open."""
        if self._file is None:
            return None
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _look(self) -> None:
        """Notices a file that was removed or replaced: open connections would keep using one that nobody can find."""
        with self._noticing:
            found = self._inode()
            if found == self._identity and (found is not None or self._file is None):
                return
            if self._identity is not None:
                self._times_lost += 1
            self._identity = None
            self._engine.dispose()
            if found is None:
                raise Unavailable(_GONE)
            self._lock_again()
            self._set_up()
            self._identity = found

    def _lock_again(self) -> None:
        """The lock beside the file may have been removed as well, and another server be there by now."""
        self._unlock()
        try:
            self._lock = None if self._file is None else _lock(self._file)
        except UserError as error:
            raise Unavailable("The database is in use by another server: end one of the two.") from error

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        with self._explaining_errors():
            self._look()
            with self._engine.connect() as connection:
                yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction: once this is left, what was written outlives the process."""
        with self._explaining_errors():
            self._look()
            before = self.identity
            with self._writers_turn(), self._engine.begin() as connection:
                yield connection
            if self.identity != before:
                raise Unavailable(_GONE)

    @contextmanager
    def _writers_turn(self) -> Iterator[None]:
        """SQLite has one writer at a time, and those who wait sleep longer and longer; a lock wakes them at once."""
        if self.is_shared:
            yield
            return
        if not self._turn.acquire(timeout=_SECONDS):
            raise Unavailable(_BUSY)
        try:
            yield
        finally:
            self._turn.release()

    @contextmanager
    def _explaining_errors(self) -> Iterator[None]:
        try:
            yield
        except (IntegrityError, ProgrammingError, DataError):
            raise
        except (DBAPIError, sa.exc.TimeoutError) as error:
            reason = _reason(error)
            if reason != self._fault:  # many failing requests write one line
                _log.warning("The database cannot be used: %s", reason)
            self._fault = reason
            sentence = next((it for sign, it in _SENTENCES.items() if sign in reason), None)
            raise Unavailable(
                sentence or "The database cannot be reached at the moment: try again in a little while."
            ) from error
        else:
            self._fault = ""

    def close(self) -> None:
        self._engine.dispose()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
        self._lock = None


def _lock(file: Path) -> int:
    """A lock beside the file that ends with the process, however it ends. Raises UserError if another has it.

    Not on the file itself: closing any descriptor of it would let go of SQLite's own locks.
    """
    beside = Path(f"{file}.lock")
    try:
        descriptor = lock(beside)
    except BlockingIOError as error:
        holder = beside.read_bytes()[:20].decode("ascii", "replace").strip()
        raise UserError(
            f"The database {file} is in use by another server (process {holder or 'unknown'}): end that one first, or "
            "name another database in RANDORI_DB; several servers can share a PostgreSQL, not a file."
        ) from error
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()}\n".encode())
    return descriptor


def _file_of(address: sa.URL) -> Path | None:
    """The file of an SQLite database; None of one in memory, and of other databases."""
    name = address.database
    if (
        not address.drivername.startswith("sqlite")
        or not name
        or ":memory:" in name
        or "memory" in address.query.values()
    ):
        return None
    return Path(unquote(name.removeprefix("file:")) if name.startswith("file:") else name).resolve()


def _reason(error: Exception) -> str:
    return (str(getattr(error, "orig", None) or error).strip() or type(error).__name__).splitlines()[0]


def _with_driver(url: str) -> str:
    """The URL as it is usually written leaves the driver open."""
    scheme, separator, rest = url.partition("://")
    return f"{_POSTGRESQL}{separator}{rest}" if scheme in ("postgresql", "postgres") else url


def _how_to_get(missing: ModuleNotFoundError) -> str:
    return "pip install 'randori[postgresql]'" if missing.name == "psycopg" else "install it"


def _set_up_sqlite(connection: Any, _: object) -> None:
    """With a write-ahead log readers do not wait for writers, and what was committed outlives a killed process."""
    connection.execute(f"PRAGMA busy_timeout={1000 * _SECONDS:.0f}")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA foreign_keys=ON")


def _set_up_postgresql(connection: Any, _: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = {1000 * _SECONDS:.0f}")
    connection.commit()
