"""Table 9, which is ours: the search for each move that section 9 of Kamei and Kakizoe (2017) wishes for.

"It is said that the experts of Reversi search about 10 moves in general; hence, we intend to implement the same search."
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from randori import games, players
from randori.arena import Score, duel, play_duels
from randori.core.game import ONGOING, Game, States
from randori.core.positions import positions_of_random_games
from randori.experiments.cpu import CountingWorkers
from randori.experiments.kept import kept
from randori.experiments.report import Figure, Table

GAME = "othello8"
MAPS = "zoo/othello8-som"
EQUAL_DEPTH = 4
TIMED_SEED = 3
FIRST_TIMED, LAST_TIMED = 10, 50
"""Discs on the board in the positions whose search is timed: between the opening and the exact ending."""


@dataclass(frozen=True)
class Depths:
    """How far it looks ahead, and in how many games that is measured."""

    against_equal: dict[int, int]
    """By depth, games against the same maps four plies ahead."""
    against_random: dict[int, int]
    """By depth, games against random moves."""
    timed: int
    """Positions that the time for a move is the mean over."""


DEPTHS_FULL = Depths(
    {1: 400, 2: 400, 3: 400, 4: 400, 5: 400, 6: 200, 7: 100, 8: 60, 9: 40, 10: 24},
    {1: 1000, 2: 1000, 3: 1000, 4: 1000},
    12,
)
DEPTHS_QUICK = Depths({1: 200, 2: 200, 3: 200, 4: 200, 5: 100, 6: 60}, {1: 500, 2: 500}, 20)


def measure_depths(depths: Depths, seed: int, folder: Path, workers: CountingWorkers) -> Table:
    """Strength and time by depth; what was measured before is kept in the folder."""
    game = games.game(GAME)
    equal = f"{MAPS}:depth={EQUAL_DEPTH}"
    figures = []
    for depth, n_games in depths.against_random.items():
        score = _score(game, depth, "random", n_games, seed, folder, workers)
        figures.append(
            Figure(f"{_plies(depth)}, score against random moves", score.mean, score.interval, games=n_games)
        )
    for depth, n_games in depths.against_equal.items():
        score = _score(game, depth, equal, n_games, seed, folder, workers)
        what = f"{_plies(depth)}, score against {_plies(EQUAL_DEPTH)}"
        figures.append(Figure(what, score.mean, score.interval, games=n_games))
    figures += [_time(game, depth, depths.timed, folder) for depth in depths.against_equal]
    note = (
        f"`{MAPS}:depth=N`: alpha-beta over the maps' values, the last 4 moves searched to the end. Scores from both "
        f"seats, a draw half a point, from seeded random openings; intervals over the games. The time per move is the mean "
        f"over {depths.timed} positions with {FIRST_TIMED} to {LAST_TIMED} discs, on one core."
    )
    return Table("Table 9: ours, looking ahead over the maps' values", figures, note, digits=3)


def _plies(depth: int) -> str:
    return "1 ply" if depth == 1 else f"{depth} plies"


def _score(
    game: Game, depth: int, opponent: str, n_games: int, seed: int, folder: Path, workers: CountingWorkers
) -> Score:
    def play() -> list[int]:
        ours, theirs = (players.player(it, game) for it in (f"{MAPS}:depth={depth}", opponent))
        score = play_duels([duel(game, ours, theirs, n_games, seed=seed)], workers)[0].score
        return [score.wins, score.draws, score.losses, score.distinct_games]

    of: dict[str, Any] = {"maps": MAPS, "depth": depth, "opponent": opponent, "games": n_games, "seed": seed}
    name = "random" if opponent == "random" else "equal"
    return Score(*kept(folder / f"depth-{depth}-{name}.json", of, play))


def _time(game: Game, depth: int, n_positions: int, folder: Path) -> Figure:
    """Timed once, so that a repeated report has the same figures."""
    of = {"maps": MAPS, "depth": depth, "positions": n_positions}
    took = kept(folder / f"seconds-{depth}.json", of, lambda: seconds_a_move(game, depth, n_positions))
    return Figure(f"{_plies(depth)}, CPU milliseconds per move", 1000 * took)


def seconds_a_move(game: Game, depth: int, n_positions: int) -> float:
    """CPU seconds that a choice takes, over positions of random games."""
    player, rng = players.player(f"{MAPS}:depth={depth}", game), np.random.default_rng(TIMED_SEED)
    states = _middle_positions(game, n_positions, rng)
    player.choose(states[:1], rng)  # compiles
    began = time.process_time()
    for state in states:
        player.choose(state[None], rng)
    return (time.process_time() - began) / len(states)


def _middle_positions(game: Game, n: int, rng: np.random.Generator) -> States:
    states = positions_of_random_games(game, n, rng)
    discs = np.count_nonzero(game.cells(states).reshape(len(states), -1), axis=1)
    fitting = (discs >= FIRST_TIMED) & (discs <= LAST_TIMED) & (game.outcome(states) == ONGOING)
    return states[rng.choice(np.flatnonzero(fitting), n, replace=False)]
