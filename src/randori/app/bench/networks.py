"""How fast networks of four blocks judge positions, and one of 64 x 4 plays Othello against itself."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randori import games
from randori.app.bench.benchmark import Benchmark, Work
from randori.core.game import Game
from randori.core.positions import positions_of_random_games
from randori.networks import Network, Residual, residual_for
from randori.networks.architecture import array_shapes
from randori.networks.network import runtime_session
from randori.networks.planes import planes
from randori.workers import Workers

_SIMULATIONS = 25
_GAMES = 32
_NETWORKS = (
    ("connect4", 32, 64),
    ("othello6", 32, 64),
    ("othello8", 32, 64),
    ("gomoku9", 32, 64),
    ("gomoku15", 32, 64),
    ("othello8", 64, 64),
    ("othello8", 64, 1),
    ("othello8", 256, 64),
)


def benchmarks() -> Iterator[Benchmark]:
    """Networks alone, 64 positions at a time or one; and games of self-play with one of 64 x 4 and 25 simulations per move:
    on one core, on two, and how many seconds of a second the network takes.
    """
    for game, channels, n in _NETWORKS:
        name = f"network/{game}-" + ("alone" if n == 1 else f"{channels}x4")
        ours, theirs = (partial(it, game, channels, n) for it in (_judging_by_network, _judging_by_runtime))
        yield Benchmark(name, "positions/s", ours, "onnxruntime", theirs)
    if find_spec("torch") is not None:
        yield Benchmark("selfplay/othello8-one-core", "positions/s", partial(_playing_itself, 1), turns=3)
        yield Benchmark("selfplay/othello8-two-cores", "positions/s", partial(_playing_itself, 2), turns=3, cores=2)
        yield Benchmark("selfplay/othello8-network", "s/s", _share_of_network, turns=3)


def _game_and_network(name: str = "othello8", channels: int = 64) -> tuple[Game, Network]:
    game = games.game(name)
    shape = residual_for(game, channels, 4)
    return game, Network(shape, _random_arrays(shape, np.random.default_rng(0)))


def _random_arrays(shape: Residual, rng: np.random.Generator) -> dict[str, NDArray[np.float64]]:
    """Such as a network in training has, made without the library that trains."""
    arrays = dict[str, NDArray[np.float64]]()
    for name, form in array_shapes(shape).items():
        if name.endswith(("norm.weight", "running_var")):
            arrays[name] = np.ones(form)
        elif name.endswith("weight"):
            arrays[name] = rng.normal(0, np.sqrt(2 / np.prod(form[1:])), form)
        else:
            arrays[name] = np.zeros(form)
    return arrays


def _judging_by_network(name: str, channels: int, n: int) -> Work:
    """`n` positions at a time."""
    game, network = _game_and_network(name, channels)
    return partial(_judge, network, _boards(game, n))


def _judging_by_runtime(name: str, channels: int, n: int) -> Work:
    """The same network as an ONNX graph in the runtime that dense networks have."""
    game, network = _game_and_network(name, channels)
    session = runtime_session(network.architecture, network.tensors)
    return partial(_judge, lambda boards: session.run(None, {"obs": boards}), _boards(game, n))


def _boards(game: Game, n: int) -> NDArray[np.float32]:
    return planes(game, positions_of_random_games(game, 64, np.random.default_rng(0))[64 * 20 :][:n])


def _judge(network: Callable[[NDArray[np.float32]], Any], boards: NDArray[np.float32]) -> float:
    network(boards)
    return len(boards)


def _playing_itself(n_workers: int) -> Work:
    """Games of self-play to their end, as many at once in each process as the learner plays."""
    game, network = _game_and_network()
    workers = Workers(n_workers)

    def work() -> float:
        seeds = range(n_workers)
        return float(sum(workers.map(_positions_of_self_play, [(game, network, seed) for seed in seeds])))

    return work


def _positions_of_self_play(game: Game, network: Any, seed: int) -> int:
    from randori.methods.alphazero.config import AlphaZeroConfig  # loads torch
    from randori.methods.alphazero.selfplay import play_self

    config = AlphaZeroConfig(simulations=_SIMULATIONS)
    return len(play_self(game, network, config, _GAMES, opening=0, seed=seed).states)


@dataclass
class _Timed:
    """A network that knows how long it was at work."""

    network: Network
    seconds: float = 0.0

    def __call__(self, inputs: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        began = time.perf_counter()
        outputs = self.network(inputs)
        self.seconds += time.perf_counter() - began
        return outputs


def _share_of_network() -> Work:
    """Seconds of the network: by the second, its share of self-play."""
    game, network = _game_and_network()
    timed = _Timed(network)

    def work() -> float:
        before = timed.seconds
        _positions_of_self_play(game, timed, seed=0)
        return timed.seconds - before

    return work
