"""Whoever looks at a room is notified when it changes."""

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
Follow = Callable[[Room], None]


class Followers:
    """If other servers may change rooms, `look` is called now and then with all rooms that somebody follows."""

    def __init__(self, look: Callable[[Iterable[str]], Awaitable[None]] | None) -> None:
        self._look = look
        self._followers: dict[str, list[Follow]] = {}
        self._duels: set[str] = set()
        self._looking: asyncio.Task[None] | None = None

    def add(self, id: str, follow: Follow, is_duel: bool = False) -> None:
        """From now on `follow` is called with the room whenever it has changed."""
        self._followers.setdefault(id, []).append(follow)
        if is_duel:
            self._duels.add(id)
        if self._look is not None and self._looking is None:
            self._looking = asyncio.create_task(self._look_on(self._look))

    def remove(self, id: str, follow: Follow) -> None:
        left = [it for it in self._followers.get(id, []) if it != follow]
        if left:
            self._followers[id] = left
        else:
            self._followers.pop(id, None)
            self._duels.discard(id)

    def has(self, id: str) -> bool:
        """Whether anybody looks at a room."""
        return id in self._followers

    def notify(self, room: Room) -> None:
        for follow in list(self._followers.get(room.id, [])):
            try:
                follow(room)
            except Exception:  # such as that of a page being closed: the move is kept, and the others must see it
                _log.exception("A page could not follow its game.")

    async def _look_on(self, look: Callable[[Iterable[str]], Awaitable[None]]) -> None:
        """Looks at all rooms together, as long as anybody follows one."""
        while self._followers:
            await asyncio.sleep(_SECONDS_OF_DUELS if self._duels else _SECONDS)
            with suppress(Refusal):  # if the database cannot be reached, it is asked again next time
                await look(list(self._followers))
        self._looking = None

    def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
