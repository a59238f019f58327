"""A program that runs beside ours and talks in lines; it may be slow, fall silent or die."""

import os
import queue
import shlex
import shutil
import subprocess
import tempfile
import threading
import time
from contextlib import suppress

from randori.errors import UserError

# A program that floods us is cut off; none of the protocols has answers near this length.
_MAX_LINES = 10_000
_END_SECONDS = 1.0


class ProgramFailed(Exception):
    """The program cannot go on with this game; the message says why."""


class Program:
    """One running program."""

    def __init__(self, command: str) -> None:
        self.command = command
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (`end` closes it)
        try:
            self._process = subprocess.Popen(
                _arguments(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
            )
        except OSError as error:
            raise ProgramFailed(f"'{command}' did not start ({error.strerror})") from None
        self._lines: queue.Queue[str | None] = queue.Queue(_MAX_LINES)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            for line in stream:
                self._lines.put(line.decode("utf-8", "replace").strip("\r\n"))
        self._lines.put(None)

    def send(self, text: str) -> None:
        """One line, or several."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{text}\n".encode())
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._dead() from None

    def receive(self, deadline: float) -> str:
        """The next line; `deadline` as `time.monotonic` counts."""
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise ProgramFailed(f"'{self.command}' gave no answer in time") from None
        if line is None:
            raise self._dead()
        return line

    def _dead(self) -> ProgramFailed:
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - 1000))
        said = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return ProgramFailed(f"'{self.command}' ended" + (f" and said: {said[-1]}" if said else ""))

    def end(self, farewell: str = "") -> None:
        """Says farewell where there is a word for it, then closes the pipes and kills what still runs."""
        assert self._process.stdin is not None
        try:
            if farewell:
                self._process.stdin.write(f"{farewell}\n".encode())
            self._process.stdin.close()
            self._process.wait(_END_SECONDS if farewell else 0)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        finally:
            self._errors.close()
            with suppress(queue.Empty):  # or the reading thread of a program that flooded us would wait for ever
                while True:
                    self._lines.get_nowait()


def check_command(command: str) -> None:
    """Raises UserError where the command names no program."""
    try:
        words = shlex.split(command, posix=os.name != "nt")
    except ValueError:
        raise UserError(f"The command '{command}' has a quotation mark without its pair.") from None
    if not words:
        raise UserError("Give the command that starts the program, as command=...")
    if shutil.which(words[0]) is None:
        raise UserError(f"There is no program '{words[0]}'; give its path, or install it.")


def _arguments(command: str) -> str | list[str]:
    # Windows programs split their command line themselves.
    return command if os.name == "nt" else shlex.split(command)
