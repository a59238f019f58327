"""Interrupts, kills and clusters: a command ends when it should, leaves nothing behind, and loses nothing."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import Ended, members, needs_proc, signalled, start, wait_until
from test_asynchronous import RECIPE, kill_at_random
from test_train import TINY, in_child, newest, run_alone

from randori import methods
from randori.experiments import CountingWorkers, Progress, Recipe, train
from randori.methods.alphazero.replay import Replay

Promise = Callable[[str, str, int, str], None]
pytestmark = needs_proc

COMMANDS = (
    "games",
    "players",
    "match random heuristic --game othello6 --games 1000000 --workers 2",
    "match uct:simulations=50 greedy --game connect4 --games 1000000",
    "tournament random greedy heuristic --game tictactoe --games 1000000 --workers 3",
    "solve --game othello6",
    "train table --game tictactoe --workers 2 --rounds 1000000",
    "train deep-q --game tictactoe --rounds 1000000",
    "reproduce handa --workers 2",
    "card zoo/connect4-som --games 1000000",
    "engine gtp --player uct --game gomoku9",
    "play --no-browser",
)


def moments(n: int, seed: int) -> list[float]:
    """Seconds after the start, half of them in the first half second, while Python and the package are loaded."""
    rng = np.random.default_rng(seed)
    return [float(rng.uniform(0, 0.5) if place % 2 else rng.uniform(0.5, 4)) for place in range(n)]


@pytest.mark.hard(minutes=8)
def test_ctrl_c_at_any_moment(promise: Promise, tmp_path: Path) -> None:
    ended: list[Ended] = []
    for place, command in enumerate(COMMANDS):
        # Half of the commands have an empty cache, so that they compile for most of the time.
        cache = {"RANDORI_CACHE": str(tmp_path / f"cache{place}")} if place % 2 else {}
        folder = tmp_path / str(place)
        folder.mkdir()
        for seconds in moments(9, place):
            it = signalled(seconds, signal.SIGINT, *command.split(), folder=folder, **cache)
            assert it.was_interrupted_quietly or (seconds < 0.2 and it.before_our_first_line), (command, seconds, it)
            ended.append(it)
    interrupted = [it for it in ended if it.status is not None]
    early = [it for it in interrupted if "Traceback" in it.err]
    assert len(interrupted) > 80
    assert len(early) < len(interrupted) / 10
    promise(
        "Ctrl-C ends a command at any moment with no traceback, no process left and exit status 130, "
        "or 1 where it shows or saves what it has and says that it stopped.",
        f"{len(COMMANDS)} commands, interrupted 0 to 4 s after the start, half of them with an empty kernel cache",
        len(interrupted),
        f"all but {len(early)} in Python's own first hundredths of a second" if early else "all",
    )


@pytest.mark.hard(minutes=3)
def test_sigterm_ends_workers_too(promise: Promise, tmp_path: Path) -> None:
    commands = [it for it in COMMANDS if "--workers" in it]
    n = 0
    for command in commands:
        for seconds in (0.3, 1, 2, 3.5):
            it = signalled(seconds, signal.SIGTERM, *command.split(), folder=tmp_path)
            assert it.status in (-signal.SIGTERM, 1, 130), (command, seconds, it)
            assert "Traceback" not in it.err, it
            assert not it.left, (command, seconds, it)
            n += 1
    promise(
        "SIGTERM ends a command with all its workers.",
        f"{len(commands)} commands with workers, `reproduce` among them, 0.3 to 3.5 s after the start",
        n,
        "no process left 2 s later, no traceback",
    )


def lead(recipe: Recipe, folder: Path, workers: int) -> None:
    """A training with a checkpoint each round, at the head of a session of its own."""
    os.setsid()
    run_alone(recipe, folder, 0.0, workers)


KILLS = 20


@pytest.mark.hard(minutes=20)
def test_sigkill_loses_nothing_and_leaves_no_process(promise: Promise, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    kills, with_workers, slowest, places = 0, 0, 0.0, set[tuple[str, str]]()
    for name in methods.all_methods():
        recipe = replace(
            TINY[name], rounds=8 * (TINY[name].rounds or 0)
        )  # so that it is rarely over before it is killed
        expected = run_alone(recipe, tmp_path / f"{name} whole")
        hurt, killed, done = tmp_path / f"{name} hurt", 0, 0
        while killed < KILLS:
            workers = (2, 1, 3)[killed % 3]
            child = in_child(lead, recipe, hurt, workers)
            if killed % 2 and workers > 1:
                wait_until(lambda: len(members(child.pid)) > 1 or not child.is_alive(), 20)  # noqa: B023
            child.join(timeout=rng.random())
            if not child.is_alive():
                assert child.exitcode == 0
                assert (hurt / "player.safetensors").read_bytes() == expected
                done += 1
                hurt.rename(tmp_path / f"{name} done {done}")
                continue
            with_workers += len(members(child.pid)) > 1
            child.kill()
            began = time.monotonic()
            child.join()
            assert wait_until(lambda: not members(child.pid), 5), f"{name}: {members(child.pid)} live on"  # noqa: B023
            slowest = max(slowest, time.monotonic() - began)
            killed += 1
            places.add((name, newest(hurt)))
        assert run_alone(recipe, hurt) == expected, name
        kills += killed
    assert with_workers > kills / 4
    promise(
        "A training that is killed continues and ends with the same player, byte for byte; its workers end with it.",
        f"SIGKILL at random moments over {len(TINY)} learners, with 1, 2 and 3 workers in turn",
        kills,
        f"the same bytes for every learner, killed after {len(places)} different checkpoints; "
        f"{with_workers} runs had workers, all gone {slowest:.1f} s later at the latest",
    )


@pytest.mark.hard(minutes=15)
def test_asynchronous_learning_loses_no_game(promise: Promise, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    games = kill_at_random(folder, KILLS)
    with CountingWorkers(2) as staff:
        ending = train(replace(RECIPE, rounds=2 + games // RECIPE.config.games), folder, staff)
    assert ending.complete
    assert ending.progress.games == Replay(folder / "games", 1).n_games >= games
    promise(
        "Asynchronous learning goes on after a kill with every game that was on the disk, and counts them all.",
        "SIGKILL at random moments of a training with 1, 2 and 3 workers in turn",
        KILLS,
        f"no game of the window lost after any of them; all {games:,} games counted",
    )


NODE = {"num_cpus": 1, "object_store_memory": 100_000_000}


def rounds_of(folder: Path) -> int:
    """How many rounds a run has noted."""
    try:
        return max(
            (json.loads(line)["round"] for line in (folder / "metrics.jsonl").read_text().splitlines()), default=0
        )
    except (FileNotFoundError, json.JSONDecodeError):
        return 0


class Losing:
    """Kills a node of a cluster from a certain round on, while the training continues."""

    def __init__(self, cluster: Any, from_round: int) -> None:
        self._cluster, self._from_round, self._round = cluster, from_round, 0
        self._found_dead_in = 0
        self._thread = threading.Thread(target=self._lose)

    def show(self, progress: Progress, strength: object) -> None:
        self._round = progress.round
        if self._round == self._from_round:
            self._thread.start()

    def _lose(self) -> None:
        [node] = self._cluster.worker_nodes
        self._cluster.remove_node(node, allow_graceful=False)  # SIGKILL
        self._found_dead_in = self._round

    def rounds(self) -> tuple[int, int]:
        self._thread.join()
        return self._from_round, self._found_dead_in


@pytest.mark.hard(minutes=10)
def test_a_ray_cluster_that_loses_nodes(promise: Promise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    utils = pytest.importorskip("ray.cluster_utils", reason="Ray is not installed")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]), prepend=os.pathsep)
    cluster = utils.Cluster(initialize_head=True, head_node_args=NODE | {"include_dashboard": False})
    lost: list[tuple[int, int]] = []  # in which rounds a node was killed and was found dead

    try:
        cluster.add_node(**NODE)
        cluster.wait_for_nodes()
        with CountingWorkers(ray=cluster.address) as staff:
            for name in methods.all_methods():
                recipe = replace(TINY[name], evaluate_games=0)
                expected = run_alone(recipe, tmp_path / f"{name} here", workers=2)
                assert train(recipe, tmp_path / f"{name} whole", staff).complete
                assert (tmp_path / f"{name} whole" / "player.safetensors").read_bytes() == expected, name

                longer = replace(recipe, rounds=6 * (recipe.rounds or 0))
                losing = Losing(cluster, (longer.rounds or 0) // 3)
                assert train(longer, tmp_path / f"{name} hurt", staff, show=losing.show).complete
                began, ended = losing.rounds()
                assert ended < (longer.rounds or 0), "the node died before the training was over"
                lost.append((began, ended))
                expected = run_alone(longer, tmp_path / f"{name} longer")
                assert (tmp_path / f"{name} hurt" / "player.safetensors").read_bytes() == expected, name
                cluster.add_node(**NODE)
                cluster.wait_for_nodes()
    finally:
        cluster.shutdown()
    assert len(lost) == len(TINY)
    promise(
        "Training on a Ray cluster gives the player of local workers, byte for byte, even if a node dies.",
        f"{len(TINY)} learners on two nodes, each whole and with SIGKILL of a node in the middle",
        2 * len(TINY),
        "the same bytes; nodes died in rounds " + ", ".join(f"{began} to {ended}" for began, ended in lost),
    )


@pytest.mark.hard(minutes=5)
def test_a_ray_cluster_of_our_own_ends_with_us(promise: Promise, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed")
    seconds: dict[str, float] = {}
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        folder = tmp_path / number.name
        words = [
            "train",
            "table",
            "--game",
            "tictactoe",
            "--ray",
            "auto",
            "--rounds",
            "100000000",
            "--evaluate-games",
            "0",
        ]
        process = start(*words, "--out", folder)
        assert wait_until(lambda: rounds_of(folder) >= 3, 60)  # noqa: B023
        process.send_signal(number)
        began = time.monotonic()
        _, err = process.communicate(timeout=60)
        assert "Traceback" not in err
        assert wait_until(lambda: not members(process.pid), 120), members(process.pid)  # noqa: B023
        seconds[number.name] = time.monotonic() - began
    promise(
        "A Ray cluster that a command starts ends with it.",
        "SIGINT, SIGTERM and SIGKILL of a training with `--ray auto`",
        3,
        "nothing left after " + ", ".join(f"{it:.0f} s ({name})" for name, it in seconds.items()),
    )
