"""What the database knows about duels besides their games: invitations, the names of the two, when they were last seen."""

from collections.abc import Iterable, Sequence

import sqlalchemy as sa

from randori.app.service.store import Store, portions
from randori.app.service.tables import _DUELS, _PROFILES

Place = tuple[str, int]
"""A game and a seat in it."""
_SEEN = ("seen_first", "seen_second")


def invited_to(store: Store, key: str) -> str | None:
    """The game that an invitation is for."""
    with store._reading() as connection:
        return connection.execute(sa.select(_DUELS.c.game).where(_DUELS.c.key == key)).scalar()


def names(store: Store, profiles: Iterable[int | None]) -> dict[int, str]:
    """What people are called."""
    query = sa.select(_PROFILES.c.id, _PROFILES.c.name).where(_PROFILES.c.id.in_([it for it in profiles if it]))
    with store._reading() as connection:
        return {row.id: row.name for row in connection.execute(query)}


def see(store: Store, places: Sequence[Place], moment: float) -> dict[Place, float]:
    """Notes that these seats are present, and returns when every seat of their games was last seen.

    Every server must pass them in the same order: two servers that wait for each other's rows would wait
    for ever.
    """
    with store._begin() as connection:
        for id, seat in places:
            connection.execute(_DUELS.update().where(_DUELS.c.game == id).values({_SEEN[seat]: moment}))
    found: dict[Place, float] = {}
    with store._reading() as connection:
        for ids in portions(id for id, _ in places):
            rows = connection.execute(sa.select(_DUELS).where(_DUELS.c.game.in_(ids)))
            for row in rows:
                both = {(row.game, 0): row.seen_first, (row.game, 1): row.seen_second}
                found |= {place: at for place, at in both.items() if at is not None}
    return found
