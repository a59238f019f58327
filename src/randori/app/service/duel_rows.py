"""Duels as rows of a table, beside the game that each belongs to."""

from typing import Any

import sqlalchemy as sa

from randori.app.service.duel import Clock, Duel, Offer, Pace


def duels_table(tables: sa.MetaData) -> sa.Table:
    return sa.Table(
        "duels",
        tables,
        sa.Column("game", sa.ForeignKey("games.id"), primary_key=True),
        sa.Column("key", sa.String(40), nullable=False, unique=True),
        sa.Column("host_seat", sa.Integer, nullable=False),
        sa.Column("guest", sa.ForeignKey("profiles.id"), index=True),
        sa.Column("seconds", sa.Float),  # null without a clock
        sa.Column("increment", sa.Float),
        sa.Column("left_first", sa.Float),
        sa.Column("left_second", sa.Float),
        sa.Column("since", sa.Double),  # seconds since 1970; null while the clock stands still
        sa.Column("offer", sa.String(16)),
        sa.Column("offer_seat", sa.Integer),
        sa.Column("agreed", sa.Boolean, nullable=False),
        sa.Column("timed_out", sa.Integer),  # the seat whose time ran out
        sa.Column("next", sa.String(24)),  # the game of the rematch
        sa.Column("seen_first", sa.Double),  # seconds since 1970, while whoever sits there looks at the game
        sa.Column("seen_second", sa.Double),
    )


def row_of(duel: Duel) -> dict[str, Any]:
    """Everything but when the two were last seen."""
    clock, offer = duel.clock, duel.offer
    first, second = (None, None) if clock is None else clock.left
    return {
        "key": duel.key,
        "host_seat": duel.host_seat,
        "guest": duel.guest,
        "seconds": None if clock is None else clock.pace.seconds,
        "increment": None if clock is None else clock.pace.increment,
        "left_first": first,
        "left_second": second,
        "since": None if clock is None else clock.since,
        "offer": None if offer is None else offer.what,
        "offer_seat": None if offer is None else offer.seat,
        "agreed": duel.agreed,
        "timed_out": duel.timed_out,
        "next": duel.next,
    }


def duel_of(row: Any) -> Duel | None:
    """The duel in a row of a join; None if the game is not a duel."""
    if row.key is None:
        return None
    clock = None
    if row.seconds is not None:
        clock = Clock(Pace(row.seconds, row.increment), (row.left_first, row.left_second), row.since)
    offer = None if row.offer is None else Offer(row.offer, row.offer_seat)
    return Duel(row.key, row.host_seat, row.guest, clock, offer, row.agreed, row.timed_out, row.next)
