"""Players with `seconds=` keep to them, on a busy machine too."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from test_ntuple import drawn

import randori
from randori.core.game import States
from randori.kernels.searches import PHASES
from randori.methods.ntuple.player import Patterns
from randori.methods.ntuple.probes import N_PAIRS
from randori.players.files import save_player
from randori.search.effort import random_endings
from randori.workers import cpus

SECONDS = 0.2
PLAYERS = [
    ("othello8", "lookahead:seconds={}"),
    ("othello8", "lookahead:seconds={},exact=18"),
    ("gomoku15", "lookahead:seconds={}"),
    ("hex11", "lookahead:seconds={}"),
    ("connect4", "lookahead:evaluator=rollouts,seconds={}"),
    ("othello8", "uct:seconds={}"),
    ("gomoku19", "uct:seconds={}"),
    ("tictactoe", "uct:seconds={}"),
    ("othello8", "zoo/othello8-som:seconds={}"),
    ("othello8", "zoo/othello8-evolution:seconds={},exact=16"),
    ("othello8", "zoo/othello8-alphazero:seconds={}"),
    ("othello8", "zoo/othello8-alphazero:seconds={},search=puct"),
    ("connect4", "zoo/connect4-deep-q:seconds={}"),
]


@pytest.fixture(scope="module")
def busy_machine() -> Iterator[None]:
    """Other processes that want the processors all the time."""
    burning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(cpus() + 1)]
    yield
    for it in burning:
        it.kill()
        it.wait()


def positions(name: str) -> States:
    """One early, one in the middle, one towards the end."""
    game = randori.game(name)
    most = int(game.moves_left(game.start(1))[0])
    rng = np.random.default_rng(0)
    return np.concatenate([random_endings(game, 1, left, rng) for left in {most, most // 2, min(most // 2, 16)}])


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "spec"), PLAYERS)
def test_a_move_takes_no_longer_than_its_seconds(name: str, spec: str, busy_machine: None) -> None:
    keeps_to_its_seconds(name, spec)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "options"), [("othello8", ""), ("othello8", ",exact=18"), ("connect4", ""), ("gomoku15", ""), ("hex7", "")]
)
def test_a_move_of_a_player_of_tuples_takes_no_longer_than_its_seconds(
    name: str, options: str, tmp_path: Path, busy_machine: None
) -> None:
    path, game = tmp_path / "player.safetensors", randori.game(name)
    player = Patterns(drawn(game), np.full((PHASES, N_PAIRS), 0.5))
    save_player(path, player, game, learner="ntuple", config={}, training={}, rating=None)
    keeps_to_its_seconds(name, f"{path}:seconds={{}}{options}")


def keeps_to_its_seconds(name: str, spec: str) -> None:
    player = randori.player(spec.format(SECONDS), name)
    rng = np.random.default_rng(0)
    randori.player(spec.format(0.01), name).choose(positions(name)[:1], rng)  # compiles, or loads from disk
    for state in positions(name)[:, None]:
        began, worked = time.perf_counter(), time.process_time()
        action = player.choose(state, rng).actions[0]
        # CPU time: the player is not to blame for the time that other processes take.
        assert time.process_time() - worked < 1.1 * SECONDS + 0.01
        assert time.perf_counter() - began < 5 * SECONDS + 1.0
        assert randori.game(name).legal(state)[0, action]


@pytest.mark.parametrize(
    "spec", ["lookahead:seconds=0", "lookahead:nodes=0", "uct:seconds=-1", "zoo/connect4-som:seconds=nan"]
)
def test_no_time_is_refused(spec: str) -> None:
    with pytest.raises(randori.UserError, match=r"must be a positive number|must be a finite number|at least one node"):
        randori.player(spec, "connect4")


def test_time_is_used() -> None:
    """No player answers long before its time is over where there is something to think about."""
    game = randori.game("othello8")
    for spec in ("lookahead:seconds=0.1", "uct:seconds=0.1"):
        player = randori.player(spec, game.name)
        player.choose(game.start(1), np.random.default_rng(0))
        began = time.perf_counter()
        player.choose(game.start(1), np.random.default_rng(0))
        assert time.perf_counter() - began > 0.03


@pytest.mark.parametrize(("name", "spec"), [("hex11", "lookahead:depth=20"), ("othello8", "lookahead:depth=40")])
def test_a_search_can_be_interrupted(name: str, spec: str) -> None:
    player, game = randori.player(spec, name), randori.game(name)
    randori.player("lookahead:depth=2", name).choose(game.start(1), np.random.default_rng(0))
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    began = time.process_time()
    try:
        with pytest.raises(KeyboardInterrupt):
            player.choose(game.start(1), np.random.default_rng(0))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.process_time() - began < 2.0
