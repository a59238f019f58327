"""A command in a process of its own that ends with the process that started it, whatever ends that one.

The two share a pipe of which the starter alone holds the writing end: when it is closed, by the starter or by its death,
the command ends as after Ctrl-C, and at once where that takes too long.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from typing import IO

GRACE = 5.0
"""Seconds for the round under way and a last checkpoint."""


def start(arguments: list[str], said: IO[bytes] | int) -> subprocess.Popen[bytes]:
    """A command of `randori`; what it complains of goes to `said`."""
    return subprocess.Popen(
        [sys.executable, "-m", __name__, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=said,
        process_group=0,  # Ctrl-C in the terminal is for the starter to act on
    )


def let_go(process: subprocess.Popen[bytes]) -> None:
    """Asks it to end; it does within the grace."""
    if process.stdin is not None:
        process.stdin.close()


def end(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Waits so long for one that was let go, then kills it."""
    try:
        process.wait(max(seconds, 0.0))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _watch() -> None:
    """In the started process: waits for the end of the pipe."""
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(GRACE)
    os._exit(1)


def _main() -> None:
    threading.Thread(target=_watch, daemon=True).start()
    try:
        from randori.app.cli import main

        main()
    except KeyboardInterrupt:
        sys.exit(1)  # before the command itself could answer


if __name__ == "__main__":
    _main()
