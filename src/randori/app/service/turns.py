"""Who is next: work is done in order of arrival for each address, and the addresses take turns."""

from collections import OrderedDict, deque
from collections.abc import Callable
from contextvars import ContextVar
from threading import Lock

asker: ContextVar[str] = ContextVar("asker", default="")
"""The address for which the present work is done."""


class Turns:
    """What waits to be done. Safe to use from several threads."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[Callable[[], None]]] = OrderedDict()
        self._lock = Lock()

    def add(self, address: str, work: Callable[[], None]) -> None:
        with self._lock:
            self._waiting.setdefault(address, deque()).append(work)

    def do_next(self) -> None:
        """Does one piece of what was added; to be called once for each."""
        with self._lock:
            address, waiting = self._waiting.popitem(last=False)
            work = waiting.popleft()
            if waiting:
                self._waiting[address] = waiting  # behind the others
        work()
