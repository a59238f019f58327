"""Asynchronous learning: whatever is killed, no received game is lost and learning keeps its ratio to games."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from processes import members, needs_proc, wait_until
from test_train import in_child

import randori
from randori.core.game import Game
from randori.errors import UserError
from randori.experiments import CountingWorkers, Recipe, train
from randori.experiments.metrics import read_metrics
from randori.methods.alphazero.config import AlphaZeroConfig
from randori.methods.alphazero.learner import AlphaZeroLearner
from randori.methods.alphazero.replay import Replay
from randori.methods.alphazero.selfplay import Lessons, without_outcomes
from randori.methods.alphazero.stream import MOST_BEHIND, Stream, Task
from randori.methods.alphazero.training import Training
from randori.networks import residual_for
from randori.networks.modules import ResidualModule, fastest_device
from randori.players.files import read_card

TICTACTOE = randori.game("tictactoe")
CONFIG = AlphaZeroConfig(
    channels=4, blocks=1, games=4, simulations=4, batch=16, window=3, uses=2.0, asynchronous=True
)  # fmt: skip
RECIPE = Recipe("tictactoe", "alphazero", CONFIG, rounds=12, evaluate_games=0)


def lessons_of(n: int, game: Game = TICTACTOE) -> Lessons:
    """Lessons of `n` positions, each with the value `n`."""
    policies = np.full((n, game.n_actions), 1 / game.n_actions, np.float16)
    return without_outcomes(game, game.start(n), policies, np.full(n, n, np.float32))


def sizes(replay: Replay) -> list[tuple[int, int, int]]:
    return [(it.first, it.n_games, len(it.lessons.states)) for it in replay.parts]


def test_a_replay_keeps_its_window_and_counts_all(tmp_path: Path) -> None:
    replay = Replay(tmp_path / "games", 10)
    for n in range(1, 7):
        replay.add(lessons_of(n), 4)
    assert replay.n_games == 24
    assert sizes(replay) == [(12, 4, 4), (16, 4, 5), (20, 4, 6)], "the oldest has games among the last ten"
    again = Replay(tmp_path / "games", 10)
    assert (again.n_games, sizes(again)) == (24, sizes(replay))
    for ours, theirs in zip(replay.parts, again.parts, strict=True):
        for column, other in zip(ours.lessons, theirs.lessons, strict=True):
            np.testing.assert_array_equal(column, other)
            assert column.dtype == other.dtype


def test_damaged_games_are_set_aside_and_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replay = Replay(tmp_path, 100)
    for n in (1, 2, 3):
        replay.add(lessons_of(n), 4)
    middle = sorted(tmp_path.glob("*.safetensors"))[1]
    data = bytearray(middle.read_bytes())
    data[-1] ^= 1
    middle.write_bytes(data)
    (tmp_path / f".{middle.name}.part").write_bytes(b"torn")
    again = Replay(tmp_path, 100)
    assert (again.n_games, sizes(again)) == (12, [(0, 4, 1), (8, 4, 3)])
    assert "damaged (its checksum is wrong) and set aside" in capsys.readouterr().err
    assert middle.with_suffix(".damaged").exists()


class Slow:
    """Learns as fast as it is allowed to."""

    def __init__(self) -> None:
        self.allowed, self.learned = threading.Semaphore(0), list[int]()

    def __call__(self, parts: list[Any], part: Any) -> dict[str, float]:
        self.allowed.acquire()
        self.learned.append(part.first)
        return {"loss": float(part.first)}


def of_one_game(number: int) -> Lessons:
    return lessons_of(1 + number % 3)


@pytest.fixture
def one_process() -> Iterator[CountingWorkers]:
    with CountingWorkers(1) as staff:
        yield staff


def test_learning_is_never_ahead_and_little_behind(tmp_path: Path, one_process: CountingWorkers) -> None:
    replay, learn = Replay(tmp_path, 100), Slow()
    stream = Stream(replay, one_process, of_one_game, lambda index: Task((index,), 1, len(learn.learned)), learn, 0)
    stream.receive(MOST_BEHIND)
    assert learn.learned == [], "games arrive although nothing learns"
    receiver = threading.Thread(target=stream.receive, args=(MOST_BEHIND + 3,))
    receiver.start()
    assert wait_until(lambda: replay.n_games == MOST_BEHIND + 1)
    time.sleep(0.2)
    assert replay.n_games == MOST_BEHIND + 1, "one more waits for the learner"
    for _ in range(20):
        learn.allowed.release()
    receiver.join()
    assert stream.n_games == MOST_BEHIND + 3
    metrics = stream.receive(MOST_BEHIND + 6)
    assert metrics["age"] >= 0
    stream.close()
    assert learn.learned == sorted(learn.learned), "in the order of arrival"


def test_an_error_of_learning_is_raised(tmp_path: Path, one_process: CountingWorkers) -> None:
    def fail(parts: list[Any], part: Any) -> dict[str, float]:
        raise RuntimeError("out of bounds")

    stream = Stream(Replay(tmp_path, 100), one_process, of_one_game, lambda index: Task((index,), 1, 0), fail, 0)
    with pytest.raises(RuntimeError, match="out of bounds"):
        stream.receive(50)
    stream.close()


def learner_of(staff: CountingWorkers, config: AlphaZeroConfig = CONFIG) -> AlphaZeroLearner:
    return AlphaZeroLearner(TICTACTOE, config, np.random.default_rng(0), staff)


def steps_of(learner: AlphaZeroLearner, folder: Path) -> int:
    """The steps that its settings give for the games that it has learned from."""
    parts = [it for it in Replay(folder, 10**6).parts if it.end <= learner.state()["learned"]]
    return sum(max(1, round(len(it.lessons.states) * CONFIG.uses / CONFIG.batch)) for it in parts)


def test_steps_keep_their_ratio_over_sessions(tmp_path: Path, one_process: CountingWorkers) -> None:
    """Games that arrived after the last checkpoint count in the next session, which learns from them."""
    config = replace(CONFIG, window=1000)
    learner = learner_of(one_process, config)
    with learner.streaming(tmp_path):
        for _ in range(5):
            assert learner.learn([])["games"] == 4
    saved = learner.state()
    assert saved["games"] == 20
    assert 0 < saved["learned"] <= 20
    assert saved["steps"] == steps_of(learner, tmp_path) > 0
    assert saved["window"] == [], "games are not stored twice"
    lost_learner = learner_of(one_process, config)
    lost_learner.restore(saved)
    with lost_learner.streaming(tmp_path):
        lost_learner.learn([])
    assert lost_learner.n_games == 24
    again = learner_of(one_process, config)
    again.restore(saved)
    with again.streaming(tmp_path):
        assert again.learn([])["games"] == 4, "those of the lost session"
        assert again.learn([])["games"] == 4
        assert wait_until(lambda: again.state()["learned"] == 28)
    assert again.state()["steps"] == steps_of(again, tmp_path)
    assert Replay(tmp_path, 10**6).n_games == 28


def test_no_game_is_played_twice(tmp_path: Path, one_process: CountingWorkers) -> None:
    config = replace(CONFIG, window=1000, simulations=2)
    for session in range(3):
        learner = learner_of(one_process, config)
        with learner.streaming(tmp_path):
            for _ in range(session + 1):  # games of the sessions before count first
                learner.learn([])
    parts = Replay(tmp_path, 10**6).parts
    assert len({it.lessons.states.tobytes() for it in parts}) == len(parts) == 4


def test_the_player_is_one_that_has_learned(tmp_path: Path, one_process: CountingWorkers) -> None:
    learner = learner_of(one_process)
    before = learner.player().network.tensors["stem.conv.weight"].copy()
    with learner.streaming(tmp_path):
        learner.learn([])
        assert wait_until(lambda: learner.state()["learned"] > 0)
        now = learner.player().network.tensors["stem.conv.weight"]
        assert (now != before).any()
        learner.learn([])


def test_a_graphics_card_is_used_only_where_runs_need_not_be_repeatable(monkeypatch: pytest.MonkeyPatch) -> None:
    devices: list[torch.device] = []
    monkeypatch.setattr(
        ResidualModule, "to", lambda module, device=None, **more: devices.append(device) or module, raising=False
    )
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    for config in (CONFIG, replace(CONFIG, asynchronous=False)):
        Training(TICTACTOE, ResidualModule(residual_for(TICTACTOE, 4, 1)), config)
    assert [it.type for it in devices] == ["cuda", "cpu"]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert fastest_device().type == "cpu"


def test_a_gate_is_refused() -> None:
    with pytest.raises(UserError, match="A gate decides between rounds"):
        replace(CONFIG, gate=0.55)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_continues_and_is_rated_at_the_same_time(workers: int, tmp_path: Path) -> None:
    recipe = replace(RECIPE, evaluate_games=2, evaluate_every=2)
    messages: list[str] = []
    with CountingWorkers(workers) as staff:
        assert train(replace(recipe, rounds=5), tmp_path / "run", staff, say=messages.append).complete
        ending = train(recipe, tmp_path / "run", staff)
    assert ending.complete
    assert any("asynchronous" in it for it in messages)
    assert ending.progress.round == 12
    assert ending.progress.games == Replay(tmp_path / "run" / "games", 12).n_games >= 48
    assert ending.progress.strength is not None
    rows = read_metrics(tmp_path / "run" / "metrics.jsonl")
    assert {"age", "behind", "loss/policy", "positions"} <= set().union(*(it["metrics"] for it in rows))
    assert read_card(tmp_path / "run" / "player.safetensors").training["games"] == ending.progress.games


def toil(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


@pytest.mark.parametrize("workers", [1, 2])
def test_uncounted_work_does_not_count_as_learning(workers: int) -> None:
    with CountingWorkers(workers) as staff:
        before = staff.cpu_seconds
        staff.map(toil, [(0.2,), (0.2,)])
        assert 0.4 <= staff.cpu_seconds - before < 1.0
        before = staff.cpu_seconds
        with staff.uncounted():
            staff.map(toil, [(0.2,), (0.2,)])
        assert staff.cpu_seconds - before < 0.1
        staff.map(toil, [(0.2,)])
        assert staff.cpu_seconds - before >= 0.2


def kept_in(folder: Path) -> set[str]:
    return {it.name for it in (folder / "games").glob("*.safetensors")}


def lead(recipe: Recipe, folder: Path, workers: int) -> None:
    """Trains at the head of a session of its own, with few checkpoints."""
    os.setsid()
    with CountingWorkers(workers) as staff:
        train(recipe, folder, staff, checkpoint_seconds=0.5)


def last_game(names: set[str]) -> int:
    return max((int(first) + int(n) for first, n, _ in (it.split("-") for it in names)), default=0)


def kill_at_random(folder: Path, kills: int, recipe: Recipe = RECIPE) -> int:
    """Kills a run again and again: all stored games are still there after the next session, unless a whole window of games
    has followed them. Returns the number of games."""
    rng, kept = np.random.default_rng(0), set[str]()
    window = recipe.config.window * recipe.config.games
    for kill in range(kills):
        child = in_child(lead, replace(recipe, rounds=100_000), folder, (2, 1, 3)[kill % 3])
        assert wait_until(lambda: last_game(kept_in(folder)) > last_game(kept), 60)  # noqa: B023
        time.sleep(rng.random())
        child.kill()
        child.join()
        assert wait_until(lambda: not members(child.pid), 5)  # noqa: B023
        now = kept_in(folder)
        newest = last_game(now)
        missing = [it for it in kept - now if last_game({it}) > newest - window]
        assert not missing
        kept = now
    return last_game(kept)


@needs_proc
@pytest.mark.thorough
def test_sigkill_loses_no_stored_game(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    games = kill_at_random(folder, 4)
    with CountingWorkers(2) as staff:
        rounds = 2 + games // CONFIG.games
        ending = train(replace(RECIPE, rounds=rounds), folder, staff)
    assert ending.complete
    assert ending.progress.games >= games
    assert ending.progress.games == Replay(folder / "games", 12).n_games


@needs_proc
@pytest.mark.thorough
def test_dead_workers_are_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGKILL of workers at random moments. Usually a task whose workers die is given up; here it is not to blame."""
    monkeypatch.setattr("randori.workers.MAX_DEATHS", 100)
    folder = tmp_path / "run"
    child = in_child(lead, replace(RECIPE, rounds=100_000), folder, 2)
    try:
        rng, killed, games = np.random.default_rng(0), 0, 0
        while killed < 6:
            assert wait_until(lambda: len(members(child.pid)) > 1, 120), "kernels may have to be compiled first"
            time.sleep(rng.random())
            workers = [it for it in members(child.pid) if it != child.pid]
            if workers:
                os.kill(int(rng.choice(workers)), signal.SIGKILL)
                killed += 1
            assert wait_until(lambda: last_game(kept_in(folder)) > games, 60), "it continues"  # noqa: B023
            games = last_game(kept_in(folder))
        assert child.is_alive()
    finally:
        child.kill()
        child.join()
