"""Databases that fail: at a statement, at a commit, or just after one."""

import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import OperationalError


def fail() -> None:
    raise OperationalError("a statement", {}, sqlite3.OperationalError("disk I/O error"))


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Faults:
    """Counts the statements and commits of every database in this process, and calls `act` at the one numbered `at`.

    Without `at` it never does; with `late`, a commit counts once it has been made.
    """

    def __init__(self, act: Callable[[], None] = fail) -> None:
        self._act, self.at, self.late, self.passed = act, None, False, 0

    at: int | None

    def arm(self, at: int | None, late: bool = False) -> None:
        self.at, self.late, self.passed = at, late, 0

    @property
    def happened(self) -> bool:
        return self.at is not None and self.passed >= self.at

    def _point(self, *_: Any) -> None:
        self.passed += 1
        if self.passed == self.at:
            self._act()

    def _commit(self, connection: sa.Connection) -> None:
        if self.late:
            connection.connection.commit()
        self._point()

    @contextmanager
    def watching(self) -> Iterator["Faults"]:
        listeners = (("before_cursor_execute", self._point), ("commit", self._commit))
        for name, listener in listeners:
            sa.event.listen(sa.Engine, name, listener)
        try:
            yield self
        finally:
            for name, listener in listeners:
                sa.event.remove(sa.Engine, name, listener)
