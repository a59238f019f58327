"""How tasks are sent to a worker and back, with values that many of them share.

What travels is pickled, by value where a script or notebook defines it: workers never import, and so run, the script
that started them. What others have registered here goes ahead of each task.
"""

import traceback
from collections.abc import Callable, Generator
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import uuid4

import cloudpickle

from randori import registry

Value = TypeVar("Value")
Function = Callable[..., Any]
Task = tuple[int, tuple[Any, ...]]  # its place in the order, its arguments
Results = Generator[tuple[int, Any], None, None]

MAX_DEATHS = 3  # of workers on the same task
KEPT = 4  # shared values that a process keeps


class Shared(Generic[Value]):
    """An argument of many tasks, such as the weights of a network. It travels to each process once, and what a process
    makes of it stays there. A task is handed the value itself; nobody may change it.
    """

    def __init__(self, value: Value) -> None:
        self.value, self.key = value, uuid4().hex

    @cached_property
    def packed(self) -> bytes:
        return cloudpickle.dumps(self.value)


def shared_in(arguments: tuple[Any, ...]) -> list[Shared[Any]]:
    found = [it for it in arguments if isinstance(it, Shared)]
    if len(found) > KEPT:
        raise ValueError(f"a task shares {KEPT} values at most, not {len(found)}")
    return found


def call_here(function: Function, arguments: tuple[Any, ...]) -> Any:
    return function(*(it.value if isinstance(it, Shared) else it for it in arguments))


class Ended(NamedTuple):
    """How a task ended: with an error, or else with a result."""

    result: Any
    error: Exception | None


class _Key(NamedTuple):
    """Stands for a shared value in the arguments of a task."""

    key: str


class _Sent:
    """A shared value, still packed. It is unpacked when a task needs it: what it names must be registered by then."""

    def __init__(self, packed: bytes) -> None:
        self._packed = packed

    @cached_property
    def value(self) -> Any:
        return cloudpickle.loads(self._packed)


def keep(kept: dict[str, Any], key: str, value: Any) -> None:
    """Marks a shared value as the last used; where there are too many, the least recently used one goes."""
    kept.pop(key, None)
    kept[key] = value
    if len(kept) > KEPT:
        del kept[next(iter(kept))]


def packed(function: Function, arguments: tuple[Any, ...], kept: dict[str, Any]) -> bytes:
    """A call for a process that has kept these shared values; the others are sent with it.

    Both sides call `keep` for the same keys in the same order, so that `kept` stays true.
    """
    sent: list[tuple[str, bytes | None]] = []
    for it in shared_in(arguments):
        sent.append((it.key, None if it.key in kept else it.packed))
        keep(kept, it.key, None)
    return _message(function, arguments, sent)


def packed_apart(function: Function, arguments: tuple[Any, ...]) -> bytes:
    """A call whose shared values are handed to `attempt` beside it."""
    return _message(function, arguments, [(it.key, None) for it in shared_in(arguments)])


def _message(function: Function, arguments: tuple[Any, ...], sent: list[tuple[str, bytes | None]]) -> bytes:
    # The call is packed apart: names in it must be known before it is opened.
    named = tuple(_Key(it.key) if isinstance(it, Shared) else it for it in arguments)
    return cloudpickle.dumps((sent, registry.shipped(), cloudpickle.dumps((function, named))))


_KEPT: dict[str, _Sent] = {}  # in a process that serves tasks


def attempt(message: bytes | bytearray, *apart: bytes) -> Ended:
    """Does the task of a message; `apart` are its shared values if they were sent separately."""
    try:
        sent, registered, call = cloudpickle.loads(message)
        for place, (key, inside) in enumerate(sent):
            keep(_KEPT, key, _KEPT.get(key) or _Sent(apart[place] if apart else inside))
        registry.adopt(registered)
        function, arguments = cloudpickle.loads(call)
        return Ended(function(*(_KEPT[it.key].value if isinstance(it, _Key) else it for it in arguments)), None)
    except Exception as error:
        return _failed(error)


def answered(message: bytes | bytearray) -> bytes:
    """The reply of a local process to a task."""
    ended = attempt(message)
    try:
        return cloudpickle.dumps(ended)
    except Exception as error:  # the result cannot be pickled
        return cloudpickle.dumps(_failed(error))


def _failed(error: Exception) -> Ended:
    """The error with its trace as a note, or its text alone where its class does not survive pickling."""
    error.add_note("In a worker:\n" + "".join(traceback.format_exception(error)).rstrip())
    try:
        cloudpickle.loads(cloudpickle.dumps(error))
    except Exception:
        error = RuntimeError("".join(traceback.format_exception_only(error)).strip())
    return Ended(None, error)


def hopeless(index: int, death: str) -> RuntimeError:
    return RuntimeError(
        f"Task {index} ended its worker {MAX_DEATHS} times ({death}); run it with one local worker to see why."
    )
