"""The exact solver."""

from collections.abc import Iterator
from functools import partial
from itertools import cycle

import numpy as np

from randori import games
from randori.app.bench.benchmark import Benchmark, Work
from randori.experiments.make_endings import FFO, state_of
from randori.search.effort import random_endings
from randori.search.solver import Solver


def benchmarks() -> Iterator[Benchmark]:
    """Value and all best moves of random positions, each from an empty table."""
    for row, name, empty in (
        ("othello12", "othello8", 12),
        ("othello14", "othello8", 14),
        ("connect4", "connect4", 28),
    ):
        yield Benchmark(f"solver/{row}", "positions/s", partial(_solving, name, empty))
    yield Benchmark("solver/othello-ffo40", "positions/s", _solving_a_known_one, turns=5)


def _solving_a_known_one() -> Work:
    """The ending of 20 empty squares that all programs are timed on."""
    game = games.game("othello8")
    state = state_of(game, FFO[40])

    def work() -> float:
        Solver(game).solve(state)
        return 1.0

    return work


def _solving(name: str, empty: int) -> Work:
    game = games.game(name)
    positions = random_endings(game, 50, empty, np.random.default_rng(0))
    order = cycle(range(len(positions)))

    def work() -> float:
        row = next(order)
        Solver(game).solve(positions[row : row + 1])
        return 1.0

    return work
