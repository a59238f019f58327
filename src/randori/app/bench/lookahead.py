"""Alpha-beta over compiled evaluators."""

from collections.abc import Iterator
from functools import partial
from itertools import cycle

import numpy as np

from randori import games, players
from randori.app.bench.benchmark import Benchmark, Work
from randori.core.evaluation import judge_of
from randori.core.game import ONGOING, Game, States
from randori.core.positions import positions_of_random_games
from randori.search.alphabeta import AlphaBeta, Limits
from randori.search.evaluators import heuristic_evaluator

_DEPTH = 8


def benchmarks() -> Iterator[Benchmark]:
    """Moves in positions of random games, one at a time; and positions looked at in searches of eight plies."""
    for row, game, spec in (
        ("connect4-depth4", "connect4", "lookahead:depth=4"),
        ("othello8-depth4", "othello8", "lookahead:depth=4"),
        ("connect4-som-depth4", "connect4", "zoo/connect4-som:depth=4"),
        ("othello8-som-depth4", "othello8", "zoo/othello8-som:depth=4"),
    ):
        yield Benchmark(f"lookahead/{row}", "moves/s", partial(_moves, game, spec))
    for name in ("connect4", "othello8"):
        yield Benchmark(f"lookahead/{name}-nodes", "nodes/s", partial(_nodes, name))


def _positions(game: Game) -> States:
    rng = np.random.default_rng(0)
    states = positions_of_random_games(game, 20, rng)
    states = states[game.outcome(states) == ONGOING]
    return states[rng.permutation(len(states))[:200]]


def _moves(name: str, spec: str) -> Work:
    game, rng = games.game(name), np.random.default_rng(0)
    player, states = players.player(spec, game), cycle(_positions(game)[:, None])

    def work() -> float:
        player.choose(next(states), rng)
        return 1

    return work


def _nodes(name: str) -> Work:
    game = games.game(name)
    judge, states = judge_of(heuristic_evaluator(game)), cycle(_positions(game)[:, None])
    assert judge is not None
    search = AlphaBeta(game, judge)

    def work() -> float:
        return float(search.search(next(states), Limits(_DEPTH)).nodes)

    return work
