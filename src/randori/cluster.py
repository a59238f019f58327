"""Tasks on a Ray cluster. No other file knows Ray."""

import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

from randori.errors import UserError
from randori.tasks import MAX_DEATHS, Function, Results, Shared, Task, attempt, hopeless, packed_apart, shared_in

CONNECT_SECONDS = 5.0
SIZE_SECONDS = 10.0  # from one question for the size of the cluster to the next: nodes come and go
LOST_SECONDS = 15.0  # without an answer of the head; Ray ends this process after sixty


class HeadLost(Exception):
    """The head of the cluster is gone, and these tasks have no result."""

    def __init__(self, address: str, tasks: list[Task]) -> None:
        super().__init__(address)
        self.address, self.tasks = address, tasks


class Cluster:
    """Ray, which runs a task again by itself when a worker or a node dies. `environment` is that of its workers."""

    def __init__(self, address: str, environment: dict[str, str]) -> None:
        try:
            import ray
        except ImportError:
            raise UserError("Ray is not installed: install `randori[ray]` or use local workers.") from None
        self._ray: Any = ray
        self._environment = environment
        self._put: WeakKeyDictionary[Shared[Any], Any] = WeakKeyDictionary()
        self._cores, self._counted_at = 1, -SIZE_SECONDS
        self._lost, self._joined = False, not ray.is_initialized()
        if self._joined:
            self._join(address)
        # A client of Ray knows the head by the address at which it called.
        self._head = address if address.startswith("ray://") else ray.get_runtime_context().gcs_address
        self._answered_at = time.monotonic()

    def _join(self, address: str) -> None:
        """Otherwise it is the caller's own cluster, whatever the address."""
        ray = self._ray
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        if address == "auto":
            address = os.environ.get("RAY_ADDRESS") or "local"
        if address != "local" and not _listens(address):
            raise UserError(
                f"No Ray cluster answers at '{address}': give the HOST:PORT of one, or 'auto' to start one here."
            )
        ray.init(address, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
        # Ray would report each death on stdout, which belongs to the caller's output.
        ray._private.worker._worker_logs_enabled = False
        if threading.current_thread() is threading.main_thread():
            # Ray's own answer is a crash with a trace of addresses, and its processes are left to themselves.
            signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))

    def run(self, function: Function, tasks: Iterator[Task]) -> Results:
        """Index and result of each task as it ends. Raises HeadLost; closing the generator ends the tasks under way."""
        ray = self._ray
        remote = ray.remote(num_cpus=1, max_retries=MAX_DEATHS - 1, runtime_env={"env_vars": self._environment})(
            attempt
        )
        busy: dict[Any, Task] = {}
        self._answered_at = time.monotonic()
        try:
            while True:
                # Two a core: the next is at hand when one ends, and the arguments of the rest take no memory yet.
                while not self._lost and len(busy) < 2 * self._size() and (task := next(tasks, None)) is not None:
                    # Packed as for local workers: arrays that Ray hands over itself cannot be written to.
                    message = packed_apart(function, task[1])
                    busy[remote.remote(message, *map(self._reference, shared_in(task[1])))] = task
                if not busy and not self._lost:
                    return
                ready = self._ready(busy)
                if not ready:
                    continue
                index = busy.pop(ready[0])[0]
                yield index, self._result(ready[0], index)
        finally:
            for reference in busy:
                ray.cancel(reference, force=True)

    def _result(self, reference: Any, index: int) -> Any:
        faults = self._ray.exceptions
        deadly = (faults.NodeDiedError, faults.ObjectLostError, faults.OutOfMemoryError, faults.WorkerCrashedError)
        try:
            ended = self._ray.get(reference)
        except deadly as error:
            raise hopeless(index, type(error).__name__) from None
        if ended.error is not None:
            raise ended.error
        return ended.result

    def _reference(self, shared: Shared[Any]) -> Any:
        """Where the nodes find a shared value, which is handed to Ray once."""
        if shared not in self._put:
            self._put[shared] = self._ray.put(shared.packed)
        return self._put[shared]

    def _size(self) -> int:
        """The cores of all nodes."""
        if time.monotonic() - self._counted_at >= SIZE_SECONDS and _listens(self._head):
            self._cores = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
            self._counted_at = self._answered_at = time.monotonic()
        return self._cores

    def _ready(self, busy: dict[Any, Task]) -> list[Any]:
        """A list of one task that has ended, or an empty one after some seconds. Raises HeadLost."""
        ready: list[Any] = []
        try:
            if not self._lost:
                ready, _ = self._ray.wait(list(busy), timeout=LOST_SECONDS / 3)
        except Exception:
            if not self._lost:  # by what another thread has found
                raise
        if not ready and not self._lost:
            self._check_head()
        if self._lost:
            left = sorted(busy.values(), key=lambda task: task[0])
            busy.clear()
            raise HeadLost(self._head, left)
        return ready

    def _check_head(self) -> None:
        """Ray would end this process a minute after it lost the head, unless it forgets the cluster."""
        if _listens(self._head):
            self._answered_at = time.monotonic()
        elif time.monotonic() - self._answered_at >= LOST_SECONDS:
            self._lost, self._joined = True, False
            self._ray.shutdown()

    def close(self) -> None:
        if self._joined:
            self._ray.shutdown()


def _listens(address: str) -> bool:
    """Ray itself waits for minutes where no cluster answers."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS).close()
    except (OSError, ValueError):
        return False
    return True
