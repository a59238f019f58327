"""The life of a process that serves tasks, run as a script before anything of the package is imported.

Tasks come in by its standard input, answers go out by its standard output: every system gives these two to a child, and
closes them when whoever holds the other end is gone, in whatever way. Its arguments are the module that has `answered`,
and the path on which modules are found.
"""

import os
import queue
import struct
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from io import FileIO
from typing import NoReturn

_LENGTH = struct.Struct("!Q")


def send(stream: FileIO, message: bytes) -> None:
    """Sends a whole message; raises OSError where nobody reads it."""
    for part in (_LENGTH.pack(len(message)), message):
        left = memoryview(part)
        while left:
            left = left[stream.write(left) :]


def receive(stream: FileIO) -> bytearray:
    """The next whole message; raises EOFError where there will be none."""
    [length] = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return _exactly(stream, length)


def _exactly(stream: FileIO, length: int) -> bytearray:
    received = bytearray(length)
    left = memoryview(received)
    while left:
        n = stream.readinto(left)
        if not n:
            raise EOFError
        left = left[n:]
    return received


def take_stdin() -> int:
    """Keeps the standard input for the process that started this one: whatever else reads it, here or in a child, finds
    nothing.

    On Windows a child that inherits a pipe does not even start while a thread here waits for what comes by it.
    """
    taken, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return taken


def _take_stdout() -> int:
    """Keeps the standard output for answers alone: what tasks print goes to stderr."""
    taken = os.dup(1)
    os.dup2(2, 1)
    return taken


def _listen(tasks: FileIO, inbox: "queue.SimpleQueue[bytearray]") -> NoReturn:
    """Ends the process, in the middle of a task or an import, when nobody is left to send another one."""
    try:
        while True:
            inbox.put(receive(tasks))
    finally:  # kernels leave this thread the GIL
        os._exit(1)


def _live() -> None:
    tasks, answers = FileIO(take_stdin(), "rb"), FileIO(_take_stdout(), "wb")
    inbox: queue.SimpleQueue[bytearray] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(tasks, inbox), daemon=True).start()
    module, *sys.path[:] = sys.argv[1:]
    del sys.argv[1:]
    answered: Callable[[bytearray], bytes] = import_module(module).answered
    while True:
        answer = answered(inbox.get())
        sys.stdout.flush()  # after the answer this process may be killed at any time
        try:
            send(answers, answer)
        except OSError:
            os._exit(1)


if __name__ == "__main__":
    _live()
