"""Ray: the same results and the same players as with local workers, from one cluster of two nodes for all tests."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from leagues import TINY as LEAGUE
from leagues import made
from leagues import without_times as league_without_times
from processes import members, needs_proc, wait_until
from reproducing import without_times
from test_handa import shrink
from test_train import TINY, every_learner, run_alone
from test_workers import (
    Script,
    check_draws,
    die,
    die_once,
    draw,
    environment,
    is_alive,
    return_unpicklably,
    sleep_and_invert,
)

from randori.experiments import CountingWorkers, train
from randori.experiments.league import make_league
from randori.experiments.papers import reproduce
from randori.workers import Workers

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("ray")]

HERE = Path(__file__).parent


@pytest.fixture(scope="module", autouse=True)
def _importable() -> Iterator[None]:
    """Lets the workers of Ray import these files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(HERE), prepend=os.pathsep)
        yield


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes of one core each, joined by this process, so that `ray="auto"` is this cluster."""
    utils = pytest.importorskip("ray.cluster_utils", reason="Ray is not installed")
    node = {"num_cpus": 1, "object_store_memory": 100_000_000}
    started = utils.Cluster(initialize_head=True, head_node_args=node | {"include_dashboard": False})
    try:
        started.add_node(**node)
        started.wait_for_nodes()
        with Workers(ray=started.address):
            yield started
    finally:
        started.shutdown()


@every_learner
@pytest.mark.usefixtures("cluster")
def test_a_cluster_changes_nothing(name: str, tmp_path: Path) -> None:
    recipe = replace(TINY[name], rounds=2, evaluate_games=2)
    with CountingWorkers(ray="auto") as staff:
        assert train(recipe, tmp_path / "ray", staff).complete
    assert (tmp_path / "ray" / "player.safetensors").read_bytes() == run_alone(recipe, tmp_path / "here", workers=2)


@pytest.mark.usefixtures("cluster")
def test_a_paper_on_a_cluster_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch)
    with CountingWorkers(ray="auto") as staff:
        there = reproduce("handa", "quick", 3, tmp_path / "ray", staff)
    with CountingWorkers(1) as staff:
        here = reproduce("handa", "quick", 3, tmp_path / "here", staff)
    assert without_times(there) == without_times(here)
    assert there.cpu_seconds is not None
    assert there.cpu_seconds > 0


@pytest.mark.usefixtures("cluster")
def test_a_league_on_a_cluster_is_the_same(tmp_path: Path) -> None:
    here = made(tmp_path / "here", LEAGUE)
    with CountingWorkers(ray="auto") as staff:
        there = make_league(LEAGUE, tmp_path / "ray", staff, like=tmp_path / "here")
    assert league_without_times(there) == league_without_times(here)


@pytest.mark.usefixtures("cluster")
def test_ray_gives_the_same_results_and_errors(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with Workers(ray="auto") as pool:
        check_draws(pool)
        check_draws(Workers(ray="auto"))  # shares the cluster
        assert pool.map(environment, [("NUMBA_NUM_THREADS",)]) == ["1"]
        tasks = [(number, tmp_path / "died") for number in range(5)]
        assert pool.map(die_once, tasks) == [0, 1, 2, 3, 4]
        with pytest.raises(ZeroDivisionError) as caught:
            pool.map(sleep_and_invert, [(0,)])
        assert type(caught.value) is ZeroDivisionError
        with pytest.raises(TypeError, match="pickle"):
            pool.map(return_unpicklably, [()])
        with pytest.raises(RuntimeError, match=r"^Task 0 ended its worker 3 times \(WorkerCrashedError\)"):
            pool.map(die, [(5,)])
        check_draws(pool)
    assert capfd.readouterr().out == ""


def logged_draw(seed: int, seconds: float, log: Path) -> list[int]:
    """Leaves a line with its seed and its node when it begins."""
    import ray

    with log.open("a") as lines:
        lines.write(f"{seed} {ray.get_runtime_context().get_node_id()}\n")
    return draw(seed, seconds)


def test_ray_loses_nothing_with_a_node(cluster: Any, tmp_path: Path) -> None:
    """The last test of the cluster, which has one node afterwards."""
    [node] = cluster.worker_nodes
    log = tmp_path / "log"
    log.touch()
    tasks = [(seed, 2.0, log) for seed in range(3)]  # long: a worker takes a moment to notice that its node is gone

    def lose_node() -> None:
        if wait_until(lambda: node.node_id in log.read_text(), 30):
            cluster.remove_node(node, allow_graceful=False)

    loss = threading.Thread(target=lose_node)
    loss.start()
    with Workers(ray="auto") as pool:
        results = pool.map(logged_draw, tasks)
    loss.join()
    assert results == [draw(seed, 0) for seed in range(3)]
    begun = [line.split() for line in log.read_text().splitlines()]
    [lost] = [seed for seed, node_id in begun if node_id == node.node_id]
    assert [seed for seed, _ in begun].count(lost) == 2


@needs_proc
def test_an_interrupt_ends_ray(tmp_path: Path) -> None:
    script = Script(tmp_path / "script.py", "ray='auto'")
    ids = script.ids(4)
    assert script.interrupt() < 20
    output, errors = script.process.communicate()
    assert output == "interrupted\n"
    assert errors == ""
    assert wait_until(lambda: not members(script.process.pid) and not any(map(is_alive, ids)))
