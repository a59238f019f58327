"""Runs independent tasks in this process, in local processes or on Ray, with the same results.

A task is one call of a function. It must be deterministic in its arguments and have no effect but its result, because a
task whose worker dies is run again elsewhere. What travels is pickled, by value where a script or notebook defines it:
workers never import, and so run, the script that started them. What others have registered here goes ahead of each task.
"""

import logging
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from io import FileIO
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import cloudpickle

from randori import registry, worker_life
from randori.errors import UserError
from randori.systems import start_apart
from randori.worker_life import receive, send

__all__ = ["Workers", "cpus"]

Result = TypeVar("Result")
Function = Callable[..., Any]
Task = tuple[int, tuple[Any, ...]]  # its place in the order, its arguments
Results = Generator[tuple[int, Any], None, None]

PATIENCE = 2.0  # seconds of work in this process before others are started, which takes about one
MAX_DEATHS = 3  # of workers on the same task
CONNECT_SECONDS = 5.0

# Libraries read these when they are first imported. More compute threads than cores spin at each other's barriers.
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS")
WORKER_MARK = "RANDORI_WORKER"
ENVIRONMENT = dict.fromkeys((*_THREADS, WORKER_MARK), "1")


def cpus() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """Whoever runs the tasks, kept over many calls of `map`; a context manager that ends them.

    `n` None: tasks run in this process for the first two seconds or so, the rest in one process a core, so that short
    work never waits for processes to start. `n` 1: all in this process. `n` 2 or more: all in that many processes.
    `ray` "auto": on the cluster that RAY_ADDRESS names, else on one started here and ended with the workers; any other
    `ray`: on the cluster at that address, whose nodes have the same version of this package.
    Tasks of about a second spread best.
    """

    def __init__(self, n: int | None = None, *, ray: str | None = None) -> None:
        if n is not None and ray is not None:
            raise UserError("Give either a number of local workers or the address of a Ray cluster, not both.")
        if n is not None and n < 1:
            raise UserError(f"The number of workers must be 1 or more, not {n}.")
        self._others: _Others
        if ray is not None:
            self._others, self._seconds_here = _Cluster(ray), 0.0
        else:
            # A task that asks for workers of its own has only the core it runs on.
            processes = n or (1 if WORKER_MARK in os.environ else cpus())
            self._others = _Processes(processes)
            self._seconds_here = math.inf if processes == 1 else PATIENCE if n is None else 0.0

    def map(
        self,
        function: Callable[..., Result],
        tasks: Sequence[tuple[Any, ...]],
        on_result: Callable[[int, Result], None] | None = None,
    ) -> list[Result]:
        """`[function(*task) for task in tasks]`, whatever runs them.

        `on_result(index, result)` is called here as each task ends, in any order. The first exception of a task, or an
        interrupt, ends the tasks under way and is raised here.
        """
        results: dict[int, Result] = {}
        with closing(self._run(function, deque(enumerate(tasks)))) as ended:
            for index, result in ended:
                results[index] = result
                if on_result is not None:
                    on_result(index, result)
        return [results[index] for index in range(len(tasks))]

    def _run(self, function: Function, tasks: deque[Task]) -> Results:
        while tasks and self._seconds_here > 0:
            index, arguments = tasks.popleft()
            began = time.perf_counter()
            result = function(*arguments)
            self._seconds_here -= time.perf_counter() - began
            yield index, result
        yield from self._others.run(function, tasks)

    def close(self) -> None:
        """Ends the workers, for good."""
        self._others.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Others(Protocol):
    """Workers outside this process."""

    def run(self, function: Function, tasks: deque[Task]) -> Results:
        """Index and result of each task as it ends; closing the generator ends the tasks under way."""

    def close(self) -> None: ...


class _Ended(NamedTuple):
    """How a task ended: with an error, or else with a result."""

    result: Any
    error: Exception | None


def _packed(function: Function, arguments: tuple[Any, ...]) -> bytes:
    """A call as it travels. The names in it may be those of what was registered here, which is to be known before."""
    return cloudpickle.dumps((registry.shipped(), cloudpickle.dumps((function, arguments))))


def _attempt(message: bytes | bytearray) -> _Ended:
    try:
        registered, call = cloudpickle.loads(message)
        registry.adopt(registered)
        function, arguments = cloudpickle.loads(call)
        return _Ended(function(*arguments), None)
    except Exception as error:
        return _failed(error)


def _failed(error: Exception) -> _Ended:
    """The error with its trace as a note, or its text alone where its class does not survive pickling."""
    error.add_note("In a worker:\n" + "".join(traceback.format_exception(error)).rstrip())
    try:
        cloudpickle.loads(cloudpickle.dumps(error))
    except Exception:
        error = RuntimeError("".join(traceback.format_exception_only(error)).strip())
    return _Ended(None, error)


def _hopeless(index: int, death: str) -> RuntimeError:
    return RuntimeError(
        f"Task {index} ended its worker {MAX_DEATHS} times ({death}); run it with one local worker to see why."
    )


class _Processes:
    """At most `n` processes, each with at most one task, so that a death can be laid to a task."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._idle: list[_Process] = []

    def run(self, function: Function, tasks: deque[Task]) -> Results:
        busy: dict[Any, tuple[_Process, Task]] = {}  # by connection
        deaths: Counter[int] = Counter()
        try:
            self._send(function, tasks, busy)
            while busy:
                for connection in wait(list(busy)):
                    process, task = busy.pop(connection)
                    index = task[0]
                    try:
                        ended = process.connection.recv()
                    except (EOFError, OSError):
                        exit_code = process.end()
                        deaths[index] += 1
                        if deaths[index] == MAX_DEATHS:
                            raise _hopeless(index, f"exit code {exit_code}") from None
                        tasks.appendleft(task)
                        self._send(function, tasks, busy)
                        continue
                    self._idle.append(process)
                    if ended.error is not None:
                        raise ended.error
                    self._send(function, tasks, busy)  # before the caller takes its time over the result
                    yield index, ended.result
        finally:
            for process, _ in busy.values():
                process.end()

    def _send(self, function: Function, tasks: deque[Task], busy: dict[Any, tuple["_Process", Task]]) -> None:
        """A task to each process that has none. Missing ones all start first: a large task waits for its receiver."""
        missing = min(self._n - len(busy), len(tasks)) - len(self._idle)
        self._idle += [_Process() for _ in range(missing)]
        while tasks and self._idle:
            process, task = self._idle.pop(), tasks.popleft()
            busy[process.connection] = process, task
            with suppress(OSError):  # a dead process is noticed when its answer is read
                process.connection.send_bytes(_packed(function, task[1]))

    def close(self) -> None:
        while self._idle:
            self._idle.pop().end()


class _Connection:
    """The standard streams of a process, as `wait` can wait for them on every system.

    On Windows it cannot for such streams themselves. So a thread reads the answers, and rings for each of them.
    """

    def __init__(self, tasks: FileIO, answers: FileIO) -> None:
        self._tasks = tasks
        self._bell, button = Pipe(duplex=False)
        self._answers: deque[bytearray] = deque()
        threading.Thread(target=self._read, args=(answers, button), daemon=True).start()

    def _read(self, answers: FileIO, button: Connection) -> None:
        """To the end of the process, or of this side."""
        with button, answers, suppress(EOFError, OSError):
            while True:
                self._answers.append(receive(answers))
                button.send_bytes(b"!")

    def fileno(self) -> int:
        return self._bell.fileno()

    def send_bytes(self, task: bytes) -> None:
        send(self._tasks, task)

    def recv(self) -> Any:
        self._bell.recv_bytes()
        return cloudpickle.loads(self._answers.popleft())

    def close(self) -> None:
        self._tasks.close()
        self._bell.close()


class _Process:
    """A new interpreter that serves tasks; a fork would copy locks without the threads that hold them."""

    def __init__(self) -> None:
        self._process = start_apart(
            # Without the folder of the script in its path, where our modules would have other names.
            [sys.executable, "-P", worker_life.__file__, __name__, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | ENVIRONMENT,
        )
        tasks, answers = self._process.stdin, self._process.stdout
        assert isinstance(tasks, FileIO)
        assert isinstance(answers, FileIO)
        self.connection = _Connection(tasks, answers)

    def end(self) -> int:
        """Kills the process, if it lives, and gives its exit code."""
        self._process.kill()
        self.connection.close()
        return self._process.wait()


def answered(message: bytes | bytearray) -> bytes:
    """What `worker_life` answers to a task."""
    ended = _attempt(message)
    try:
        return cloudpickle.dumps(ended)
    except Exception as error:  # the result cannot be pickled
        return cloudpickle.dumps(_failed(error))


class _Cluster:
    """Ray, which runs a task again by itself when a worker or a node dies."""

    def __init__(self, address: str) -> None:
        try:
            import ray
        except ImportError:
            raise UserError("Ray is not installed: install `randori[ray]` or use local workers.") from None
        self._ray = ray
        self._joined = not ray.is_initialized()
        if not self._joined:
            return  # the caller's own cluster, whatever the address
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        if address == "auto":
            address = os.environ.get("RAY_ADDRESS") or "local"
        if address != "local":
            _check_listening(address)
        ray.init(address, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
        # Ray would report each death on stdout, which belongs to the caller's output.
        ray._private.worker._worker_logs_enabled = False
        if threading.current_thread() is threading.main_thread():
            # Ray's own answer is a crash with a trace of addresses, and its processes are left to themselves.
            signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))

    def run(self, function: Function, tasks: deque[Task]) -> Results:
        ray = self._ray
        attempt = ray.remote(num_cpus=1, max_retries=MAX_DEATHS - 1, runtime_env={"env_vars": ENVIRONMENT})(_attempt)
        deadly = (
            ray.exceptions.NodeDiedError,
            ray.exceptions.ObjectLostError,
            ray.exceptions.OutOfMemoryError,
            ray.exceptions.WorkerCrashedError,
        )
        busy: dict[Any, int] = {}
        try:
            while tasks or busy:
                # Two a core: the next is at hand when one ends, and the arguments of the rest take no memory yet.
                while tasks and len(busy) < 2 * max(1, ray.cluster_resources().get("CPU", 1)):
                    index, arguments = tasks.popleft()
                    # Packed as for local workers: arrays that Ray hands over itself cannot be written to.
                    busy[attempt.remote(_packed(function, arguments))] = index
                reference = ray.wait(list(busy))[0][0]
                index = busy.pop(reference)
                try:
                    ended = ray.get(reference)
                except deadly as error:
                    raise _hopeless(index, type(error).__name__) from None
                if ended.error is not None:
                    raise ended.error
                yield index, ended.result
        finally:
            for reference in busy:
                ray.cancel(reference, force=True)

    def close(self) -> None:
        if self._joined:
            self._ray.shutdown()


def _check_listening(address: str) -> None:
    """Ray itself waits for minutes where nobody listens."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS).close()
    except (OSError, ValueError):
        raise UserError(
            f"No Ray cluster answers at '{address}': give the HOST:PORT of one, or 'auto' to start one here."
        ) from None
