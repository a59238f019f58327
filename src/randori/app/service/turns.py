"""Who is next: work is done in order of arrival for each address, and the addresses take turns."""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from contextvars import ContextVar
from threading import Lock

asker: ContextVar[str] = ContextVar("asker", default="")
"""The address for which the present work is done."""


class Turns:
    """What waits to be done. Safe to use from several threads; of these one address keeps at most `most` busy."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: OrderedDict[str, deque[Callable[[], None]]] = OrderedDict()
        self._busy: Counter[str] = Counter()
        self._lock = Lock()

    def add(self, address: str, work: Callable[[], None]) -> None:
        """Some thread must call `do_some` afterwards."""
        with self._lock:
            self._waiting.setdefault(address, deque()).append(work)

    def do_some(self) -> None:
        """Does what may be done now. What is left is for the threads that its address keeps busy."""
        while (taken := self._take()) is not None:
            address, work = taken
            try:
                work()
            finally:
                with self._lock:
                    self._busy[address] -= 1

    def _take(self) -> tuple[str, Callable[[], None]] | None:
        with self._lock:
            address = next((it for it in self._waiting if self._busy[it] < self._most), None)
            if address is None:
                return None
            waiting = self._waiting.pop(address)
            work = waiting.popleft()
            if waiting:
                self._waiting[address] = waiting  # behind the others
            self._busy[address] += 1
            self._busy = +self._busy  # forgets those who keep nobody busy
            return address, work
