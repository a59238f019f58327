"""Nobody waits in silence while something is compiled."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from randori.kernels.compile import is_compiling

GETTING_READY = "Getting ready: compiling, which happens once per machine."
_SECONDS = 0.5
"""A wait that people do not notice needs no words."""


@asynccontextmanager
async def explained(explain: Callable[[], None]) -> AsyncIterator[None]:
    """Calls `explain` once if what happens inside takes a while and the compiler is at work meanwhile."""
    watching = asyncio.create_task(_watch(explain))
    try:
        yield
    finally:
        watching.cancel()


async def _watch(explain: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(_SECONDS)
        if is_compiling():
            explain()
            return
