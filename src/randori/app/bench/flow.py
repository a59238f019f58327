"""How fast asynchronous learning flows: positions that actors play, and positions that are learned from, per second."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from randori import games
from randori.app.bench.benchmark import Measured, Work
from randori.experiments.cpu import CountingWorkers
from randori.workers import Shared

_GAME, _GAMES_A_TASK = "othello8", 32
_TASKS_A_TURN = 4
_TURNS = 2


@dataclass(frozen=True)
class Flow:
    """A row: `begin` sets something going, inside which its work is timed: on one core by CPU time, on several by the clock."""

    name: str
    cores: int
    begin: Callable[[CountingWorkers], AbstractContextManager[Work]]
    asked_for: bool = True
    unit: str = "positions/s"

    def measure(self, peers: bool) -> Measured:
        with CountingWorkers(self.cores) as staff, self.begin(staff) as work:
            work()  # starts processes, compiles, fills the pipes
            rates = []
            for _ in range(_TURNS):
                began, cpu_began = time.perf_counter(), staff.cpu_seconds
                units = work()
                seconds, cpu_seconds = time.perf_counter() - began, staff.cpu_seconds - cpu_began
                rates.append(units / (cpu_seconds if self.cores == 1 else seconds))
        return Measured(self.name, self.unit, max(rates), False)


def benchmarks() -> Iterator[Flow]:
    """Othello 8x8 with the usual settings: self-play alone in one process and in two, and learning with its ratio of steps to
    positions beside one or two that play.
    """
    if find_spec("torch") is None:
        return
    for cores in (1, 2):
        yield Flow(f"learn/{_GAME}-actors-{cores}", cores, _playing)
    for cores in (1, 2):
        yield Flow(f"learn/{_GAME}-learned-{cores}", cores, _learning)


@contextmanager
def _playing(staff: CountingWorkers) -> Iterator[Work]:
    """Tasks of self-play that follow each other, so that nobody waits for the longest game."""
    from randori.methods.alphazero.config import AlphaZeroConfig  # loads torch
    from randori.methods.alphazero.selfplay import play_self
    from randori.networks import Network, residual_for
    from randori.networks.modules import make_module, tensors_of

    game, config = games.game(_GAME), AlphaZeroConfig()
    shape = residual_for(game, config.channels, config.blocks)
    network = Shared(Network(shape, tensors_of(make_module(shape, np.random.default_rng(0)))))
    tasks = ((game, network, config, _GAMES_A_TASK, seed % 5, seed) for seed in count())
    with closing(staff.stream(play_self, tasks)) as stream:
        yield lambda: float(sum(len(next(stream)[1].states) for _ in range(_TASKS_A_TURN)))


@contextmanager
def _learning(staff: CountingWorkers) -> Iterator[Work]:
    """Positions whose steps of learning have been made."""
    from randori.methods.alphazero.config import AlphaZeroConfig
    from randori.methods.alphazero.learner import AlphaZeroLearner

    config = AlphaZeroConfig(asynchronous=True, games=_GAMES_A_TASK)
    learner = AlphaZeroLearner(games.game(_GAME), config, np.random.default_rng(0), staff)

    def work() -> float:
        learned, positions, n_games = learner.state()["learned"], 0.0, 0
        for _ in range(_TASKS_A_TURN):
            metrics = learner.learn([])
            positions, n_games = positions + metrics["positions"], n_games + int(metrics["games"])
        return (learner.state()["learned"] - learned) * positions / n_games

    with TemporaryDirectory() as folder, learner.streaming(Path(folder)):
        yield work
