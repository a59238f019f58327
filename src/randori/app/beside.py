"""Long work that Ctrl-C ends at once."""

import shlex
import sys
import threading
from collections.abc import Callable
from typing import NoReturn, TypeVar

from randori import interrupts

Result = TypeVar("Result")


def beside(work: Callable[[], Result]) -> Result:
    """Does the work in a thread while this one waits, so that Ctrl-C is a KeyboardInterrupt here at once.

    Python answers a signal between two lines of its own: compiled code may keep it waiting for minutes. The work is not
    stopped, only abandoned: it must survive being killed, and the process must end soon.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def end_interrupted() -> NoReturn:
    """Says how to continue, and ends the process at once: whatever is under way survives being killed."""
    command = shlex.join(["randori", *sys.argv[1:]])
    print(f"randori: Interrupted; all finished work is kept. To continue: {command}", file=sys.stderr, flush=True)
    interrupts.end()
