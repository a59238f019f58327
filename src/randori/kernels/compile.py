"""Compiles kernels once a machine; `kept` keeps them on disk."""

import itertools
import os
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial, update_wrapper
from threading import RLock, local
from typing import Any

import numba
from numba import types
from numba.core import event
from numba.core.bytecode import FunctionIdentity
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature

from randori.kernels.kept import CACHE, KeptKernel, name_of
from randori.workers import WORKER_MARK

# Numba names a compiled function by a number that counts from 1 in every process. Kept kernels come from many: where two
# functions had one name, such as the searches of two games, the first to be loaded would be called for both, and silently.
FunctionIdentity._unique_ids = itertools.count(secrets.randbits(48))


class NotCompiled(Exception):
    """Something is needed that was not compiled before."""


class _Manner(local):
    """How this thread comes by kernels."""

    only_loads = False


_MANNER = _Manner()


@contextmanager
def only_loading() -> Iterator[None]:
    """In this thread nothing is compiled inside; what was not compiled before raises NotCompiled."""
    _MANNER.only_loads = True
    try:
        yield
    finally:
        _MANNER.only_loads = False


class _Announcement(event.Listener):
    """Says once per process that a compilation runs; loading from the cache stays silent."""

    made = False
    under_way = False

    def __init__(self, kept: KeptKernel | None) -> None:
        self._kept = kept

    def on_start(self, event: event.Event) -> None:
        if _MANNER.only_loads:
            raise NotCompiled
        _Announcement.under_way = True
        if not _Announcement.made:
            _Announcement.made = True
            _say(f"compiling kernels, which can take a minute ({self._why()}) ...")

    def _why(self) -> str:
        if self._kept is None:
            return "they come from no file, so they are not kept"
        if self._kept.folder is None:
            return f"{CACHE} cannot be written, so not kept"
        if self._kept.files.found_damaged:
            return f"a file of them in {self._kept.folder} was damaged and is replaced"
        return "they are kept for the next time"

    def on_end(self, event: event.Event) -> None:
        pass


def is_compiling() -> bool:
    """Whether this process compiles at the moment, which others may wait for."""
    return _Announcement.under_way


def compile_in_silence() -> None:
    """From now on nothing is said about compilations."""
    _Announcement.made = True


class _Failure:
    """Says once per process that kernels cannot be kept."""

    said = False

    def __call__(self, error: OSError) -> None:
        if not _Failure.said:
            _Failure.said = True
            _say(f"compiled kernels cannot be kept in {CACHE} ({error.strerror}); the next start compiles them again.")


def _say(sentence: str) -> None:
    # A worker compiles only what its parent could not keep, and its parent has said so.
    if WORKER_MARK not in os.environ:
        print(f"randori: {sentence}", file=sys.stderr, flush=True)


# Listeners hear of every compilation of the process: threads that compile at once would speak for each other.
_ONE_AT_A_TIME = RLock()


@contextmanager
def _compiling(function: Callable[..., Any], *parts: Callable[..., Any]) -> Iterator[KeptKernel | None]:
    """Yields what keeps the result; None where its source is no file."""
    sources = tuple(it.__code__.co_filename for it in (function, *parts))
    with _ONE_AT_A_TIME:
        kept = None if name_of(*sources) is None else KeptKernel(function, sources, _Failure())
        with event.install_listener("numba:run_pass", _Announcement(kept)):
            try:
                yield kept
            finally:
                _Announcement.under_way = False


class Kernel:
    """A function for Python to call, compiled for one signature, without the GIL, when it is first called."""

    def __init__(self, signature: Any, function: Callable[..., Any]) -> None:
        self._signature, self._function = signature, function
        update_wrapper(self, function)

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        with _compiling(self._function) as kept:
            dispatcher = numba.njit(nogil=True)(self._function)
            dispatcher._cache = kept or dispatcher._cache
            dispatcher.compile(self._signature)
            dispatcher.disable_compile()
            return dispatcher

    def __call__(self, *arguments: Any) -> Any:
        return self.compiled(*arguments)


def kernel(signature: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Decorator of a function called from Python; one that other kernels call is `inner`."""
    return partial(Kernel, signature)


def callback(signature: Any, function: Callable[..., Any], *parts: Callable[..., Any]) -> Any:
    """A rule compiled as a C function; its `.address` goes into a game's table of rules.

    `parts` are functions of other files that it closes over, compiled.
    """
    with _compiling(function, *parts) as kept:
        compiled: Any = CFunc(function, normalize_signature(signature), locals={}, options={})
        compiled._cache = kept or compiled._cache
        compiled.compile()
        return compiled


# A wrapper for Python would make machine code of every inner function by itself, which nobody calls.
inner = partial(numba.njit, no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""Decorator of a function called only from kernels and rules: compiled into each of them. Python cannot call it."""

inlined = inner(forceinline=True)
"""The same where a call would cost too much: of a record of arrays each field is an argument."""


def inner_once(function: Callable[..., Any]) -> Any:
    """As `inner`, for a function that constants make no faster: numba would compile it again for each constant that it is
    called with, and with it all that it calls.
    """
    dispatcher: Any = inner(function)
    typed = dispatcher.get_call_template

    def typed_without_constants(arguments: Any, keywords: Any) -> Any:
        named = {name: types.unliteral(it) for name, it in dict(keywords).items()}
        return typed([types.unliteral(it) for it in arguments], named)

    dispatcher.get_call_template = typed_without_constants
    return dispatcher
