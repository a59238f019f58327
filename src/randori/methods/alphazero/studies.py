"""What is trained and compared to measure transfer: the thesis's own rule, and our algorithm."""

from dataclasses import dataclass, replace

from randori.methods.alphazero.config import HONGCHAROEN, AlphaZeroConfig


@dataclass(frozen=True)
class Study:
    """Which games, how large, how long."""

    games: tuple[str, ...]
    boards: tuple[tuple[str, str], ...]
    """Pairs of a small board and a large one of the same game."""
    config: AlphaZeroConfig
    points: tuple[int, ...]
    """Rounds after which networks are compared; the last is the length of every run, the source's too."""
    n_seeds: int
    n_games: int
    """Of each network at each point in a table."""
    seeds: range = range(0)
    """Of the runs; as many as `n_seeds`."""
    one_at_a_time: bool = False
    """Courses follow each other, and all workers play the games of one; else each worker has a course of its own."""


_CONFIG = AlphaZeroConfig(simulations=16, uses=4.0, play_simulations=16)
OURS: dict[str, Study] = {
    "quick": Study(
        ("connect4", "othello6", "othello8", "gomoku9"),
        (("othello6", "othello8"),),
        replace(_CONFIG, channels=16, blocks=2, games=64, horizon=64 * 12),
        (4, 8, 12),
        n_seeds=5,
        n_games=40,
    ),
    "full": Study(
        ("connect4", "othello6", "othello8", "gomoku9", "gomoku15"),
        (("othello6", "othello8"), ("gomoku9", "gomoku15")),
        replace(_CONFIG, channels=32, blocks=3, games=128, horizon=128 * 20),
        (2, 5, 10, 20),
        n_seeds=5,
        n_games=200,
    ),
}
"""Smaller than the thesis's networks: quick takes somewhat more than an hour of one core, full about a day of two."""

PAIR = ("connect4", "othello8")
"""The thesis goes from the first to the second; the way back is measured as well."""
_SMALL_THESIS = Study(
    PAIR,
    (),
    replace(HONGCHAROEN, channels=64, games=32, uses=4.0, batch=64),
    (5, 10, 15),
    n_seeds=3,
    n_games=100,
)
"""A sixteenth of the games in an iteration. Each position is used four times instead of ten, in smaller batches, so that an
iteration has about as many steps as the thesis's."""
THESIS: dict[str, Study] = {
    "quick": _SMALL_THESIS,
    "full": _SMALL_THESIS,
    "thesis": Study(PAIR, (), HONGCHAROEN, (10, 20, 30, 40, 50), n_seeds=1, n_games=100, one_at_a_time=True),
}
"""By the thesis's rule: networks of 64 x 4 for 15 iterations, and with `thesis` what it did itself."""
