"""Tasks give the same results wherever they run, and survive the death of the process that ran them."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import members, needs_proc, wait_until

from randori import workers
from randori.errors import UserError
from randori.tasks import KEPT
from randori.workers import Shared, Workers

HERE = Path(__file__).parent


def draw(seed: int, seconds: float) -> list[int]:
    time.sleep(seconds)
    return np.random.default_rng(seed).integers(1000, size=3).tolist()


def process_id(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def environment(name: str) -> str | None:
    return os.environ.get(name)


def die_once(number: int, marker: Path) -> int:
    if number == 1 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die(status: int) -> None:
    os._exit(status)


def sleep_and_invert(seconds: float) -> float:
    time.sleep(seconds)
    return 1 / seconds


def nested_process_ids() -> list[int]:
    workers.PATIENCE = 0
    return [os.getpid(), *Workers().map(process_id, [(0,)] * 3)]


class Unlucky(Exception):
    """Cannot be rebuilt from its arguments, as unpickling does."""

    def __init__(self, what: str, where: str) -> None:
        super().__init__(f"{what} at {where}")


def fail_unpicklably() -> None:
    raise Unlucky("rain", "noon")


def return_unpicklably() -> Iterator[int]:
    return (number for number in range(3))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def two_processes() -> Iterator[Workers]:
    with Workers(2) as pool:
        yield pool


# The last tasks end first, so that results in order were put in order.
TASKS = [(seed, 0.2 - 0.03 * seed) for seed in range(6)]
DRAWS = [draw(seed, 0) for seed in range(6)]


def check_draws(pool: Workers) -> None:
    results: dict[int, list[int]] = {}
    assert pool.map(draw, TASKS, results.__setitem__) == DRAWS
    assert results == dict(enumerate(DRAWS))
    assert pool.map(draw, []) == []


@pytest.mark.parametrize("n", [None, 1, 2, 3])
def test_results_are_the_same_in_the_order_of_the_tasks(n: int | None) -> None:
    with Workers(n) as pool:
        check_draws(pool)
        check_draws(pool)


def test_one_worker_is_this_process() -> None:
    assert Workers(1).map(process_id, [(0,)] * 3) == [os.getpid()] * 3


def test_processes_are_others_and_stay_until_they_are_closed() -> None:
    with Workers(2) as pool:
        first = set(pool.map(process_id, [(0.1,)] * 6))
        assert len(first) == 2
        assert os.getpid() not in first
        assert set(pool.map(process_id, [(0.1,)] * 6)) == first
        assert all(map(is_alive, first))
    assert not any(map(is_alive, first))


def test_short_work_stays_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "cpus", lambda: 2)
    with Workers() as pool:
        assert set(pool.map(process_id, [(0.001,)] * 100)) == {os.getpid()}


def test_long_work_goes_elsewhere_when_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "cpus", lambda: 2)
    monkeypatch.setattr(workers, "PATIENCE", 0.25)
    with Workers() as pool:
        ids = pool.map(process_id, [(0.1,)] * 9)
        assert ids[0] == os.getpid()
        assert os.getpid() not in ids[3:]
        assert os.getpid() not in pool.map(process_id, [(0.1,)] * 2)


def test_a_task_that_asks_for_workers_gets_only_its_own_process(two_processes: Workers) -> None:
    [ids] = two_processes.map(nested_process_ids, [()])
    assert len(set(ids)) == 1


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "NUMBA_NUM_THREADS"])
def test_a_process_has_one_compute_thread(name: str, two_processes: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    before = dict(os.environ)
    assert two_processes.map(environment, [(name,)]) == ["1"]
    assert os.environ == before


def test_a_killed_worker_is_replaced_and_nothing_lost(two_processes: Workers, tmp_path: Path) -> None:
    results: dict[int, int] = {}
    tasks = [(number, tmp_path / "died") for number in range(5)]
    assert two_processes.map(die_once, tasks, results.__setitem__) == [0, 1, 2, 3, 4]
    assert results == {number: number for number in range(5)}
    assert (tmp_path / "died").exists()


def test_a_worker_killed_while_idle_is_replaced(two_processes: Workers) -> None:
    for pid in two_processes.map(process_id, [(0.1,)] * 2):
        os.kill(pid, signal.SIGKILL)
    check_draws(two_processes)


def test_a_task_that_kills_every_worker_is_given_up(two_processes: Workers) -> None:
    with pytest.raises(RuntimeError, match=r"^Task 0 ended its worker 3 times \(exit code 5\); run it with one local"):
        two_processes.map(die, [(5,)])
    check_draws(two_processes)


def test_an_exception_arrives_as_itself_and_ends_the_tasks_under_way(two_processes: Workers) -> None:
    began = time.monotonic()
    with pytest.raises(ZeroDivisionError, match="division by zero") as error:
        two_processes.map(sleep_and_invert, [(60,), (0,)])
    assert time.monotonic() - began < 30
    assert "in sleep_and_invert" in error.value.__notes__[0]
    check_draws(two_processes)


@pytest.mark.parametrize(
    ("function", "message"), [(fail_unpicklably, "Unlucky: rain at noon"), (return_unpicklably, "pickle")]
)
def test_what_cannot_be_pickled_is_reported(
    function: Callable[[], object], message: str, two_processes: Workers
) -> None:
    with pytest.raises(Exception, match=message):
        two_processes.map(function, [()])
    check_draws(two_processes)


def test_bad_use_is_refused() -> None:
    with pytest.raises(UserError, match="1 or more, not 0"):
        Workers(0)
    with pytest.raises(UserError, match="not both"):
        Workers(2, ray="auto")


def test_a_missing_ray_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UserError, match=r"install `randori\[ray\]`"):
        Workers(ray="auto")


def test_a_script_needs_no_guard_and_may_define_what_its_tasks_use(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        """
from randori.workers import Workers

class Pair:
    def __init__(self, number):
        self.numbers = number, -number

def pair(number):
    return Pair(number)

print([found.numbers for found in Workers(2).map(pair, [(1,), (2,), (3,)])])
"""
    )
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=True)
    assert (run.stdout, run.stderr) == ("[(1, -1), (2, -2), (3, -3)]\n", "")


def test_what_a_task_prints_is_not_the_output(capfd: pytest.CaptureFixture[str]) -> None:
    with Workers(2) as pool:
        pool.map(print, [("hello",)])
    assert capfd.readouterr() == ("", "hello\n")


SCRIPT = """
import sys
sys.path.insert(0, {here!r})
from randori.workers import Workers
from test_workers import process_id

print("begins", flush=True)
with Workers({workers}) as pool:
    try:
        pool.map(process_id, [(0.1,)] * 4 + [({seconds},)] * 4, lambda index, pid: print(pid, flush=True))
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


class Script:
    """A program with workers in a session of its own, as in a terminal."""

    def __init__(self, path: Path, arguments: str, seconds: float = 60) -> None:
        path.write_text(SCRIPT.format(here=str(HERE), workers=arguments, seconds=seconds))
        self.process = subprocess.Popen(
            [sys.executable, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        assert self.process.stdout is not None
        self._lines = self.process.stdout
        assert self._lines.readline() == "begins\n"

    def ids(self, n: int) -> list[int]:
        """The processes that did the first `n` tasks, as soon as these are done."""
        return [int(self._lines.readline()) for _ in range(n)]

    def interrupt(self) -> float:
        """Ctrl-C to all processes of the terminal; the seconds until the program ended."""
        began = time.monotonic()
        os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(30)
        return time.monotonic() - began


class Heavy:
    """Counts in each process how often it was unpacked there."""

    unpacked = 0

    def __init__(self, number: int) -> None:
        self.number = number

    def __setstate__(self, state: dict[str, Any]) -> None:
        Heavy.unpacked += 1
        self.__dict__.update(state)


def use(heavy: Heavy, addend: int, seconds: float = 0.0) -> tuple[int, int, int]:
    time.sleep(seconds)
    return heavy.number + addend, Heavy.unpacked, os.getpid()


def use_two(one: Heavy, other: Heavy) -> int:
    return 10 * one.number + other.number


def test_a_shared_value_travels_to_each_process_once(two_processes: Workers) -> None:
    first, second = Shared(Heavy(100)), Shared(Heavy(200))
    for heavy, so_often in ((first, 1), (second, 2), (first, 2)):
        results = two_processes.map(use, [(heavy, number, 0.05) for number in range(6)])
        assert [it[0] for it in results] == [heavy.value.number + number for number in range(6)]
        assert {it[1] for it in results} == {so_often}
        assert len({it[2] for it in results}) == 2


def test_a_shared_value_is_the_value_itself_in_this_process() -> None:
    assert [it[0] for it in Workers(1).map(use, [(Shared(Heavy(7)), 1), (Shared(Heavy(8)), 1)])] == [8, 9]


def test_shared_values_are_forgotten_and_sent_again(two_processes: Workers) -> None:
    """In whichever order they are used, and even by new processes."""
    values = [Shared(Heavy(number)) for number in range(3 * KEPT)]
    rng = np.random.default_rng(0)
    for _ in range(5):
        pairs = rng.integers(0, len(values), (20, 2)).tolist()
        found = two_processes.map(use_two, [(values[one], values[other]) for one, other in pairs])
        assert found == [10 * one + other for one, other in pairs]
        os.kill(two_processes.map(process_id, [(0.0,)])[0], signal.SIGKILL)
    with pytest.raises(ValueError, match=f"shares {KEPT} values at most"):
        two_processes.map(max, [tuple(values)])


def test_a_shared_value_that_cannot_be_unpacked_is_reported_and_does_no_harm(two_processes: Workers) -> None:
    for _ in range(2):
        with pytest.raises(Exception, match="not here"):
            two_processes.map(use, [(Shared(Stubborn()), 0)])
        assert two_processes.map(use, [(Shared(Heavy(1)), 1)])[0][0] == 2


class Stubborn:
    def __reduce__(self) -> tuple[Callable[[], object], tuple[()]]:
        return refuse, ()


def refuse() -> object:
    raise RuntimeError("not here")


@pytest.mark.parametrize("n", [1, 2])
def test_a_stream_takes_a_task_when_a_worker_is_free(n: int) -> None:
    """So that a task can be made from earlier results."""
    n_taken, n_done = 0, 0

    def endless() -> Iterator[tuple[int, float]]:
        nonlocal n_taken
        for seed in count():
            assert n_taken - n_done <= n
            n_taken += 1
            yield seed, 0.01

    with Workers(n) as pool:
        stream = pool.stream(draw, endless())
        for _ in range(20):
            index, result = next(stream)
            assert result == draw(index, 0)
            n_done += 1
        stream.close()
        check_draws(pool)


def test_a_stream_that_is_closed_ends_its_tasks(two_processes: Workers) -> None:
    stream = two_processes.stream(process_id, [(0.0,), (60.0,), (60.0,)])
    _, pid = next(stream)
    began = time.monotonic()
    stream.close()
    assert time.monotonic() - began < 5
    assert not is_alive(pid)
    check_draws(two_processes)


def test_threads_divide_the_processes(two_processes: Workers) -> None:
    """While one streams without end, another one's tasks are done too, and no more processes are at work than before."""
    stream = two_processes.stream(process_id, ((0.02,) for _ in count()))
    next(stream)
    found: list[list[int]] = []
    beside = threading.Thread(target=lambda: found.append(two_processes.map(process_id, [(0.02,)] * 10)))
    beside.start()
    theirs = set()
    while beside.is_alive():
        theirs.add(next(stream)[1])
    beside.join()
    assert len(found[0]) == 10
    assert len(set(found[0])) == 1
    assert len(theirs | set(found[0])) <= 3
    stream.close()


@needs_proc
@pytest.mark.parametrize("moment", ["starting", "working"])
def test_an_interrupt_ends_all_processes_at_once(moment: str, tmp_path: Path) -> None:
    script = Script(tmp_path / "script.py", "2")
    if moment == "starting":
        assert wait_until(lambda: len(members(script.process.pid)) == 3)  # itself and its workers
    else:
        script.ids(4)
    assert script.interrupt() < 5
    output, errors = script.process.communicate()
    assert output == "interrupted\n"
    assert errors == ""
    assert wait_until(lambda: not members(script.process.pid))


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_processes_end_in_the_middle_of_a_task_with_their_parent(number: signal.Signals, tmp_path: Path) -> None:
    script = Script(tmp_path / "script.py", "2")
    script.ids(4)
    assert len(members(script.process.pid)) == 3
    script.process.send_signal(number)
    _, errors = script.process.communicate()
    assert errors == ""
    assert wait_until(lambda: not members(script.process.pid))


def test_an_address_without_a_cluster_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    with pytest.raises(UserError, match="No Ray cluster answers at 'nowhere'"):
        Workers(ray="nowhere")
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(UserError, match=r"No Ray cluster answers at '127\.0\.0\.1:1'"):
        Workers(ray="auto")
