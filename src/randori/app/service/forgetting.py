"""Forgetting people in the database, and noting when somebody was last here, on which it depends."""

import hashlib
import secrets
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from randori.app.service.store import Profile, Store
from randori.app.service.tables import _CARDS, _DUELS, _GAMES, _PROFILES, _TABLES, _VISITS

_AT_ONCE = 500
"""Profiles that are cleared in one transaction: others want to write, too."""
_last_seen = sa.func.coalesce(_VISITS.c.seen, _PROFILES.c.created)


def recognise(store: Store, token: str) -> Profile:
    """As `store.profile`, and notes the visit: no more than once a day, and not the first."""
    profile, now = store.profile(token), datetime.now(UTC)
    # Another server may note the same visit.
    with suppress(IntegrityError), store._begin() as connection:
        is_back = sa.select(_PROFILES.c.id).outerjoin(_VISITS).where(_PROFILES.c.id == profile.id)
        if connection.execute(is_back.where(_last_seen < now - timedelta(days=1))).first() is not None:
            connection.execute(_VISITS.delete().where(_VISITS.c.profile == profile.id))
            connection.execute(_VISITS.insert().values(profile=profile.id, seen=now))
    return profile


def forget(store: Store, token: str) -> None:
    """Removes the profile with this token and all its data. The token then belongs to a newcomer."""
    hashed, gone = hashlib.sha256(token.encode()).hexdigest(), secrets.token_hex(32)
    with store._begin() as connection:
        # First of all, so that nobody can begin a game of theirs meanwhile.
        connection.execute(_PROFILES.update().where(_PROFILES.c.token_hash == hashed).values(token_hash=gone))
        id = connection.execute(sa.select(_PROFILES.c.id).where(_PROFILES.c.token_hash == gone)).scalar()
        if id is None:
            return
        # Before the old one goes: SQLite gives the highest number again once it is free, and a view may still know it.
        connection.execute(_PROFILES.insert().values(token_hash=hashed, name="", created=datetime.now(UTC)))
        _remove(connection, [id])


def clear_unused(store: Store, before: datetime, after: int) -> int | None:
    """Forgets some of those who have no game nor puzzle and were last seen before a time, from the number `after` on.

    Returns the last number it has looked at, None if there are no more.
    """
    newest = sa.select(sa.func.max(_PROFILES.c.id)).scalar_subquery()  # which would be given again
    unused = (
        sa.select(_PROFILES.c.id)
        .outerjoin(_VISITS)
        .where(_PROFILES.c.id > after, _PROFILES.c.id < newest, _last_seen < before)
        .where(~sa.exists().where(_GAMES.c.profile == _PROFILES.c.id))
        .where(~sa.exists().where(_CARDS.c.profile == _PROFILES.c.id))
        .where(~sa.exists().where(_DUELS.c.guest == _PROFILES.c.id))
        .order_by(_PROFILES.c.id)
        .limit(_AT_ONCE)
    )
    ids: list[int] = []
    # One of them may begin a game just now: then they all wait for the next time.
    with suppress(IntegrityError), store._begin() as connection:
        ids = list(connection.execute(unused).scalars())
        _remove(connection, ids)
    return ids[-1] if len(ids) == _AT_ONCE else None


def _remove(connection: sa.Connection, profiles: Sequence[int]) -> None:
    """Profiles with everything that refers to them or to one of their games, whatever tables there are."""
    _leave_duels(connection, profiles)
    games = sa.select(_GAMES.c.id).where(_GAMES.c.profile.in_(profiles))
    for table in reversed(_TABLES.sorted_tables):  # each before those that it refers to
        for key in table.foreign_keys:
            theirs = profiles if key.column.table is _PROFILES else games
            connection.execute(table.delete().where(key.parent.in_(theirs)))
    connection.execute(_PROFILES.delete().where(_PROFILES.c.id.in_(profiles)))


def _leave_duels(connection: sa.Connection, guests: Sequence[int]) -> None:
    """The games to which they were invited are their hosts': a seat is left empty there, and what goes on is resigned."""
    theirs = sa.select(_DUELS.c.game).where(_DUELS.c.guest.in_(guests))
    seat = sa.select(1 - _DUELS.c.host_seat).where(_DUELS.c.game == _GAMES.c.id).scalar_subquery()
    given_up = _GAMES.update().where(_GAMES.c.id.in_(theirs), _GAMES.c.result.is_(None))
    connection.execute(given_up.values(resigned=seat, result=seat, version=_GAMES.c.version + 1))
    connection.execute(_DUELS.update().where(_DUELS.c.guest.in_(guests)).values(guest=None))
