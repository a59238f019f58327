"""A queue for pages: a few are built at a time, and addresses take turns."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from randori.app.service.turns import asker


class Builders:
    """One event loop builds all pages. A hundred begun at once would all be late; one after the other, only a few are."""

    def __init__(self, most: int) -> None:
        self._free = most
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        await self._wait()
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self) -> None:
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(asker.get(), deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was our turn already
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        while self._waiting:
            address, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[address] = turns  # behind the others
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
