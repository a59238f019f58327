"""Ctrl-C and SIGTERM as requests to stop."""

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopSignals:
    """Inside the context, a signal sets `requested`; a second one raises KeyboardInterrupt at once."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.requested = False
        self._say = say
        self._before: dict[int, Any] = {}

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
        sentence = "Stopping after this round; a second signal stops at once, back to the last checkpoint."
        # From a thread of its own: the signal may have come in the middle of a line being printed.
        threading.Thread(target=self._say, args=(sentence,)).start()

    def __enter__(self) -> Self:
        # Python delivers signals to the main thread only; elsewhere the caller has its own way to stop.
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._ask) for number in _SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
