"""Whole rounds of every learner, as its usual settings make them, and single steps of those that fit networks."""

from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec

import numpy as np

from randori import games, methods
from randori.app.bench.benchmark import Benchmark, Work
from randori.core.positions import positions_of_random_games
from randori.experiments.pairings import play_pairings
from randori.workers import Workers

# A round is played on the first of these that the method does not refuse.
_GAMES = ("connect4", "gomoku9", "tictactoe")


def benchmarks() -> Iterator[Benchmark]:
    """Games per second of whole rounds, the learning included; positions per second that a network learns from."""
    for name, method in methods.all_methods().items():
        if method.needs and find_spec(method.needs) is None:
            continue
        game = next((it for it in _GAMES if method.why_not(games.game(it)) is None), None)
        if game is not None:
            yield Benchmark(f"learning/{name}-{game}", "games/s", partial(_rounds, name, game), turns=2)
    yield Benchmark("learning/ntuple-step", "positions/s", _steps_of_ntuple)
    if find_spec("torch") is not None:
        yield Benchmark("learning/alphazero-step", "positions/s", _steps_of_alphazero, turns=3)


def _rounds(name: str, game_name: str) -> Work:
    game, workers, rng = games.game(game_name), Workers(1), np.random.default_rng(0)
    learner_class = methods.load(name)
    learner = learner_class(game, learner_class.presets["default"].config, rng, workers)

    def work() -> float:
        played = play_pairings(game, learner.pairings(), 0, 0, workers)
        return sum(map(len, played)) + learner.learn(played).get("games", 0)

    while work() == 0:  # as long as maps are trained
        pass
    return work


def _steps_of_ntuple() -> Work:
    """Othello 8x8."""
    from randori.methods.ntuple.kernels.learning import Learned
    from randori.methods.ntuple.network import Network

    network, rng = Network.blank(games.game("othello8"), 8), np.random.default_rng(0)
    states = positions_of_random_games(network.game, 100, rng)
    targets = rng.normal(0, 10, len(states)).astype(np.float32)
    twins = np.append(network.tuples.twins, network.tuples.n_patterns).astype(np.int32)
    weights, sums, sizes = np.zeros((3, network.weights.size), np.float32)
    learned = Learned(weights, sums, sizes, twins)

    def work() -> float:
        network.plan.learn(network.judge, learned, states, targets, 1.0)
        return len(states)

    return work


def _steps_of_alphazero() -> Work:
    """Othello 8x8, the usual network."""
    from randori.methods.alphazero.config import AlphaZeroConfig
    from randori.methods.alphazero.selfplay import without_outcomes
    from randori.methods.alphazero.training import Training
    from randori.networks import residual_for
    from randori.networks.modules import ResidualModule, make_module

    game, config, rng = games.game("othello8"), AlphaZeroConfig(), np.random.default_rng(0)
    module = make_module(residual_for(game, config.channels, config.blocks), rng)
    assert isinstance(module, ResidualModule)
    training, states = Training(game, module, config), positions_of_random_games(game, 20, rng)
    legal = game.legal(states)
    states, legal = states[legal.any(axis=1)], legal[legal.any(axis=1)]
    policies = (legal / legal.sum(axis=1, keepdims=True)).astype(np.float16)
    lessons = without_outcomes(game, states, policies, rng.uniform(-1, 1, len(states)).astype(np.float32))
    n_steps = 4

    def work() -> float:
        training.fit(lessons, n_steps, config.rate, rng)
        return n_steps * config.batch

    return work
