"""Positions that maps retrieve: Tables 2 and 6 of Kamei and Kakizoe (2017).

The paper's positions come from games "between computer programs", and it does not say how these chose their moves. So
the share of random moves is an axis of Table 2.
"""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori import games
from randori.core.game import Game
from randori.experiments.cpu import CountingWorkers
from randori.experiments.kept import kept
from randori.experiments.report import Figure, Table
from randori.methods.som import map_training, thresholds
from randori.methods.som.atlas import Atlas, Span, Weights, n_moves, retrieved_rightly
from randori.methods.som.config import SomConfig
from randori.methods.som.learner import SomLearner

GAME = "othello8"
N_GAMES = 300
FIXED = (0.1, 0.5, 0.8)
RESAMPLES = 2000
GAMES_SEED, BOARDS_SEED = 1, 2
BOARDS_FOR_THRESHOLDS = 20_000
PROGRAM = "heuristic"

PUBLISHED = {
    "statistical, all squares": 0.76,
    "statistical, discs": 0.68,
    "GA, all squares": 0.45,
    "GA, discs": 0.86,
    "IP, discs": 0.86,
    "fixed 0.1, all squares": 0.74,
    "fixed 0.1, discs": 0.68,
    "fixed 0.5, all squares": 0.72,
    "fixed 0.5, discs": 0.58,
    "fixed 0.8, all squares": 0.66,
    "fixed 0.8, discs": 0.44,
}
PUBLISHED_WRONG = {"statistical, wrong squares per position": 15.33, "IP, wrong squares per position": 4.76}
PUBLISHED_BY_MOVES = {
    (1, 10): 0.99, (11, 20): 0.85, (21, 30): 0.76, (31, 40): 0.70, (41, 50): 0.65, (51, 60): 0.67,
}  # fmt: skip

Rates = dict[str, float]
"""The figures of Table 2, by their names above, for maps of one seed; and some that the paper does not have."""


class Axis(NamedTuple):
    """What Table 2 is measured with."""

    conventional: SomConfig
    by_product: SomConfig
    shares: tuple[float, ...]
    """Of random moves in the games of `heuristic`; 1 is random games."""
    seeds: range
    """Of maps. The first chooses the share that fits, the others report it."""


def played_with(config: SomConfig, share: float) -> SomConfig:
    """The same maps, trained with games of the program that makes this share of its moves at random."""
    return replace(config, source="random") if share == 1 else replace(config, source=PROGRAM, source_chance=share)


def in_words(share: float) -> str:
    return "random games" if share == 1 else f"games of `{PROGRAM}`, {100 * share:g}% random moves"


def measure_axis(axis: Axis, folder: Path, workers: CountingWorkers) -> dict[float, list[Rates]]:
    """By share, a measurement for each seed."""
    tasks = [(axis, share, seed, folder) for share in axis.shares for seed in axis.seeds]
    found = workers.map(rates_of_share, tasks)
    n_seeds = len(axis.seeds)
    return {share: found[n_seeds * i : n_seeds * (i + 1)] for i, share in enumerate(axis.shares)}


def rates_of_share(axis: Axis, share: float, seed: int, folder: Path) -> Rates:
    """Trains maps and measures what they retrieve; a task for a worker."""
    pair = played_with(axis.conventional, share), played_with(axis.by_product, share)

    def measure() -> Rates:
        with CountingWorkers(1) as staff:
            conventional, by_product = (_trained(config, seed, staff) for config in pair)
            return retrieval(conventional, by_product, seed)

    of = {"conventional": pair[0], "by_product": pair[1], "seed": seed, "games": N_GAMES}
    rates: Rates = kept(folder / f"retrieval-{share:g}-{seed}.json", of, measure)
    return rates


class Remembering(NamedTuple):
    """Trained maps, and what they were trained with."""

    atlas: Atlas
    config: SomConfig
    data: list[map_training.Data]

    @property
    def source(self) -> map_training.Source:
        return self.data[0].source


def _trained(config: SomConfig, seed: int, workers: CountingWorkers) -> Remembering:
    learner = SomLearner(games.game(GAME), config, np.random.default_rng(seed), workers)
    for _ in range(config.map_rounds):
        learner.learn([])
    return Remembering(learner.atlas, config, learner.data())


def retrieval(conventional: Remembering, by_product: Remembering, seed: int) -> Rates:
    """The rates for positions from the same source as those learned, but from games that the maps have not seen."""
    held = held_out(conventional.atlas.game, conventional.source, seed)
    n_stones = np.count_nonzero(held.boards, axis=1)
    found = {name: _measure(replace(conventional.atlas, thresholds=it), held, name)
             for name, it in _all_thresholds(conventional).items()}  # fmt: skip
    rates = {name: it for method in found.values() for name, it in method.items()}
    rates |= {name: it for name, it in _measure(by_product.atlas, held, "IP").items() if "all squares" not in name}
    rates["statistical, wrong squares per position"] = held.boards.shape[1] * (1 - rates["statistical, all squares"])
    rates["IP, wrong squares per position"] = float(n_stones.mean()) * (1 - rates["IP, discs"])
    for name, maps in (("statistical", conventional), ("IP", by_product)):
        boards = np.concatenate([it.boards() for it in maps.data])
        _, right = retrieved_rightly(maps.atlas, boards)
        rates[f"{name}, discs of the positions learned"] = float(right.sum() / np.count_nonzero(boards))
    return rates


def _measure(atlas: Atlas, held: map_training.GameBoards, name: str) -> Rates:
    right, right_stones = retrieved_rightly(atlas, held.boards)
    n_stones = np.count_nonzero(held.boards, axis=1)
    rates = {f"{name}, all squares": float(right.sum() / held.boards.size)}
    rates[f"{name}, discs"] = float(right_stones.sum() / n_stones.sum())
    if name in ("statistical", "IP"):
        for place, (first, last, _) in enumerate(atlas.spans):
            rows = (held.moves >= first) & (held.moves <= last)
            share = float(right_stones[rows].sum() / max(1, n_stones[rows].sum()))
            rates[f"{name}, discs, map {place + 1} (moves {max(1, first)} to {last})"] = share
    return rates


def held_out(game: Game, source: map_training.Source, seed: int) -> map_training.GameBoards:
    """The positions of 300 games, after every move; after a pass, the same again."""
    stage = map_training.Stage(game, Span(1, n_moves(game)), "first")
    rng = np.random.default_rng((GAMES_SEED, seed))
    by_ply = list(map_training.boards_of_games(stage, source, N_GAMES, rng))
    return map_training.GameBoards(*(np.concatenate(it) for it in zip(*by_ply, strict=True)))


def _all_thresholds(maps: Remembering) -> dict[str, Weights]:
    """`[stages, squares]` by method."""
    rng = np.random.default_rng(BOARDS_SEED)
    methods = ["statistical", "GA", *(f"fixed {it}" for it in FIXED)]
    found: dict[str, list[Weights]] = {name: [] for name in methods}
    for data, weights in zip(maps.data, maps.atlas.weights, strict=True):
        n_boards = min(BOARDS_FOR_THRESHOLDS, data.n)
        boards = map_training.some_boards(data.stage, data.source, n_boards, rng)
        found["statistical"].append(thresholds.statistical(weights, boards))
        found["GA"].append(thresholds.genetic(weights, boards, rng))
        for fixed in FIXED:
            found[f"fixed {fixed}"].append(thresholds.fixed(weights.shape[1], fixed))
    return {name: np.stack(it) for name, it in found.items()}


def interval_of_ratio(parts: NDArray[np.float64], wholes: NDArray[np.float64]) -> tuple[float, float]:
    """The 95% bootstrap interval of sum(parts) / sum(wholes), over games, `[n]` each."""
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, len(parts), (RESAMPLES, len(parts)))
    low, high = np.quantile(parts[drawn].sum(axis=1) / wholes[drawn].sum(axis=1), (0.025, 0.975))
    return float(low), float(high)


def table_6(seven: Atlas, source: map_training.Source, seed: int) -> Table:
    """Discs by moves, with intervals over games."""
    held = held_out(seven.game, source, seed)
    _, right = retrieved_rightly(seven, held.boards)
    stones = np.count_nonzero(held.boards, axis=1)
    figures = []
    for (first, last), published in PUBLISHED_BY_MOVES.items():
        rows = (held.moves >= first) & (held.moves <= last)
        part, whole = (np.bincount(held.games[rows], it[rows], N_GAMES).astype(np.float64) for it in (right, stones))
        played = whole > 0
        interval = interval_of_ratio(part[played], whole[played])
        ours = float(part.sum() / whole.sum())
        figures.append(Figure(f"moves {first} to {last}", ours, interval, published, int(played.sum())))
    note = f"Share of discs retrieved in their colour, in {N_GAMES} games; the paper's last range begins at 50."
    return Table("Table 6: retrieval with 7 maps, by moves", figures, note, digits=3)
