"""Runs independent tasks in this process, in local processes or on Ray, with the same results.

A task is one call of a function. It must be deterministic in its arguments and have no effect but its result, because a
task whose worker dies is run again elsewhere.
"""

import math
import os
import subprocess
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from io import FileIO
from itertools import chain, islice
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol, Self, TypeVar
from weakref import WeakKeyDictionary

import cloudpickle

from randori import worker_life
from randori.cluster import Cluster, HeadLost
from randori.errors import UserError, warn
from randori.systems import start_apart
from randori.tasks import MAX_DEATHS, Function, Results, Shared, Task, answered, call_here, hopeless, packed
from randori.worker_life import receive, send

__all__ = ["Shared", "Workers", "cpus"]

Result = TypeVar("Result")

PATIENCE = 2.0  # seconds of work in this process before others are started, which takes about one

# Libraries read these when they are first imported. More compute threads than cores spin at each other's barriers.
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS")
WORKER_MARK = "RANDORI_WORKER"
ENVIRONMENT = dict.fromkeys((*_THREADS, WORKER_MARK), "1")


def cpus() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """Whoever runs the tasks, kept over many calls of `map` and `stream`; a context manager that ends them.

    `n` None: tasks run in this process for the first two seconds or so, the rest in one process a core, so that short
    work never waits for processes to start. `n` 1: all in this process. `n` 2 or more: all in that many processes.
    `ray` "auto": on the cluster that RAY_ADDRESS names, else on one started here and ended with the workers; any other
    `ray`: on the cluster at that address, whose nodes have the same version of this package. Where its head is lost, the
    work goes on in local processes. Tasks of about a second spread best.

    Several threads may have tasks: they divide the processes among themselves.
    """

    def __init__(self, n: int | None = None, *, ray: str | None = None) -> None:
        if n is not None and ray is not None:
            raise UserError("Give either a number of local workers or the address of a Ray cluster, not both.")
        if n is not None and n < 1:
            raise UserError(f"The number of workers must be 1 or more, not {n}.")
        self._others: _Others
        self._lock = threading.Lock()
        if ray is not None:
            self._others, self._seconds_here = Cluster(ray, ENVIRONMENT), 0.0
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
        with closing(self.stream(function, tasks)) as ended:
            for index, result in ended:
                results[index] = result
                if on_result is not None:
                    on_result(index, result)
        return [results[index] for index in range(len(tasks))]

    def stream(
        self, function: Callable[..., Result], tasks: Iterable[tuple[Any, ...]]
    ) -> Generator[tuple[int, Result], None, None]:
        """The place of each task and its result as it ends, in any order.

        A task is taken out of `tasks` when somebody is free for it, on Ray one task earlier: it can depend on what has
        ended by then. An exception of a task, or closing the generator, ends the tasks under way.
        """
        waiting = iter(enumerate(tasks))
        while self._seconds_here > 0:
            if (task := next(waiting, None)) is None:
                return
            began = time.perf_counter()
            result = call_here(function, task[1])
            self._seconds_here -= time.perf_counter() - began
            yield task[0], result
        try:
            yield from self._others.run(function, waiting)
        except HeadLost as lost:
            with self._lock:
                if isinstance(self._others, Cluster):  # no other thread has noticed it before
                    warn(
                        f"The Ray cluster at {lost.address} no longer answers; the work continues in {cpus()} processes here."
                    )
                    self._others = _Processes(cpus())
            yield from self._others.run(function, chain(lost.tasks, waiting))

    def close(self) -> None:
        """Ends the workers, for good."""
        self._others.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Others(Protocol):
    """Workers outside this process."""

    def run(self, function: Function, tasks: Iterator[Task]) -> Results:
        """Index and result of each task as it ends; closing the generator ends the tasks under way."""

    def close(self) -> None: ...


class _Processes:
    """At most `n` processes at work, each with at most one task, so that it is known during which task one died."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._idle: list[_Process] = []
        self._kept: WeakKeyDictionary[_Process, dict[str, Any]] = WeakKeyDictionary()  # shared values of each
        self._n_runs, self._lock = 0, threading.Lock()

    def run(self, function: Function, tasks: Iterator[Task]) -> Results:
        busy: dict[Any, tuple[_Process, Task]] = {}  # by connection
        deaths: Counter[int] = Counter()
        again: deque[Task] = deque()  # tasks whose process died
        self._count_runs(1)
        try:
            self._send(function, again, tasks, busy)
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
                            raise hopeless(index, f"exit code {exit_code}") from None
                        again.append(task)
                        self._send(function, again, tasks, busy)
                        continue
                    self._idle.append(process)
                    if ended.error is not None:
                        raise ended.error
                    self._send(function, again, tasks, busy)  # before the caller takes its time over the result
                    yield index, ended.result
        finally:
            self._count_runs(-1)
            for process, _ in busy.values():
                process.end()

    def _count_runs(self, change: int) -> None:
        with self._lock:
            self._n_runs += change

    def _send(
        self,
        function: Function,
        again: deque[Task],
        tasks: Iterator[Task],
        busy: dict[Any, tuple["_Process", Task]],
    ) -> None:
        """Sends a task to each process of this run's share. All start before any task is sent: a large one waits for
        its receiver.
        """
        free = max(0, -(-self._n // self._n_runs) - len(busy))
        taken = [again.popleft() for _ in range(min(free, len(again)))]
        taken += islice(tasks, free - len(taken))
        for process, task in [(self._rested(), task) for task in taken]:
            busy[process.connection] = process, task
            with suppress(OSError):  # a dead process is noticed when its answer is read
                kept = self._kept.setdefault(process, {})
                process.connection.send_bytes(packed(function, task[1], kept))

    def _rested(self) -> "_Process":
        """A process without a task, or a new one."""
        try:
            return self._idle.pop()
        except IndexError:
            return _Process()

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
            [sys.executable, "-P", worker_life.__file__, answered.__module__, *sys.path],
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
