"""Compiles kernels once a machine and keeps them on disk, in folders named by the sources they came from.

Numba's disk cache does not notice when another file that a kernel calls has changed; a folder named by a hash of the
kernel's module and of every kernel module that it imports cannot be stale.
"""

import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property, partial, update_wrapper
from pathlib import Path
from threading import RLock
from typing import Any

import numba
import platformdirs
from numba.core import event

from randori.workers import WORKER_MARK

_KERNELS = Path(__file__).parent
_IMPORT = re.compile(r"^from ([\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)
_CACHE = Path(os.environ.get("RANDORI_CACHE") or platformdirs.user_cache_dir("randori", appauthor=False))


def _sources(path: Path, found: dict[Path, bytes]) -> dict[Path, bytes]:
    """The file and every file of compiled functions that it imports, directly or through others."""
    if path not in found:
        found[path] = path.read_bytes()
        for module, names in _IMPORT.findall(found[path].decode()):
            for name in (module, *(f"{module}.{it}" for it in re.findall(r"\w+", names))):
                source = _file_of(name)
                if source is not None and _is_compiled(source):
                    _sources(source, found)
    return found


def _file_of(module: str) -> Path | None:
    """What a kernel's file imports has been imported before the kernel is compiled."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return None if file is None else Path(file)


def _is_compiled(source: Path) -> bool:
    """Rooms of games and methods have compiled files of their own beside others."""
    return source.suffix == ".py" and (
        source.parent == _KERNELS or b"from randori.kernels.compile import" in source.read_bytes()
    )


@cache
def _folder(source: str) -> str | None:
    """Where the kernels of a source file are kept; None where nothing can be kept, as of a notebook's cells."""
    if not Path(source).is_file():
        return None
    digest = hashlib.sha256(b"".join(text for _, text in sorted(_sources(Path(source), {}).items())))
    folder = _CACHE / "kernels" / f"{Path(source).stem}-{digest.hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return str(folder) if os.access(folder, os.W_OK) else None


class _Announcement(event.Listener):
    """Says once a process that a compilation runs; loading from the cache stays silent."""

    made = False

    def __init__(self, kept: bool) -> None:
        self.kept = kept

    def on_start(self, event: event.Event) -> None:
        # A worker compiles only what its parent could not keep, and its parent has said so.
        if not _Announcement.made and WORKER_MARK not in os.environ:
            _Announcement.made = True
            kept = "they are kept for the next time" if self.kept else f"{_CACHE} cannot be written, so not kept"
            print(f"randori: compiling kernels, which can take a minute ({kept}) ...", file=sys.stderr, flush=True)

    def on_end(self, event: event.Event) -> None:
        pass


def compile_in_silence() -> None:
    """From now on nothing is said about compilations."""
    _Announcement.made = True


# The folder is a setting of the whole process: threads that compile at once would keep kernels in each other's.
_ONE_AT_A_TIME = RLock()


@contextmanager
def _compiling(function: Callable[..., Any]) -> Iterator[bool]:
    """Yields whether the result can be kept. Numba reads its cache folder when a function is decorated."""
    folder = _folder(function.__code__.co_filename)
    with _ONE_AT_A_TIME:
        theirs, numba.config.CACHE_DIR = numba.config.CACHE_DIR, folder or ""
        try:
            with event.install_listener("numba:run_pass", _Announcement(folder is not None)):
                yield folder is not None
        finally:
            numba.config.CACHE_DIR = theirs


class Kernel:
    """A function for Python to call, compiled for one signature, without the GIL, when it is first called."""

    def __init__(self, signature: Any, function: Callable[..., Any]) -> None:
        self._signature, self._function = signature, function
        update_wrapper(self, function)

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        with _compiling(self._function) as kept:
            return numba.njit(self._signature, cache=kept, nogil=True)(self._function)

    def __call__(self, *arguments: Any) -> Any:
        return self.compiled(*arguments)


def kernel(signature: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Decorator of a function called from Python; one that other kernels call is `inner`."""
    return partial(Kernel, signature)


def callback(signature: Any, function: Callable[..., Any]) -> Any:
    """A rule compiled as a C function; its `.address` goes into a game's table of rules."""
    with _compiling(function) as kept:
        return numba.cfunc(signature, cache=kept)(function)


inner = numba.njit
"""Decorator of a function called only from kernels and rules: compiled into each of them."""
