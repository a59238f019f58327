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
    """The living processes of a session: its leader and all its descendants."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        fields = _stat(int(folder.name))
        if fields is not None and int(fields[3]) == session and fields[0] != "Z":
            found.append(int(folder.name))
    return found


def cpu_seconds(process: int) -> float:
    """CPU seconds that a process has used so far, including its threads; 0 if it has ended."""
    fields = _stat(process)
    return 0.0 if fields is None else (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _stat(process: int) -> list[str] | None:
    """Fields of `/proc/PID/stat` from the state on; None if the process has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


class Ended(NamedTuple):
    status: int | None
    """As in `subprocess`; None if it had ended before the signal."""
    out: str
    err: str
    left: list[int]
    """Processes that it started and that were still alive seconds later."""

    @property
    def before_our_first_line(self) -> bool:
        """In its first hundredths of a second Python itself answers Ctrl-C with a traceback, which cannot be prevented."""
        ours = re.findall(r'"[^"]*/randori/([^"]*)"', self.err)
        return "KeyboardInterrupt" in self.err and set(ours) <= {"__init__.py", "interrupts.py"}

    @property
    def was_interrupted_quietly(self) -> bool:
        """As Ctrl-C should end a command: no traceback, no process left, 130 for a shell."""
        by_hand = self.status in (130, -signal.SIGINT)
        stopped = (
            self.status == 1 and "Stopped" in self.err
        )  # a training that can be continued, a solver that shows what it knows
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
    """Runs `randori WORDS` and signals it after so many seconds, as a terminal does: the whole foreground group."""
    process = start(*words, folder=folder, **environment)
    time.sleep(seconds)
    running = process.poll() is None
    if running:
        os.killpg(process.pid, number)
    out, err = process.communicate(timeout=120)
    wait_until(lambda: not members(process.pid), 2)
    return Ended(process.returncode if running else None, out, err, members(process.pid))
