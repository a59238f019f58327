"""Tree search with playouts, ours and OpenSpiel's."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from randori import games
from randori.app.bench import open_spiel
from randori.app.bench.benchmark import Benchmark, Work
from randori.search.uct import Uct

_SIMULATIONS = 1000


def benchmarks() -> Iterator[Benchmark]:
    """One search of 1000 simulations from the first position: by the book with random playouts, and as players do."""
    for name in ("connect4", "othello8", "gomoku15"):
        peer = open_spiel.has_game(name)
        yield Benchmark(
            f"uct/{name}",
            "simulations/s",
            partial(_our_search, name, c=2.0, priors=False, rollout="random"),
            "open_spiel MCTSBot" if peer else None,
            partial(_their_search, name) if peer else None,
        )
        yield Benchmark(f"uct/{name}-default", "simulations/s", partial(_our_search, name))


def _our_search(name: str, **options: Any) -> Work:
    game = games.game(name)
    player = Uct(game, simulations=_SIMULATIONS, **options)
    rng = np.random.default_rng(0)

    def work() -> float:
        player.choose(game.start(1), rng)
        return _SIMULATIONS

    return work


def _their_search(name: str) -> Work:
    import pyspiel

    game = open_spiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
    # Its results count -1 .. 1 as ours do. `solve` would prove results on top of the search.
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, _SIMULATIONS, 1000, False, 0, False)
    state = game.new_initial_state()

    def work() -> float:
        bot.step(state)
        return _SIMULATIONS

    return work
