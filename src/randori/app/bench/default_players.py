"""Players with their default options: moves in positions of random games, one at a time."""

from collections.abc import Iterator
from functools import partial
from itertools import cycle

import numpy as np

from randori import games, players
from randori.app.bench.benchmark import Benchmark, Work
from randori.core.game import ONGOING
from randori.core.positions import positions_of_random_games
from randori.players.files import ZOO, read_card

_GAMES = ("connect4", "othello8", "gomoku15", "hex7")
_KINDS = ("heuristic", "lookahead", "uct")


def benchmarks() -> Iterator[Benchmark]:
    for name in _GAMES:
        for kind in _KINDS:
            yield Benchmark(f"player/{name}-{kind}", "moves/s", partial(_moves, name, kind), turns=10)
    for path in sorted(ZOO.glob("*.safetensors")):
        yield Benchmark(
            f"player/{path.stem}", "moves/s", partial(_moves, read_card(path).game, f"zoo/{path.stem}"), turns=5
        )


def _moves(name: str, spec: str) -> Work:
    game, rng = games.game(name), np.random.default_rng(0)
    states = positions_of_random_games(game, 20, rng)
    states = states[game.outcome(states) == ONGOING]
    player, order = players.player(spec, game), cycle(rng.permutation(len(states))[:200])

    def work() -> float:
        row = next(order)
        player.choose(states[row : row + 1], rng)
        return 1

    return work
