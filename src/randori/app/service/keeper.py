"""The keeper: writes in threads of its own, so that a slow or locked database stops neither readers nor thinkers."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

from randori.app.service.store import Change, Conflict, Store

T = TypeVar("T")
_MOST_TOGETHER = 64
_WRITERS = 8


class Keeper:
    """Changes that wait for the one before are kept in one transaction, which costs little more than one of them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="keeping")
        self._writers = ThreadPoolExecutor(_WRITERS, thread_name_prefix="writing")
        self._waiting: list[tuple[Change, Future[None]]] = []
        self._lock = Lock()  # guards those that wait: the event loop adds to them, the thread takes them away

    async def keep(self, change: Change) -> None:
        """Returns once the change is stored. Raises Conflict, Unavailable."""
        kept: Future[None] = Future()
        with self._lock:
            self._waiting.append((change, kept))
        self._thread.submit(self._keep_some)
        await asyncio.wrap_future(kept)

    async def write(self, work: Callable[[], T]) -> T:
        """Everything else that is written."""
        return await asyncio.get_running_loop().run_in_executor(self._writers, work)

    def _keep_some(self) -> None:
        with self._lock:
            taken, self._waiting = self._waiting[:_MOST_TOGETHER], self._waiting[_MOST_TOGETHER:]
        # Changes that nobody waits for any more are left out.
        wanted = [(change, kept) for change, kept in taken if kept.set_running_or_notify_cancel()]
        problem = self._problem([change for change, _ in wanted])
        for change, kept in wanted:
            # One conflict does not fail the others.
            own = self._problem([change]) if isinstance(problem, Conflict) and len(wanted) > 1 else problem
            if own is None:
                kept.set_result(None)
            else:
                kept.set_exception(own)

    def _problem(self, changes: list[Change]) -> Exception | None:
        """What prevents these changes from being kept."""
        try:
            if changes:
                self._store.keep(changes)
        except Exception as error:
            return error
        return None

    def close(self) -> None:
        self._thread.shutdown(cancel_futures=True)
        self._writers.shutdown(cancel_futures=True)
