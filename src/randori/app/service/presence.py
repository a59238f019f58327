"""Who of the two in a duel looks at it just now, on this server or on another that shares its database."""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from randori.app.service import duel
from randori.app.service.kept_duels import see
from randori.app.service.refusals import Refusal
from randori.app.service.store import Store

_GRACE = 3.0
"""Seconds after which somebody is away: whoever reloads the page is not."""
_SECONDS = 4.0
"""Between two looks at who is seen by other servers."""
_STALE = 3 * _SECONDS

Place = tuple[str, int]
"""A room and a seat in it."""


class Presence:
    """`tell` is called with the id of a room when somebody comes or goes there. Its methods run in the event loop."""

    def __init__(self, store: Store, tell: Callable[[str], None]) -> None:
        self._store, self._tell = store, tell
        self._here: Counter[Place] = Counter()
        self._left: dict[Place, float] = {}
        self._elsewhere: dict[Place, float] = {}
        self._looking: asyncio.Task[None] | None = None

    def enter(self, id: str, seat: int) -> None:
        """One more page shows the room to whoever has that seat."""
        was_here = self.is_here(id, seat)
        self._here[id, seat] += 1
        if not was_here:
            self._tell(id)
        if self._store.is_shared and self._looking is None:
            self._looking = asyncio.create_task(self._look_on())

    def leave(self, id: str, seat: int) -> None:
        self._here[id, seat] -= 1
        self._here = +self._here
        if not self._here[id, seat]:
            self._left[id, seat] = duel.now()
            asyncio.get_running_loop().call_later(_GRACE + 0.1, self._miss, id, seat)

    def _miss(self, id: str, seat: int) -> None:
        self._left.pop((id, seat), None)
        if not self.is_here(id, seat):
            self._tell(id)

    def is_here(self, id: str, seat: int) -> bool:
        place, moment = (id, seat), duel.now()
        seen = moment - self._elsewhere.get(place, 0.0) < _STALE
        return self._here[place] > 0 or moment - self._left.get(place, 0.0) < _GRACE or seen

    async def _look_on(self) -> None:
        """Says who is here, and asks who is elsewhere, as long as there is anybody."""
        while self._here:
            with suppress(Refusal):  # where the database cannot be reached, it is asked again next time
                seen = await asyncio.to_thread(see, self._store, sorted(self._here), duel.now())
                before = {it: self.is_here(*it) for it in {*seen, *self._elsewhere}}
                self._elsewhere = {it: at for it, at in seen.items() if it not in self._here}
                for id in {it[0] for it, was_here in before.items() if self.is_here(*it) != was_here}:
                    self._tell(id)
            await asyncio.sleep(_SECONDS)
        self._looking = None

    def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
