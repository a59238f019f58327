"""Evolved networks, and the games by which they are selected."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from randori import games
from randori.app.bench.benchmark import Benchmark, Work
from randori.core.positions import positions_of_random_games
from randori.methods.evolution.config import PAPER_REVERSI
from randori.methods.evolution.features import Features, feature_names
from randori.methods.evolution.learner import EvolutionLearner
from randori.methods.evolution.networks import NetworkTeam
from randori.workers import Workers


def benchmarks() -> Iterator[Benchmark]:
    """Features and networks of the paper's size on positions of random games; and a whole generation with its games."""
    for name in ("tictactoe", "connect4", "othello6", "othello8", "gomoku15"):
        yield Benchmark(f"evolution/{name}", "evaluations/s", partial(_judging, name))
    yield Benchmark("evolution/games-othello6", "games/s", _a_generation)


def _judging(name: str) -> Work:
    game, rng = games.game(name), np.random.default_rng(0)
    features = Features(game, feature_names(game, ("paper",)))
    shape = (PAPER_REVERSI.descendants + 1, PAPER_REVERSI.hidden, len(features.names) + 2)
    team = NetworkTeam(features, rng.normal(size=shape))
    states = positions_of_random_games(game, 20, rng)
    owners = np.arange(len(states)) % shape[0]

    def work() -> float:
        team.evaluate(states, owners)
        return len(states)

    return work


def _a_generation() -> Work:
    learner = EvolutionLearner(games.game("othello6"), PAPER_REVERSI, np.random.default_rng(0), Workers(1))
    return lambda: learner.learn([])["games"]
