"""The conversation of an engine: lines come in while it thinks, answers go out at once."""

import os
import select
import sys
from collections import deque
from collections.abc import Iterator
from threading import Condition, Thread
from typing import BinaryIO, NamedTuple, Protocol

LONGEST_LINE = 1 << 16
# Whoever sends more than can be answered has to wait.
_MOST_LINES = 1000


class Line(NamedTuple):
    text: str
    is_whole: bool = True
    """False for the beginning of a line that was too long; the rest of it is gone."""


class Inbox:
    """The lines that have come in. A thread reads them, so that an engine in thought notices the next one."""

    def __init__(self) -> None:
        self.changed = Condition()
        """Notified for each line, at the end of the input and by whoever works for the engine in another thread."""
        self._lines: deque[Line] = deque()
        self._is_closed = False

    def listen(self, stream: BinaryIO) -> None:
        """Begins to read."""
        Thread(target=self._read, args=(stream,), daemon=True).start()

    def holds(self, command: str) -> bool:
        """Whether a line with this command waits to be answered; call it while `changed` is held."""
        return any(line.text.split(maxsplit=1)[:1] == [command] for line in self._lines)

    def put(self, text: str, is_whole: bool = True) -> None:
        with self.changed:
            self.changed.wait_for(lambda: len(self._lines) < _MOST_LINES)
            self._lines.append(Line(text, is_whole))
            self.changed.notify_all()

    def close(self) -> None:
        with self.changed:
            self._is_closed = True
            self.changed.notify_all()

    def lines(self) -> Iterator[Line]:
        """Each line as it comes, to the last one before the end of the input."""
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self._lines or self._is_closed)
                if not self._lines:
                    return
                line = self._lines.popleft()
                self.changed.notify_all()
            yield line

    def _read(self, stream: BinaryIO) -> None:
        while line := stream.readline(LONGEST_LINE):
            is_whole = len(line) < LONGEST_LINE or line.endswith(b"\n")
            self.put(line.decode("utf-8", "replace").strip("\r\n"), is_whole)
            while not is_whole and (rest := stream.readline(LONGEST_LINE)):
                is_whole = rest.endswith(b"\n")
        self.close()


class Engine(Protocol):
    """Answers one line after the other, whatever they contain."""

    over: bool
    """Whether it was asked to quit."""

    def answer(self, line: str) -> Iterator[str]:
        """What to print, a piece at a time; each is followed by a line end and sent at once."""

    def refuse(self, line: str, reason: str) -> str:
        """What to print for a line that is not carried out."""


def serve(engine: Engine, inbox: Inbox, out: BinaryIO) -> None:
    """Answers until the engine is asked to quit, or all lines up to the end of the input are answered."""
    for line in inbox.lines():
        for text in _answers(engine, line):
            out.write(f"{text}\n".encode())
            out.flush()
        if engine.over:
            return


def _answers(engine: Engine, line: Line) -> Iterator[str]:
    if line.is_whole:
        return engine.answer(line.text)
    return iter([engine.refuse(line.text, f"a line may have {LONGEST_LINE:,} characters")])


def end_when_unheard(descriptor: int) -> None:
    """Ends this process when nobody reads its answers any more, even in the middle of a long thought.

    The end of the input is no such sign: whoever sends a file wants it answered.
    """
    if sys.platform != "win32":  # where the next answer finds out

        def watch() -> None:
            readers = select.poll()
            readers.register(descriptor, 0)  # errors are reported unasked
            readers.poll()
            os._exit(0)

        Thread(target=watch, daemon=True).start()
