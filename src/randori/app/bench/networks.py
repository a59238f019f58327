"""How fast networks of four blocks judge positions, and one of 64 x 4 plays Othello against itself."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randori import games
from randori.core.game import Game
from randori.core.positions import positions_of_random_games
from randori.networks import Network, Residual, residual_for
from randori.networks.architecture import array_shapes
from randori.networks.network import runtime_session
from randori.networks.planes import planes
from randori.workers import Workers

_SIMULATIONS = 25
_GAMES = 32


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


def judging_by_network(name: str, channels: int, n: int) -> Callable[[], float]:
    """`n` positions at a time."""
    game, network = _game_and_network(name, channels)
    return partial(_judge, network, _boards(game, n))


def judging_by_runtime(name: str, channels: int, n: int) -> Callable[[], float]:
    """The same network as an ONNX graph in the runtime that dense networks have."""
    game, network = _game_and_network(name, channels)
    session = runtime_session(network.architecture, network.tensors)
    return partial(_judge, lambda boards: session.run(None, {"obs": boards}), _boards(game, n))


def _boards(game: Game, n: int) -> NDArray[np.float32]:
    return planes(game, positions_of_random_games(game, 64, np.random.default_rng(0))[64 * 20 :][:n])


def _judge(network: Callable[[NDArray[np.float32]], Any], boards: NDArray[np.float32]) -> float:
    network(boards)
    return len(boards)


def playing_itself(n_workers: int) -> Callable[[], float]:
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


def share_of_network() -> Callable[[], float]:
    """Seconds of the network: by the second, its share of self-play."""
    game, network = _game_and_network()
    timed = _Timed(network)

    def work() -> float:
        before = timed.seconds
        _positions_of_self_play(game, timed, seed=0)
        return timed.seconds - before

    return work
