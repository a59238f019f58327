"""Which of the two in a duel have it open, on this server or on another that shares its database."""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from randori.app.service import duel
from randori.app.service.kept_duels import see
from randori.app.service.refusals import Refusal
from randori.app.service.store import Store

_GRACE = 3.0
"""Seconds after which somebody counts as away: reloading the page takes less."""
_SECONDS = 4.0
"""Between two looks at who is present on other servers."""
_STALE = 3 * _SECONDS

Place = tuple[str, int]
"""A room and a seat in it."""


class Presence:
    """`notify` is called with the id of a room when somebody arrives or leaves. Its methods run in the event loop."""

    def __init__(self, store: Store, notify: Callable[[str], None]) -> None:
        self._store, self._notify = store, notify
        self._pages: Counter[Place] = Counter()
        self._left: dict[Place, float] = {}
        self._elsewhere: dict[Place, float] = {}
        self._looking: asyncio.Task[None] | None = None

    def enter(self, id: str, seat: int) -> None:
        """Whoever has that seat has opened the room on one more page."""
        was_here = self.is_here(id, seat)
        self._pages[id, seat] += 1
        if not was_here:
            self._notify(id)
        if self._store.is_shared and self._looking is None:
            self._looking = asyncio.create_task(self._look_on())

    def leave(self, id: str, seat: int) -> None:
        self._pages[id, seat] -= 1
        self._pages = +self._pages
        if not self._pages[id, seat]:
            self._left[id, seat] = duel.now()
            asyncio.get_running_loop().call_later(_GRACE + 0.1, self._miss, id, seat)

    def _miss(self, id: str, seat: int) -> None:
        self._left.pop((id, seat), None)
        if not self.is_here(id, seat):
            self._notify(id)

    def is_here(self, id: str, seat: int) -> bool:
        place, moment = (id, seat), duel.now()
        is_elsewhere = moment - self._elsewhere.get(place, 0.0) < _STALE
        return self._pages[place] > 0 or moment - self._left.get(place, 0.0) < _GRACE or is_elsewhere

    async def _look_on(self) -> None:
        """Notes who is here, and reads who is elsewhere, as long as anybody is here."""
        while self._pages:
            with suppress(Refusal):  # if the database cannot be reached, it is asked again next time
                last_seen = await asyncio.to_thread(see, self._store, sorted(self._pages), duel.now())
                before = {it: self.is_here(*it) for it in {*last_seen, *self._elsewhere}}
                self._elsewhere = {it: at for it, at in last_seen.items() if it not in self._pages}
                for id in {it[0] for it, was_here in before.items() if self.is_here(*it) != was_here}:
                    self._notify(id)
            await asyncio.sleep(_SECONDS)
        self._looking = None

    def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
