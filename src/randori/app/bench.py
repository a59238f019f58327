"""`randori bench`: speed on one core of this machine, beside other programs where they are installed.

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
from randori.app.flags import JsonFlag
from randori.app.terminal import print_json, print_table, progress
from randori.effort import random_positions
from randori.errors import UserError
from randori.kernels import playout, som
from randori.players.search import Uct
from randori.solve import Solver

Work = Callable[[], float]
"""Does a piece of work and returns how many units it was."""

_TURNS = 30
_SECONDS_A_TURN = 0.05


@dataclass(frozen=True)
class Benchmark:
    """One row: `prepare` and `prepare_peer` return the work to be timed; whatever they do themselves is not."""

    name: str
    unit: str
    prepare: Callable[[], Work]
    peer: str | None = None
    prepare_peer: Callable[[], Work] | None = None


def bench(peers: bool = False, only: str = "", json: JsonFlag = False) -> None:
    """Speed on one core of this machine, beside other programs where they are installed.

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
    for _ in range(_TURNS):
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
    return [*_playouts(), *_uct(), *_solver(), *_maps()]


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
        playout.random_games(game.rules, game.start(n), rng.integers(0, 2**63, n, dtype=np.uint64), outcomes, plies)
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
    positions = random_positions(game, 50, empty, np.random.default_rng(0))
    order = cycle(range(len(positions)))

    def work() -> float:
        row = next(order)
        Solver(game).solve(positions[row : row + 1])
        return 1.0

    return work


_MAP_SIZE, _SQUARES = 50, 64


def _maps() -> Iterator[Benchmark]:
    """Inputs that a map of 50 x 50 neurons is trained with, one at a time: the paper's rough and fine training."""
    peer = find_spec("minisom") is not None
    for radius in (3, 50):
        yield Benchmark(
            f"som/radius{radius}",
            "iterations/s",
            partial(_our_map, radius),
            "minisom" if peer else None,
            partial(_their_map, radius) if peer else None,
        )


def _boards() -> Any:
    """Middle-game boards of Othello."""
    game = games.game("othello8")
    positions = random_positions(game, 1000, 30, np.random.default_rng(0))
    return game.cells(positions).reshape(-1, _SQUARES)


def _first_weights() -> Any:
    return np.random.default_rng(0).uniform(-1, 1, (_MAP_SIZE**2, _SQUARES)).astype(np.float32)


def _our_map(radius: float) -> Work:
    boards, weights, n = _boards(), _first_weights(), 500
    blocks, biases, stream = som.lay_out(weights), som.biases_of(weights, True), np.array([1], np.uint64)

    def work() -> float:
        som.train(blocks, biases, True, boards, _MAP_SIZE, _MAP_SIZE, 0.01, radius, radius, 0, n, 10**9, stream)
        return n

    return work


def _their_map(radius: float) -> Work:
    from minisom import MiniSom

    boards, n = _boards().astype(np.float64), 20
    other = MiniSom(
        _MAP_SIZE, _MAP_SIZE, _SQUARES, sigma=radius, learning_rate=0.01, decay_function="linear_decay_to_zero",
        sigma_decay_function="linear_decay_to_one",
    )  # fmt: skip
    rng = np.random.default_rng(0)

    def work() -> float:
        for row in rng.integers(0, len(boards), n):
            other.update(boards[row], other.winner(boards[row]), 0, 10**9)
        return n

    return work
