"""The exact solver."""

from collections.abc import Iterator
from functools import partial
from itertools import cycle

import numpy as np

from randori import games
from randori.app.bench.benchmark import Benchmark, Work
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


def _solving(name: str, empty: int) -> Work:
    game = games.game(name)
    positions = random_endings(game, 50, empty, np.random.default_rng(0))
    order = cycle(range(len(positions)))

    def work() -> float:
        row = next(order)
        Solver(game).solve(positions[row : row + 1])
        return 1.0

    return work
