"""Who looks at a room, and hears when it changes."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress

from randori.app.service.refusals import Refusal
from randori.app.service.room import Room

_SECONDS = 2.0
"""Between two looks at what other servers have changed."""
_SECONDS_OF_DUELS = 0.5
"""The same while somebody follows a duel: a clock may run there."""
_log = logging.getLogger("randori")
Seen = Callable[[Room], None]


class Followers:
    """`look` is asked now and then about all rooms that somebody follows, where other servers may change them."""

    def __init__(self, look: Callable[[Iterable[str]], Awaitable[None]] | None) -> None:
        self._look = look
        self._seen: dict[str, list[Seen]] = {}
        self._duels: set[str] = set()
        self._looking: asyncio.Task[None] | None = None

    def add(self, id: str, seen: Seen, is_duel: bool = False) -> None:
        """From now on `seen` is called with the room whenever it has changed."""
        self._seen.setdefault(id, []).append(seen)
        if is_duel:
            self._duels.add(id)
        if self._look is not None and self._looking is None:
            self._looking = asyncio.create_task(self._look_on(self._look))

    def remove(self, id: str, seen: Seen) -> None:
        left = [it for it in self._seen.get(id, []) if it != seen]
        if left:
            self._seen[id] = left
        else:
            self._seen.pop(id, None)
            self._duels.discard(id)

    def has(self, id: str) -> bool:
        """Whether anybody looks at a room."""
        return id in self._seen

    def tell(self, room: Room) -> None:
        for seen in list(self._seen.get(room.id, [])):
            try:
                seen(room)
            except Exception:  # of a page that is being closed, say: the move is kept, and the others shall see it
                _log.exception("A page could not follow its game.")

    async def _look_on(self, look: Callable[[Iterable[str]], Awaitable[None]]) -> None:
        """One question for all, as long as there is anybody."""
        while self._seen:
            await asyncio.sleep(_SECONDS_OF_DUELS if self._duels else _SECONDS)
            with suppress(Refusal):  # where the database cannot be reached, it is asked again next time
                await look(list(self._seen))
        self._looking = None

    def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
