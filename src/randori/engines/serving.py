"""The conversation of an engine: lines come in while it thinks, answers go out at once."""

import time
from collections import deque
from collections.abc import Iterator
from threading import Condition, Thread
from typing import BinaryIO, Protocol

# Whoever closes our input is gone or wants us to go: what is still asked is answered for so long and no longer.
CLOSING_SECONDS = 0.6
_LONGEST_LINE = 1 << 16


class Closing(Exception):
    """The input has ended and the time after it is over."""


class Inbox:
    """The lines that have come in. A thread reads them, so that an engine in thought notices the next one."""

    def __init__(self) -> None:
        self.changed = Condition()
        """Notified for each line, at the end of the input and by whoever works for the engine in another thread."""
        self.ends = float("inf")
        """When the engine has to be gone, as `time.monotonic` counts."""
        self._lines: deque[str] = deque()

    def listen(self, stream: BinaryIO) -> None:
        """Begins to read; to be called when the engine is ready, for the end of the input leaves it little time."""
        Thread(target=self._read, args=(stream,), daemon=True).start()

    def holds(self, command: str) -> bool:
        """Whether a line with this command waits to be answered; to be asked while `changed` is held."""
        return any(line.split(maxsplit=1)[:1] == [command] for line in self._lines)

    def put(self, line: str) -> None:
        with self.changed:
            self._lines.append(line)
            self.changed.notify_all()

    def close(self) -> None:
        with self.changed:
            self.ends = time.monotonic() + CLOSING_SECONDS
            self.changed.notify_all()

    def lines(self) -> Iterator[str]:
        """Each line as it comes, until the input ends."""
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self._lines or self.ends < float("inf"))
                if not self._lines or time.monotonic() > self.ends:
                    return
                line = self._lines.popleft()
            yield line

    def _read(self, stream: BinaryIO) -> None:
        while line := stream.readline(_LONGEST_LINE):
            self.put(line.decode("utf-8", "replace").strip("\r\n"))
        self.close()


class Engine(Protocol):
    """Answers one line after the other, whatever they hold."""

    over: bool
    """Whether it was told to quit."""

    def answer(self, line: str) -> Iterator[str]:
        """What to print, a piece at a time; each is followed by a line end and sent at once."""


def serve(engine: Engine, inbox: Inbox, out: BinaryIO) -> None:
    """Answers until the engine is told to quit or the input ends."""
    try:
        for line in inbox.lines():
            for text in engine.answer(line):
                out.write(f"{text}\n".encode())
                out.flush()
            if engine.over:
                return
    except Closing:
        return
