"""A program that runs beside ours and talks in lines; it may be slow, fall silent, flood us or die."""

import os
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import suppress

from randori.errors import UserError
from randori.players.outside.group import Group

# None of the protocols has lines near this length, nor so many that nobody has asked for: a program that floods us
# costs some megabytes and then has to wait.
_LONGEST_LINE = 1 << 16
_MOST_LINES = 256
_KEPT_ERRORS = 1 << 13
_LONGEST_QUOTE = 200
_END_SECONDS = 1.0
_IS_WINDOWS = sys.platform == "win32"


class ProgramFailed(Exception):
    """The program cannot continue this game; the message says why."""


class NoAnswer(ProgramFailed):
    """It said nothing in time."""


class Program:
    """One running program, in a group with all that it starts."""

    def __init__(self, command: str) -> None:
        self.command = command
        self._group = Group()
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                _arguments(command), stdin=pipe, stdout=pipe, stderr=pipe, **self._group.options()
            )
        except OSError as error:
            self._group.end()
            raise ProgramFailed(f"'{command}' did not start ({error.strerror})") from None
        self._group.add(self._process)
        self._changed = threading.Condition()
        self._lines: deque[str] = deque()
        self._is_ending = False
        self._fault: str | None = None
        """Why no more lines will come."""
        self._last_line = ""
        self._errors = b""
        self._error_reader = threading.Thread(target=self._read_errors, daemon=True)
        self._error_reader.start()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        fault = "ended"
        with self._process.stdout as stream:
            while line := stream.readline(_LONGEST_LINE):
                if len(line) == _LONGEST_LINE and not line.endswith(b"\n"):
                    fault = f"printed a line of more than {_LONGEST_LINE:,} characters"
                    break
                with self._changed:
                    self._changed.wait_for(lambda: len(self._lines) < _MOST_LINES or self._is_ending)
                    if self._is_ending:
                        break
                    self._lines.append(line.decode("utf-8", "replace").strip("\r\n"))
                    self._changed.notify_all()
            with self._changed:
                self._fault = fault
                self._changed.notify_all()
                # If the pipe were closed now, the program would complain of that, and hide what was wrong before.
                self._changed.wait_for(lambda: self._is_ending)

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            while chunk := os.read(stream.fileno(), _KEPT_ERRORS):
                self._errors = (self._errors + chunk)[-_KEPT_ERRORS:]

    def send(self, text: str) -> None:
        """One line, or several."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{text}\n".encode())
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise ProgramFailed(self._failure(self._fault or "ended")) from None

    def receive(self, deadline: float) -> str:
        """The next line; `deadline` as `time.monotonic` counts."""
        with self._changed:
            left = deadline - time.monotonic()
            # Even if lines wait: a program that never stops talking has not answered.
            if left <= 0 or not self._changed.wait_for(lambda: self._lines or self._fault, left):
                raise NoAnswer(self._failure("gave no answer in time"))
            if not self._lines:
                assert self._fault is not None
                raise ProgramFailed(self._failure(self._fault))
            line = self._lines.popleft()
            self._changed.notify_all()
        self._last_line = line.strip() or self._last_line
        return line

    def _failure(self, what: str) -> str:
        """What happened, and the last line that the program printed, which often says why."""
        if what == "ended":
            self._error_reader.join(_END_SECONDS)
        errors = self._errors.decode("utf-8", "replace").strip().splitlines()
        last_words = quoted(errors[-1] if errors else self._last_line)
        return f"'{self.command}' {what}" + (f" (it said: {last_words})" if last_words else "")

    def end(self, farewell: str = "") -> None:
        """Says farewell where there is a word for it, then closes the pipes and kills what still runs."""
        assert self._process.stdin is not None
        with self._changed:
            self._is_ending = True
            self._changed.notify_all()
        with suppress(OSError, ValueError):
            if farewell:
                self._process.stdin.write(f"{farewell}\n".encode())
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS if farewell else 0)
        self._group.end()
        self._process.kill()
        self._process.wait()


def quoted(text: str) -> str:
    """What a program printed, made fit for a sentence."""
    plain = "".join(it if it.isprintable() else " " for it in text[: 2 * _LONGEST_QUOTE]).strip()
    return plain if len(plain) <= _LONGEST_QUOTE else plain[:_LONGEST_QUOTE] + "..."


def check_command(command: str) -> None:
    """Raises UserError where the command names no program."""
    try:
        words = shlex.split(command, posix=not _IS_WINDOWS)
    except ValueError:
        raise UserError(f"The command '{command}' has an unmatched quotation mark.") from None
    if not words:
        raise UserError("Give the command that starts the program, as command=...")
    program = words[0].strip('"') if _IS_WINDOWS else words[0]
    if shutil.which(program) is None:
        raise UserError(f"There is no program '{program}'; give its path, or install it.")


def _arguments(command: str) -> str | list[str]:
    # Windows programs split their command line themselves.
    return command if _IS_WINDOWS else shlex.split(command)
