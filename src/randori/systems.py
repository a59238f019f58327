"""What Windows and POSIX systems do differently about processes and files."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

_APART: dict[str, Any]

if sys.platform == "win32":
    import msvcrt

    _APART = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    _LOCK_FILE = ".lock"
    _LOCKED_BYTE = 1 << 30
    """Beyond the end of the file: nobody else can read a byte that is locked."""
    _REPLACE_SECONDS = 2.0

    def interrupt_self() -> None:
        """As Ctrl-C would, from any thread."""
        signal.raise_signal(signal.SIGINT)

    def replace_file(part: Path, path: Path) -> None:
        """Puts a file in the place of another one, which readers may hold open for a moment."""
        limit = time.monotonic() + _REPLACE_SECONDS
        while True:
            try:
                part.replace(path)
                return
            except PermissionError:
                if time.monotonic() > limit:
                    raise
                time.sleep(0.01)

    def sync_folder(folder: Path) -> None:
        """Makes the names in a folder last; here the file system does."""

    def _open_for_lock(path: Path) -> int:
        return os.open(path / _LOCK_FILE if path.is_dir() else path, os.O_RDWR | os.O_CREAT, 0o600)

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError from error
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)

else:
    import fcntl

    _APART = {"process_group": 0}

    def interrupt_self() -> None:
        """As Ctrl-C would, from any thread."""
        os.kill(os.getpid(), signal.SIGINT)

    def replace_file(part: Path, path: Path) -> None:
        """Puts a file in the place of another one."""
        part.replace(path)

    def sync_folder(folder: Path) -> None:
        """Makes the names in a folder last: a file's own sync does not cover its name."""
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _open_for_lock(path: Path) -> int:
        return os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT, 0o600)

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def lock(path: Path) -> int:
    """Locks a folder, or a file that is made where there is none. Raises BlockingIOError where another one holds it.

    It is held until the descriptor is closed or the process has ended, in whatever way. The file can be read and written.
    """
    descriptor = _open_for_lock(path)
    try:
        _lock(descriptor)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def is_locked(path: Path) -> bool:
    try:
        os.close(lock(path))
    except BlockingIOError:
        return True
    return False


def start_apart(
    arguments: list[str],
    *,
    stdin: IO[bytes] | int | None = None,
    stdout: IO[bytes] | int | None = None,
    stderr: IO[bytes] | int | None = None,
    env: Mapping[str, str] | None = None,
) -> "subprocess.Popen[bytes]":
    """A child that Ctrl-C in the terminal does not reach: that is for its parent to act on. Its pipes have no buffers."""
    return subprocess.Popen(arguments, 0, stdin=stdin, stdout=stdout, stderr=stderr, env=env, **_APART)
