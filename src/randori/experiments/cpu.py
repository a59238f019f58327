"""Counts the CPU seconds that learning takes, so that learners are compared by what they cost, not by the clock."""

import os
import time
from collections.abc import Callable, Sequence
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
        self.watch: Callable[[int, int], None] = lambda ended, of: None
        """Called as each task ends, with how many of how many have."""

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of this process and of all tasks in others so far."""
        return time.process_time() + self._elsewhere

    def map(
        self,
        function: Callable[..., Result],
        tasks: Sequence[tuple[Any, ...]],
        on_result: Callable[[int, Result], None] | None = None,
    ) -> list[Result]:
        ended = 0

        def count(index: int, timed: _Timed) -> None:
            nonlocal ended
            ended += 1
            if timed.process != os.getpid():
                self._elsewhere += timed.seconds
            if on_result is not None:
                on_result(index, timed.result)
            self.watch(ended, len(tasks))

        return [timed.result for timed in super().map(_timed, [(function, *task) for task in tasks], count)]
