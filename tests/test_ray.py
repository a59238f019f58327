"""Ray: the same results and the same players as with local workers, from one cluster of two nodes for all tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from commands import run
from leagues import TINY as LEAGUE
from leagues import made
from leagues import without_times as league_without_times
from processes import members, needs_proc, wait_until
from reproducing import without_times
from test_asynchronous import RECIPE
from test_handa import shrink
from test_train import TINY, every_learner, run_alone
from test_workers import (
    Heavy,
    Script,
    check_draws,
    die,
    die_once,
    draw,
    environment,
    is_alive,
    return_unpicklably,
    sleep_and_invert,
    use,
)

from randori.experiments import CountingWorkers, train
from randori.experiments.league import make_league
from randori.experiments.papers import reproduce
from randori.methods.alphazero.replay import Replay
from randori.workers import Shared, Workers

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
    nodes = utils.Cluster(initialize_head=True, head_node_args=node | {"include_dashboard": False})
    try:
        nodes.add_node(**node)
        nodes.wait_for_nodes()
        with Workers(ray=nodes.address):
            yield nodes
    finally:
        nodes.shutdown()


@every_learner
@pytest.mark.usefixtures("cluster")
def test_a_cluster_changes_nothing(name: str, tmp_path: Path) -> None:
    recipe = replace(TINY[name], rounds=2, evaluate_games=2)
    with CountingWorkers(ray="auto") as staff:
        assert train(recipe, tmp_path / "ray", staff).complete
    assert (tmp_path / "ray" / "player.safetensors").read_bytes() == run_alone(recipe, tmp_path / "here", workers=2)


@pytest.mark.usefixtures("cluster")
def test_asynchronous_learning_on_a_cluster(tmp_path: Path) -> None:
    with CountingWorkers(ray="auto") as staff:
        ending = train(replace(RECIPE, evaluate_games=2, evaluate_every=3), tmp_path / "run", staff)
    assert ending.complete
    assert ending.progress.games == Replay(tmp_path / "run" / "games", 12).n_games >= 48


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
        with pytest.raises(ZeroDivisionError) as error:
            pool.map(sleep_and_invert, [(0,)])
        assert type(error.value) is ZeroDivisionError
        with pytest.raises(TypeError, match="pickle"):
            pool.map(return_unpicklably, [()])
        with pytest.raises(RuntimeError, match=r"^Task 0 ended its worker 3 times \(WorkerCrashedError\)"):
            pool.map(die, [(5,)])
        check_draws(pool)
    assert capfd.readouterr().out == ""


@pytest.mark.usefixtures("cluster")
def test_ray_shares_values_and_streams() -> None:
    heavy = [Shared(Heavy(number)) for number in (100, 200)]
    with Workers(ray="auto") as pool:
        results = pool.map(use, [(heavy[number % 2], number) for number in range(12)])
        assert [it[0] for it in results] == [100 * (1 + number % 2) + number for number in range(12)]
        assert max(it[1] for it in results) <= 2, "each process unpacks each value once"
        stream = pool.stream(draw, ((seed, 0.0) for seed in count()))
        assert all(result == draw(index, 0) for index, result in islice(stream, 10))
        stream.close()
        check_draws(pool)


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize(
    "words",
    [
        "match zoo/connect4-som uct:simulations=20 --games 40",
        "tournament random greedy heuristic --game tictactoe --games 20",
        "accuracy uct:simulations=20 --game connect4 --positions 120",
        "card zoo/tictactoe-som --games 10 --seed 1",
        "companion --game tictactoe --only random --persons 2",
        "pupil --game tictactoe --teachers random --pupils 2",
    ],
)
def test_commands_give_the_same_on_a_cluster(
    words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = run(capsys, monkeypatch, *words.split(), "--workers", "1", "--json").out
    there = run(capsys, monkeypatch, *words.split(), "--ray", "auto", "--json").out
    assert json.loads(here) == json.loads(there)


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
    tasks = [(seed, 6.0, log) for seed in range(3)]  # long: a worker takes seconds to notice that its node is gone

    def lose_node() -> None:
        if wait_until(lambda: node.node_id in log.read_text(), 30):
            cluster.remove_node(node, allow_graceful=False)

    loss = threading.Thread(target=lose_node)
    loss.start()
    with Workers(ray="auto") as pool:
        results = pool.map(logged_draw, tasks)
    loss.join()
    assert results == [draw(seed, 0) for seed in range(3)]
    starts = [line.split() for line in log.read_text().splitlines()]
    [lost] = [seed for seed, node_id in starts if node_id == node.node_id]
    assert [seed for seed, _ in starts].count(lost) == 2


HEADLESS = """
import sys, threading, time
sys.path.insert(0, {here!r})
from ray.cluster_utils import Cluster
from randori import cluster, workers
from test_workers import draw

cluster.LOST_SECONDS, workers.cpus = 3.0, lambda: 2
node = dict(num_cpus=1, object_store_memory=100_000_000)
nodes = Cluster(initialize_head=True, head_node_args=node | dict(include_dashboard=False))
nodes.add_node(**node)
nodes.wait_for_nodes()
with workers.Workers(ray=nodes.address) as pool:
    lost = threading.Timer(2.0, lambda: nodes.head_node.kill_all_processes(check_alive=False))
    found = pool.map(draw, [(seed, 1.0) for seed in range(8)], lambda index, _: index == 0 and lost.start())
    again = pool.map(draw, [(seed, 0.0) for seed in range(8)])
print(found == again == [draw(seed, 0) for seed in range(8)], lost.finished.is_set(), flush=True)
"""


def test_a_lost_head_is_reported_and_the_work_continues_here(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed")
    script = tmp_path / "script.py"
    script.write_text(HEADLESS.format(here=str(HERE)))
    result = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert result.stdout.splitlines()[-1:] == ["True True"], result
    assert "no longer answers; the work continues in 2 processes here." in result.stderr
    assert "Traceback" not in result.stderr


@needs_proc
def test_an_interrupt_ends_ray(tmp_path: Path) -> None:
    script = Script(tmp_path / "script.py", "ray='auto'")
    ids = script.ids(4)
    assert script.interrupt() < 20
    output, errors = script.process.communicate()
    assert output == "interrupted\n"
    assert errors == ""
    assert wait_until(lambda: not members(script.process.pid) and not any(map(is_alive, ids)))
