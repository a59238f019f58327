"""Forgetting people: those who ask for it, with all their data, and visitors who never played."""

import asyncio
import logging
from datetime import UTC, datetime, timedelta

from sqlalchemy.exc import SQLAlchemyError

from randori.app.service.claims import key_of
from randori.app.service.forgetting import clear_unused, forget
from randori.app.service.refusals import Refusal
from randori.app.service.rooms import Rooms
from randori.app.service.tournaments import Tournaments
from randori.app.service.trainings import Trainings

UNUSED = timedelta(days=30)
"""How long somebody without a game is remembered after their last visit."""
_A_DAY = 24 * 3600.0
_PAUSE = 0.05
"""Seconds between two transactions, in which others can write."""


class Profiles:
    """The people who are kept here."""

    def __init__(self, rooms: Rooms, trainings: Trainings, tournaments: Tournaments) -> None:
        self._rooms, self._trainings, self._tournaments = rooms, trainings, tournaments

    async def forget(self, token: str) -> None:
        """Forgets somebody with their games, ratings and lessons. Their trainings stop, and have no owner."""
        me = await self._rooms.profile_of(token)
        self._rooms.pace.take(me.id)
        self._tournaments.forget(key_of(token))
        await asyncio.to_thread(self._trainings.forget, key_of(token))
        await asyncio.to_thread(forget, self._rooms.store, token)
        self._rooms.drop(me)

    async def keep_clearing(self) -> None:
        """Forgets those without a game, now and once a day."""
        while True:
            try:
                await self._clear(datetime.now(UTC) - UNUSED)
            except (Refusal, SQLAlchemyError) as error:
                logging.getLogger(__name__).warning("Unused profiles are cleared tomorrow: %s", error)
            await asyncio.sleep(_A_DAY)
            self._rooms.look_up_again()

    async def _clear(self, before: datetime) -> None:
        last: int | None = 0
        while last is not None:
            last = await asyncio.to_thread(clear_unused, self._rooms.store, before, last)
            await asyncio.sleep(_PAUSE)
