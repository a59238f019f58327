"""Ctrl-C ends a command at any moment, without a traceback.

Until a command runs, and again when it is over, the signal itself ends the process, silently, even in the middle of an
import or a compilation. While it runs, Ctrl-C is a KeyboardInterrupt, so that it can show what it has.

Imported before everything else, so it imports next to nothing.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

STATUS = 130
"""The exit status of an interrupted command: what a shell reports where the signal itself ended one."""


def _is_command() -> bool:
    """Whether this process is `randori` or `python -m randori`, not a program that uses the package."""
    name = sys.argv[0] if sys.argv else ""
    # Python says "-m" until it has found the module to run.
    return "randori" in sys.orig_argv if name == "-m" else name.endswith(("/randori", "\\randori.exe"))


def _unraisable(what: "sys.UnraisableHookArgs") -> None:
    """A KeyboardInterrupt in a callback from C would be printed and forgotten."""
    if isinstance(what.exc_value, KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)  # ends the process, as any interrupt after the first
    sys.__unraisablehook__(what)


def end() -> NoReturn:
    """Ends an interrupted process, a command by the signal itself: without waiting for threads that read, and so that a
    shell's loop ends too.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:
        if sys.platform == "win32":  # where the signal gives another status
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(STATUS)
        signal.raise_signal(signal.SIGINT)
    sys.exit(STATUS)


@contextmanager
def raised() -> Iterator[None]:
    """Inside, Ctrl-C raises KeyboardInterrupt; a second one ends the process at once. For the main thread."""
    before = signal.getsignal(signal.SIGINT)
    if before == signal.SIG_IGN:  # in the background of a shell
        yield
        return
    interrupted = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except Exception as error:
        if interrupted:  # some libraries turn it into another error, such as a failed import
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, before)


if _is_command() and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.unraisablehook = _unraisable
