"""`randori bench`: speed on this machine, beside other programs where they are installed.

Ours and theirs run in turns within one run and the best turn of each counts: on a shared machine only that compares.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import cycle
from typing import Any

import numpy as np

from randori import games
from randori.app.bench.maps import our_map, their_map
from randori.app.bench.networks import judging_by_network, judging_by_runtime, playing_itself, share_of_network
from randori.app.flags import JsonFlag
from randori.app.terminal import print_json, print_table, progress
from randori.core.positions import positions_of_random_games
from randori.errors import UserError
from randori.kernels import playouts
from randori.methods.evolution.config import PAPER_REVERSI
from randori.methods.evolution.features import Features, feature_names
from randori.methods.evolution.learner import EvolutionLearner
from randori.methods.evolution.networks import NetworkTeam
from randori.search.effort import random_endings
from randori.search.solver import Solver
from randori.search.uct import Uct
from randori.workers import Workers

Work = Callable[[], float]
"""Does a piece of work and returns how many units it was."""

_SECONDS_A_TURN = 0.05


@dataclass(frozen=True)
class Benchmark:
    """One row: `prepare` and `prepare_peer` return the work to be timed; whatever they do themselves is not."""

    name: str
    unit: str
    prepare: Callable[[], Work]
    peer: str | None = None
    prepare_peer: Callable[[], Work] | None = None
    turns: int = 30
    """The best of so many counts."""


def bench(peers: bool = False, only: str = "", json: JsonFlag = False) -> None:
    """Speed on this machine, on one core where a row names no other, beside other programs where they are installed.

    Args:
        peers: Also measure other programs doing the same, in turns with ours.
        only: Measure only rows whose name begins with this, for instance `playouts/`.
    """
    chosen = [it for it in benchmarks() if it.name.startswith(only)]
    if not chosen:
        raise UserError(f"No row begins with '{only}'; the rows are {', '.join(it.name for it in benchmarks())}.")
    rows = []
    with progress(len(chosen), "rows") as advance:
        for it in chosen:
            rows.append(_measure(it, peers))
            advance(1)
    if json:
        print_json({"rows": rows})
        return
    cells = [
        [it["name"], it["unit"], _figure(it["ours"]), it["peer"] or "", _figure(it["theirs"]), _figure(it["ratio"])]
        for it in rows
    ]
    print_table(["", "unit", "ours", "peer", "theirs", "ratio"], cells)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _measure(it: Benchmark, peers: bool) -> dict[str, Any]:
    ours = it.prepare()
    theirs = it.prepare_peer() if peers and it.prepare_peer is not None else None
    ours()  # compiles and warms up
    best_ours = best_theirs = 0.0
    for _ in range(it.turns):
        best_ours = max(best_ours, _rate(ours))
        if theirs is not None:
            best_theirs = max(best_theirs, _rate(theirs))
    return {
        "name": it.name,
        "unit": it.unit,
        "ours": best_ours,
        "peer": it.peer if theirs is not None else None,
        "theirs": best_theirs if theirs is not None else None,
        "ratio": best_ours / best_theirs if theirs is not None else None,
    }


def _rate(work: Work) -> float:
    """Units a second over one turn."""
    units = 0.0
    began = time.perf_counter()
    while (elapsed := time.perf_counter() - began) < _SECONDS_A_TURN:
        units += work()
    return units / elapsed


def benchmarks() -> list[Benchmark]:
    return [*_playouts(), *_uct(), *_solver(), *_evolution(), *_network(), *_maps()]


_OPEN_SPIEL = {
    "tictactoe": "tic_tac_toe",
    "connect4": "connect_four",
    "othello8": "othello",
    "gomoku15": "gomoku(size=15)",
}


def _open_spiel(game_name: str) -> Any:
    import pyspiel

    return pyspiel.load_game(_OPEN_SPIEL[game_name])


def _playouts() -> Iterator[Benchmark]:
    has_peer = find_spec("pyspiel") is not None
    for name in games.names():
        peer = has_peer and name in _OPEN_SPIEL
        yield Benchmark(
            f"playouts/{name}",
            "games/s",
            partial(_our_playouts, name),
            "open_spiel" if peer else None,
            partial(_their_playouts, name) if peer else None,
        )


def _our_playouts(name: str) -> Work:
    game, n = games.game(name), 500
    rng = np.random.default_rng(0)
    outcomes, plies = np.empty(n, np.int8), np.empty(n, np.int16)

    def work() -> float:
        playouts.random_games(game.rules, game.start(n), rng.integers(0, 2**63, n, dtype=np.uint64), outcomes, plies)
        return n

    return work


def _their_playouts(name: str) -> Work:
    game = _open_spiel(name)
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


_SIMULATIONS = 1000


def _uct() -> Iterator[Benchmark]:
    """One search of 1000 simulations from the first position, one random playout a simulation."""
    has_peer = find_spec("pyspiel") is not None
    for name in ("connect4", "othello8", "gomoku15"):
        peer = has_peer and name in _OPEN_SPIEL
        yield Benchmark(
            f"uct/{name}",
            "simulations/s",
            partial(_our_search, name),
            "open_spiel MCTSBot" if peer else None,
            partial(_their_search, name) if peer else None,
        )


def _our_search(name: str) -> Work:
    game = games.game(name)
    player = Uct(game, simulations=_SIMULATIONS, c=2.0, priors=False, rollout="random")
    rng = np.random.default_rng(0)

    def work() -> float:
        player.choose(game.start(1), rng)
        return _SIMULATIONS

    return work


def _their_search(name: str) -> Work:
    import pyspiel

    game = _open_spiel(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
    # Its results count -1 .. 1 as ours do. `solve` would prove results on top of the search.
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, _SIMULATIONS, 1000, False, 0, False)
    state = game.new_initial_state()

    def work() -> float:
        bot.step(state)
        return _SIMULATIONS

    return work


def _solver() -> Iterator[Benchmark]:
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


def _evolution() -> Iterator[Benchmark]:
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


_NETWORKS = (
    ("connect4", 32, 64),
    ("othello6", 32, 64),
    ("othello8", 32, 64),
    ("gomoku9", 32, 64),
    ("gomoku15", 32, 64),
    ("othello8", 64, 64),
    ("othello8", 64, 1),
    ("othello8", 256, 64),
)


def _network() -> Iterator[Benchmark]:
    """Networks alone, 64 positions at a time or one; and games of self-play with one of 64 x 4 and 25 simulations a move:
    on one core, on two, and how many seconds of a second the network takes.
    """
    for game, channels, n in _NETWORKS:
        name = f"network/{game}-" + ("alone" if n == 1 else f"{channels}x4")
        ours, theirs = (partial(it, game, channels, n) for it in (judging_by_network, judging_by_runtime))
        yield Benchmark(name, "positions/s", ours, "onnxruntime", theirs)
    if find_spec("torch") is not None:
        yield Benchmark("selfplay/othello8-one-core", "positions/s", partial(playing_itself, 1), turns=3)
        yield Benchmark("selfplay/othello8-two-cores", "positions/s", partial(playing_itself, 2), turns=3)
        yield Benchmark("selfplay/othello8-network", "s/s", share_of_network, turns=3)


def _maps() -> Iterator[Benchmark]:
    """Inputs that a map of 50 x 50 neurons is trained with, one at a time."""
    peer = find_spec("minisom") is not None
    for radius in (3, 50):
        theirs = partial(their_map, radius) if peer else None
        yield Benchmark(
            f"som/radius{radius}", "iterations/s", partial(our_map, radius), "minisom" if peer else None, theirs
        )
