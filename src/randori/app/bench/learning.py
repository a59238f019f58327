"""Whole rounds of every learner, as its usual settings make them, and single steps of those that fit networks."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from randori import games, methods
from randori.app.bench.benchmark import Benchmark, Work
from randori.core.positions import positions_of_random_games
from randori.experiments.pairings import play_pairings
from randori.workers import Workers

# A round is played on the first of these that the method does not refuse.
_GAMES = ("connect4", "gomoku9", "tictactoe")

_RECIPES = (("connect4", "connect4-20m"), ("othello8", "othello8-20m"))
"""Of AlphaZero."""


def benchmarks() -> Iterator[Benchmark]:
    """Games per second of whole rounds, the learning included; positions per second that a network learns from. Of some
    recipes of AlphaZero, positions per second that are learned, with the usual and with long numbers, and that are played.
    """
    for name, method in methods.all_methods().items():
        if method.needs and find_spec(method.needs) is None:
            continue
        game = next((it for it in _GAMES if method.why_not(games.game(it)) is None), None)
        if game is not None:
            yield Benchmark(f"learning/{name}-{game}", "games/s", partial(_rounds, name, game), turns=2)
    yield Benchmark("learning/ntuple-step", "positions/s", _steps_of_ntuple)
    if find_spec("torch") is not None:
        yield Benchmark("learning/alphazero-step", "positions/s", partial(_steps_of_alphazero, "othello8"), turns=3)
        for game, recipe in _RECIPES:
            steps = partial(_steps_of_alphazero, game, recipe)
            yield Benchmark(f"learn/{recipe}-step", "positions/s", steps, turns=3)
            yield Benchmark(f"learn/{recipe}-step-float32", "positions/s", partial(steps, precision="float32"), turns=3)
            yield Benchmark(f"learn/{recipe}-play", "positions/s", partial(_self_play, game, recipe), turns=2)


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


def _steps_of_alphazero(game_name: str, recipe: str = "default", **settings: Any) -> Work:
    from randori.methods.alphazero.config import PRESETS
    from randori.methods.alphazero.selfplay import without_outcomes
    from randori.methods.alphazero.training import Training
    from randori.networks import residual_for
    from randori.networks.modules import ResidualModule, make_auxiliary_heads, make_module

    game, rng = games.game(game_name), np.random.default_rng(0)
    config = replace(PRESETS[recipe].config, **settings)
    shape = residual_for(game, config.channels, config.blocks)
    module, heads = make_module(shape, rng), make_auxiliary_heads(shape, rng)
    assert isinstance(module, ResidualModule)
    training, states = Training(game, module, config, heads), positions_of_random_games(game, 20, rng)
    legal = game.legal(states)
    states, legal = states[legal.any(axis=1)], legal[legal.any(axis=1)]
    policies = (legal / legal.sum(axis=1, keepdims=True)).astype(np.float16)
    lessons = without_outcomes(game, states, policies, rng.uniform(-1, 1, len(states)).astype(np.float32))
    n_steps = 4

    def work() -> float:
        training.fit(lessons, n_steps, config.rate, rng)
        return n_steps * config.batch

    return work


def _self_play(game_name: str, recipe: str) -> Work:
    """By a network that has not learned yet."""
    from randori.methods.alphazero.config import PRESETS
    from randori.methods.alphazero.learner import GAMES_A_TASK, AlphaZeroLearner
    from randori.methods.alphazero.selfplay import play_self

    game, config = games.game(game_name), PRESETS[recipe].config
    network = AlphaZeroLearner(game, config, np.random.default_rng(0), Workers(1)).player().network
    return lambda: len(play_self(game, network, config, GAMES_A_TASK, opening=4, seed=0).states)
