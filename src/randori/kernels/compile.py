"""Compiles kernels once a machine and keeps them on disk, in a folder named by the sources they came from.

Numba's disk cache does not notice when another file that a kernel calls has changed; a folder named by a hash
of all the kernel sources cannot be stale.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial, update_wrapper
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba.core import event

_SOURCES = (Path(__file__).parent, Path(__file__).parent.parent / "games")


def _cache_folder() -> str:
    digest = hashlib.sha256()
    for folder in _SOURCES:
        for source in sorted(folder.glob("*.py")):
            digest.update(source.name.encode() + source.read_bytes())
    parent = os.environ.get("RANDORI_CACHE") or platformdirs.user_cache_dir("randori", appauthor=False)
    return str(Path(parent) / f"kernels-{digest.hexdigest()[:16]}")


def _writable(folder: str) -> bool:
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


CACHE_FOLDER = _cache_folder()
_CACHED = _writable(CACHE_FOLDER)


class _Announcement(event.Listener):
    """Says once a process that a compilation runs; loading from the cache stays silent."""

    made = False

    def on_start(self, event: event.Event) -> None:
        if not _Announcement.made:
            _Announcement.made = True
            kept = "they are kept for the next time" if _CACHED else f"{CACHE_FOLDER} cannot be written, so not kept"
            print(f"randori: compiling kernels, which can take a minute ({kept}) ...", file=sys.stderr, flush=True)

    def on_end(self, event: event.Event) -> None:
        pass


@contextmanager
def _compiling() -> Iterator[None]:
    """Numba reads its cache folder when a function is decorated: ours holds for our kernels only."""
    theirs, numba.config.CACHE_DIR = numba.config.CACHE_DIR, CACHE_FOLDER
    try:
        with event.install_listener("numba:run_pass", _Announcement()):
            yield
    finally:
        numba.config.CACHE_DIR = theirs


class Kernel:
    """A function for Python to call, compiled for one signature, without the GIL, when it is first called."""

    def __init__(self, signature: Any, function: Callable[..., Any]) -> None:
        self._signature, self._function = signature, function
        update_wrapper(self, function)

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        with _compiling():
            return numba.njit(self._signature, cache=_CACHED, nogil=True)(self._function)

    def __call__(self, *arguments: Any) -> Any:
        return self.compiled(*arguments)


def kernel(signature: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Decorator of a function called from Python; one that other kernels call is `inner`."""
    return partial(Kernel, signature)


def callback(signature: Any, function: Callable[..., Any]) -> Any:
    """A rule compiled as a C function; its `.address` goes into a game's table of rules."""
    with _compiling():
        return numba.cfunc(signature, cache=_CACHED)(function)


inner = numba.njit
"""Decorator of a function called only from kernels and rules: compiled into each of them."""
