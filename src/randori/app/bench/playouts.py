"""Random games of every game, ours and OpenSpiel's."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from randori import games
from randori.app.bench import open_spiel
from randori.app.bench.benchmark import Benchmark, Work


def benchmarks() -> Iterator[Benchmark]:
    for name in games.names():
        peer = open_spiel.has_game(name)
        yield Benchmark(
            f"playouts/{name}",
            "games/s",
            partial(_our_playouts, name),
            "open_spiel" if peer else None,
            partial(_their_playouts, name) if peer else None,
        )


def _our_playouts(name: str) -> Work:
    game, n = games.game(name), 2000  # so many that the call itself does not count
    rng = np.random.default_rng(0)

    def work() -> float:
        game.finish(game.start(n), rng)
        return n

    return work


def _their_playouts(name: str) -> Work:
    game = open_spiel.load_game(name)
    rng = np.random.default_rng(0)
    # The fastest way to draw from a list in a Python loop: one array of random numbers for many moves.
    numbers = rng.random(100_000).tolist()

    def work() -> float:
        used = 0
        for _ in range(10):
            state = game.new_initial_state()
            while not state.is_terminal():
                actions = state.legal_actions()
                state.apply_action(actions[int(numbers[used] * len(actions))])
                used += 1
        return 10

    return work
