"""N-tuple networks and the search over them."""

from collections.abc import Iterator
from functools import partial
from itertools import count, cycle

import numpy as np

from randori import games
from randori.app.bench.benchmark import Benchmark, Known, Work
from randori.core.game import ONGOING
from randori.core.positions import positions_of_random_games
from randori.kernels.records import allocate
from randori.methods.ntuple.kernels.selfplay import Lessons, Schooling, play_games
from randori.methods.ntuple.network import Network
from randori.search.alphabeta import AlphaBeta, Limits

_GAMES = 50


def benchmarks() -> Iterator[Benchmark]:
    yield Benchmark("ntuple/value", "positions/s", _judging, known=Known(10_500_000, "C++"))
    yield Benchmark("ntuple/search", "nodes/s", _searching)
    for depth, known in ((1, 10_000), (2, 3_000)):
        name = f"ntuple/selfplay-depth{depth}"
        yield Benchmark(name, "games/s", partial(_playing, depth), known=Known(known, "C++"))


def _network() -> Network:
    """On Othello 8x8, with weights by chance: how fast it is does not depend on what it knows."""
    blank = Network.blank(games.game("othello8"), 8)
    weights = (
        np.random.default_rng(0).normal(0.0, 0.3, (blank.n_stages, blank.tuples.n_patterns + 1)).astype(np.float32)
    )
    weights[:, -1] = 0
    return blank.with_weights(weights.ravel())


def _judging() -> Work:
    network = _network()
    states = positions_of_random_games(network.game, 100, np.random.default_rng(0))

    def work() -> float:
        network.values(states)
        return float(len(states))

    return work


def _searching() -> Work:
    """Six plies from positions of random games."""
    network = _network()
    states = positions_of_random_games(network.game, 20, np.random.default_rng(0))
    states = states[(network.game.outcome(states) == ONGOING) & (network.game.moves_left(states) > 16)]
    search, order = AlphaBeta(network.game, network.judge, network.scale), cycle(range(len(states)))

    def work() -> float:
        row = next(order)
        return float(search.search(states[row : row + 1], Limits(depth=6)).nodes)

    return work


def _playing(depth: int) -> Work:
    """With the last eight empty squares solved."""
    network, seeds = _network(), count()
    game = network.game
    lessons = allocate(Lessons, np.empty, n_positions=_GAMES * (game.max_plies + 1), n_words=game.words)
    schooling = Schooling(depth=depth, exact=8, random_plies=20, exploration=0.05, trace=0.9)

    def work() -> float:
        chosen = np.array([next(seeds) for _ in range(_GAMES)], np.uint64)
        play_games(game.rules, network.judge.table, network.search(16384), schooling, chosen, lessons)
        return float(_GAMES)

    return work
