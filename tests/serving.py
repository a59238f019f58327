"""A server of our own in another process, for tests that need a real one."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Server(NamedTuple):
    address: str
    process: subprocess.Popen[str]

    def kill(self) -> None:
        """As a power cut would: nothing can be written any more."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """`randori play` with its data and runs in a folder; ends when left."""
    command = [
        sys.executable,
        "-m",
        "randori",
        "play",
        "--no-browser",
        "--port",
        "8300",
        "--runs",
        str(folder / "runs"),
    ]
    environment = os.environ | {"RANDORI_DB": f"sqlite:///{folder / 'page.sqlite'}"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        told = process.stdout.readline()
        found = re.search(r"http://\S+?(?=/ )", told)
        assert found, told
        try:
            yield Server(found[0], process)
        finally:
            process.kill()
