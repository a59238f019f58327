"""Training of self-organizing maps, ours and MiniSom's."""

from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from randori import games
from randori.app.bench.benchmark import Benchmark, Work
from randori.methods.som.kernels import maps
from randori.search.effort import random_endings

SIZE, SQUARES = 50, 64
RATE, ENDLESS = 0.01, 10**9


def benchmarks() -> Iterator[Benchmark]:
    """Inputs that a map of 50 x 50 neurons is trained with, one at a time."""
    peer = find_spec("minisom") is not None
    for radius in (3, 50):
        theirs = partial(_their_map, radius) if peer else None
        yield Benchmark(
            f"som/radius{radius}", "iterations/s", partial(_our_map, radius), "minisom" if peer else None, theirs
        )


def _boards() -> NDArray[np.int8]:
    """Middle-game boards of Othello."""
    game = games.game("othello8")
    return game.cells(random_endings(game, 1000, 30, np.random.default_rng(0))).reshape(-1, SQUARES)


def _our_map(radius: float) -> Work:
    boards, n = _boards(), 500
    weights = np.random.default_rng(0).uniform(-1, 1, (SIZE**2, SQUARES)).astype(np.float32)
    blocks, biases, stream = maps.lay_out(weights), maps.biases_of(weights, True), np.array([1], np.uint64)
    course = maps.Course(RATE, float(radius), float(radius), 0, n, ENDLESS)

    def work() -> float:
        maps.train(blocks, biases, True, (SIZE, SIZE), boards, course, stream)
        return n

    return work


def _their_map(radius: float) -> Work:
    from minisom import MiniSom

    boards, n, rng = _boards().astype(np.float64), 20, np.random.default_rng(0)
    other = MiniSom(
        SIZE, SIZE, SQUARES, sigma=radius, learning_rate=RATE, decay_function="linear_decay_to_zero",
        sigma_decay_function="linear_decay_to_one",
    )  # fmt: skip

    def work() -> float:
        for row in rng.integers(0, len(boards), n):
            other.update(boards[row], other.winner(boards[row]), 0, ENDLESS)
        return n

    return work
