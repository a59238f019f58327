"""Counts the CPU seconds that learning takes, so that learners are compared by what they cost, not by the clock."""

import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, NamedTuple, TypeVar

from randori.workers import Workers

Result = TypeVar("Result")


class _Timed(NamedTuple):
    result: Any
    seconds: float
    process: int


def _timed(function: Callable[..., Any], *arguments: Any) -> _Timed:
    began = time.process_time()
    result = function(*arguments)
    return _Timed(result, time.process_time() - began, os.getpid())


class CountingWorkers(Workers):
    """Workers that add up the CPU seconds of their tasks, wherever these run."""

    def __init__(self, n: int | None = None, *, ray: str | None = None) -> None:
        super().__init__(n, ray=ray)
        self._elsewhere = 0.0
        self._uncounted = threading.local()
        self.watch: Callable[[int, int], None] = lambda ended, of: None
        """Called as each task ends, with the number of tasks that have ended and the number of all."""

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of this process and of all tasks in others so far."""
        return time.process_time() + self._elsewhere

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """What this thread does inside does not count."""
        began, self._uncounted.now = time.thread_time(), True
        try:
            yield
        finally:
            self._uncounted.now = False
            self._elsewhere -= time.thread_time() - began

    def map(
        self,
        function: Callable[..., Result],
        tasks: Sequence[tuple[Any, ...]],
        on_result: Callable[[int, Result], None] | None = None,
    ) -> list[Result]:
        ended = 0

        def count(index: int, result: Result) -> None:
            nonlocal ended
            ended += 1
            if on_result is not None:
                on_result(index, result)
            self.watch(ended, len(tasks))

        return super().map(function, tasks, count)

    def stream(
        self, function: Callable[..., Result], tasks: Iterable[tuple[Any, ...]]
    ) -> Generator[tuple[int, Result], None, None]:
        with closing(super().stream(_timed, ((function, *task) for task in tasks))) as ended:
            for index, timed in ended:
                if timed.process != os.getpid() and not getattr(self._uncounted, "now", False):
                    self._elsewhere += timed.seconds
                yield index, timed.result
