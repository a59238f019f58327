"""What Windows and POSIX systems do differently about processes."""

import subprocess
import sys
from collections.abc import Mapping
from typing import IO, Any

_APART: dict[str, Any]
if sys.platform == "win32":
    _APART = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
else:
    _APART = {"process_group": 0}


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
