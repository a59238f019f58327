"""Processes as a terminal or the system sees them."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="counts processes in /proc")


def wait_until(condition: Callable[[], bool], seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def members(session: int) -> list[int]:
    """The living processes of a session, its leader and its children and theirs."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(folder.name))
    return found


class Ended(NamedTuple):
    status: int | None
    """As `subprocess` tells it; None where it had ended before the signal came."""
    out: str
    err: str
    left: list[int]
    """Processes that it started and that lived on for seconds."""

    @property
    def before_our_first_line(self) -> bool:
        """Python itself answers Ctrl-C with a traceback in its first hundredths of a second, and nobody can mend that."""
        ours = re.findall(r'"[^"]*/randori/([^"]*)"', self.err)
        return "KeyboardInterrupt" in self.err and set(ours) <= {"__init__.py", "interrupts.py"}

    @property
    def was_interrupted_quietly(self) -> bool:
        """As a command that Ctrl-C ended should: no traceback, no process left, 130 for a shell."""
        by_hand = self.status in (130, -signal.SIGINT)
        stopped = (
            self.status == 1 and "Stopped" in self.err
        )  # a training that goes on, a solver that shows what it knows
        quiet = "Traceback" not in self.err and "Exception ignored" not in self.err
        return self.status is None or (quiet and not self.left and (by_hand or stopped))


def start(*words: object, folder: Path | None = None, **environment: str) -> subprocess.Popen[str]:
    """`randori WORDS` in a session of its own, as in a terminal."""
    return subprocess.Popen(
        [sys.executable, "-m", "randori", *map(str, words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=os.environ | environment,
        start_new_session=True,
    )


def signalled(
    seconds: float, number: signal.Signals, *words: object, folder: Path | None = None, **environment: str
) -> Ended:
    """`randori WORDS`, sent a signal after so many seconds as a terminal sends it: to the whole foreground group."""
    process = start(*words, folder=folder, **environment)
    time.sleep(seconds)
    running = process.poll() is None
    if running:
        os.killpg(process.pid, number)
    out, err = process.communicate(timeout=120)
    wait_until(lambda: not members(process.pid), 2)
    return Ended(process.returncode if running else None, out, err, members(process.pid))
