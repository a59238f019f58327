"""Positions that maps give back: Tables 2 and 6 of Kamei and Kakizoe (2017)."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from randori.experiments.report import Figure, Table
from randori.methods.som import map_training, thresholds
from randori.methods.som.atlas import Atlas, Weights, n_moves, retrieved_rightly
from randori.methods.som.config import SomConfig

N_GAMES = 300
FIXED = (0.1, 0.5, 0.8)
RESAMPLES = 2000
GAMES_SEED, BOARDS_SEED = 1, 2
BOARDS_FOR_THRESHOLDS = 20_000

# All squares, squares with a stone, by method.
PUBLISHED = {
    "statistical": (0.76, 0.68),
    "GA": (0.45, 0.86),
    "IP": (None, 0.86),
    "fixed 0.1": (0.74, 0.68),
    "fixed 0.5": (0.72, 0.58),
    "fixed 0.8": (0.66, 0.44),
}
PUBLISHED_WRONG = {"statistical": 15.33, "IP": 4.76}
PUBLISHED_BY_MOVES = {
    (1, 10): 0.99, (11, 20): 0.85, (21, 30): 0.76, (31, 40): 0.70, (41, 50): 0.65, (51, 60): 0.67,
}  # fmt: skip


def interval_of_ratio(parts: NDArray[np.float64], wholes: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % bootstrap interval of sum(parts) / sum(wholes), over games, `[n]` each."""
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, len(parts), (RESAMPLES, len(parts)))
    low, high = np.quantile(parts[drawn].sum(axis=1) / wholes[drawn].sum(axis=1), (0.025, 0.975))
    return float(low), float(high)


def held_out(atlas: Atlas) -> map_training.Seen:
    """The positions of 300 random games, after every move."""
    stage = map_training.Stage(atlas.game, 1, n_moves(atlas.game), "first")
    seen = list(map_training.boards_of_games(stage, map_training.BY_CHANCE, N_GAMES, np.random.default_rng(GAMES_SEED)))
    return map_training.Seen(*(np.concatenate(it) for it in zip(*seen, strict=True)))


def _shares(atlas: Atlas, seen: map_training.Seen, name: str) -> list[Figure]:
    """Figures of one method; the stones alone for maps that do not look at empty squares."""
    right, right_stones = retrieved_rightly(atlas, seen.boards)
    n_squares = np.full(len(seen.boards), seen.boards.shape[1])
    n_stones = np.count_nonzero(seen.boards, axis=1)
    all_squares, stones = PUBLISHED[name]
    figures = [_share(f"{name}, discs", right_stones, n_stones, seen, stones)]
    wrong = n_stones - right_stones
    if name != "IP":
        figures.insert(0, _share(f"{name}, all squares", right, n_squares, seen, all_squares))
        wrong = n_squares - right
    if name in PUBLISHED_WRONG:
        ones = np.ones(len(wrong), np.int64)
        figures.append(_share(f"{name}, wrong squares a position", wrong, ones, seen, PUBLISHED_WRONG[name]))
    return figures


def _share(
    what: str, part: NDArray[np.int64], whole: NDArray[np.int64], seen: map_training.Seen, published: float | None
) -> Figure:
    parts, wholes = (np.asarray(np.bincount(seen.games, it, N_GAMES), np.float64) for it in (part, whole))
    played = wholes > 0
    interval = interval_of_ratio(parts[played], wholes[played])
    return Figure(what, float(part.sum() / whole.sum()), interval, published, int(played.sum()))


def _all_thresholds(atlas: Atlas, config: SomConfig) -> dict[str, Weights]:
    """`[stages, squares]` by method."""
    rng = np.random.default_rng(BOARDS_SEED)
    firsts = (0, *(end + 1 for end in atlas.ends[:-1]))
    found: dict[str, list[Weights]] = {name: [] for name in PUBLISHED if name != "IP"}
    stages = zip(firsts, atlas.ends, atlas.weights, config.each(config.data), strict=True)
    for first, last, weights, n_boards in stages:
        stage = map_training.Stage(atlas.game, first, last, "first")
        boards = map_training.some_boards(stage, map_training.BY_CHANCE, min(BOARDS_FOR_THRESHOLDS, n_boards), rng)
        found["statistical"].append(thresholds.statistical(weights, boards))
        found["GA"].append(thresholds.genetic(weights, boards, rng))
        for fixed in FIXED:
            found[f"fixed {fixed}"].append(thresholds.fixed(weights.shape[1], fixed))
    return {name: np.stack(it) for name, it in found.items()}


def _on_training(atlas: Atlas, name: str, data: list[map_training.Data]) -> Figure:
    """Discs of the positions that the maps have learned; there are too many for an interval to show."""
    boards = np.concatenate([it.boards() for it in data])
    _, right = retrieved_rightly(atlas, boards)
    share = float(right.sum() / np.count_nonzero(boards))
    return Figure(f"{name}, discs of the positions learned", share, None, PUBLISHED[name][1])


def table_2(
    conventional: Atlas, by_product: Atlas, config: SomConfig, data: dict[str, list[map_training.Data]]
) -> Table:
    """`data` is what the maps were trained with, by method."""
    seen = held_out(conventional)
    found = _all_thresholds(conventional, config)
    figures = []
    for name in PUBLISHED:
        atlas = by_product if name == "IP" else replace(conventional, thresholds=found[name])
        figures += _shares(atlas, seen, name)
        if name in data:
            figures.append(_on_training(atlas, name, data[name]))
    note = (
        f"Squares that come back as they were, of all {len(seen.boards):,} positions of {N_GAMES} random games that the "
        "maps have not seen, where nothing else is said; intervals over games by the bootstrap."
    )
    return Table("Table 2: retrieval with 3 maps", figures, note, digits=3)


def table_6(seven: Atlas) -> Table:
    seen = held_out(seven)
    _, right = retrieved_rightly(seven, seen.boards)
    stones = np.count_nonzero(seen.boards, axis=1)
    figures = []
    for (first, last), published in PUBLISHED_BY_MOVES.items():
        rows = (seen.moves >= first) & (seen.moves <= last)
        part = map_training.Seen(seen.games[rows], seen.moves[rows], seen.boards[rows])
        figures.append(_share(f"moves {first} to {last}", right[rows], stones[rows], part, published))
    note = f"Discs that come back in their colour, in {N_GAMES} random games; the paper's last range begins at 50."
    return Table("Table 6: retrieval with 7 maps, by moves", figures, note, digits=3)
