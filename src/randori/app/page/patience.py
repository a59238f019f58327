"""Feedback for people who wait: what was pressed shows that it is busy, and waiting for the compiler is explained."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from nicegui import ui

from randori.kernels.compile import is_compiling

GETTING_READY = "Getting ready: compiling, which happens once per machine."
_SECONDS = 0.5
"""A wait that people do not notice needs no words."""
_MOMENT = 0.01
"""Seconds after which a button shows that it is busy."""


@asynccontextmanager
async def explained(explain: Callable[[], None]) -> AsyncIterator[None]:
    """Calls `explain` once if what happens inside takes a while and the compiler is at work meanwhile."""
    watching = asyncio.create_task(_watch(explain))
    try:
        yield
    finally:
        watching.cancel()


@asynccontextmanager
async def shown_busy(element: ui.element | None) -> AsyncIterator[None]:
    """Marks an element as busy while what happens inside takes longer than a moment."""

    def mark() -> None:
        if element is not None:
            element.props["aria-busy"] = "true"
            element.update()

    marking = asyncio.get_running_loop().call_later(_MOMENT, mark)
    try:
        yield
    finally:
        marking.cancel()
        if element is not None and element.props.pop("aria-busy", None):
            element.update()


async def _watch(explain: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(_SECONDS)
        if is_compiling():
            explain()
            return
