"""Temporary databases, for tests of storage."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def postgresql_programs() -> Path | None:
    """The folder of PostgreSQL's programs, which Debian keeps off the path; None if it is not installed."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return next((it for it in reversed(folders) if (it / "initdb").exists()), None)


@contextmanager
def postgresql(programs: Path) -> Iterator[str]:
    """The address of a temporary PostgreSQL that only a socket reaches; all its data are deleted afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="randori-postgresql-"))
    owner = "postgres" if os.geteuid() == 0 else None  # it refuses to run as root
    if owner:
        shutil.chown(folder, owner)
    initialise = [programs / "initdb", "-D", folder / "data", "-U", "randori", "-A", "trust", "--no-sync", "-E", "UTF8"]
    settings = ["listen_addresses=", f"unix_socket_directories={folder}", "fsync=off"]
    serve = [programs / "postgres", "-D", folder / "data", *(word for it in settings for word in ("-c", it))]
    ready = [programs / "pg_isready", "-h", folder, "-U", "randori", "-d", "postgres"]
    try:
        subprocess.run(initialise, check=True, user=owner, cwd=folder, capture_output=True)
        with subprocess.Popen(serve, user=owner, cwd=folder, stderr=subprocess.DEVNULL) as process:
            try:
                while subprocess.run(ready, capture_output=True).returncode:
                    assert process.poll() is None, "PostgreSQL did not start."
                yield f"postgresql://randori@/postgres?host={folder}"
            finally:
                process.send_signal(signal.SIGINT)  # without waiting for open connections
    finally:
        shutil.rmtree(folder)
