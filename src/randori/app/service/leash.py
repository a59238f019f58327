"""A command in a process of its own that ends with the process that started it, whatever ends that one.

The two share a pipe of which the starter alone holds the writing end. Each byte in it is a Ctrl-C. When it is closed, by
the starter or by its death, the command ends as after Ctrl-C, and at once where that takes too long.
"""

import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import IO

from randori.systems import interrupt_self, start_apart
from randori.worker_life import take_stdin

GRACE = 5.0
"""Seconds for the round under way and a last checkpoint."""


def start(arguments: list[str], errors: IO[bytes] | int) -> subprocess.Popen[bytes]:
    """A command of `randori`; its stderr goes to `errors`."""
    none, pipe = subprocess.DEVNULL, subprocess.PIPE
    return start_apart([sys.executable, "-m", __name__, *arguments], stdin=pipe, stdout=none, stderr=errors)


def interrupt(process: subprocess.Popen[bytes]) -> None:
    """As Ctrl-C does; nothing if it has ended."""
    with suppress(OSError, ValueError):
        if process.stdin is not None:
            process.stdin.write(b"!")


def let_go(process: subprocess.Popen[bytes]) -> None:
    """Asks it to end, which it does within the grace period."""
    if process.stdin is not None:
        process.stdin.close()


def end(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Waits so long for one that was let go, then kills it."""
    try:
        process.wait(max(seconds, 0.0))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _watch(pipe: int) -> None:
    """In the started process: to the end of the pipe."""
    while os.read(pipe, 1):
        interrupt_self()
    interrupt_self()
    time.sleep(GRACE)
    os._exit(1)


def _main() -> None:
    threading.Thread(target=_watch, args=(take_stdin(),), daemon=True).start()
    try:
        from randori.app.cli import main

        main()
    except KeyboardInterrupt:
        sys.exit(1)  # before the command itself could answer


if __name__ == "__main__":
    _main()
