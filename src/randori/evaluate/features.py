"""Features of every game: what an evolved network sees of a position. All are for the side to move.

A game of stones in a row is seen by its open lines, any other by its regions, discs and moves; so a new game has
features without a word about them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from randori.errors import UserError, suggest
from randori.game import Floats, Game, States
from randori.kernels import features as kernel
from randori.symmetry import symmetries

PAPER, DEFAULT, ALL = "paper", "default", "all"
"""Sets of features that stand for their members in a list of names."""


@dataclass(frozen=True)
class Feature:
    """One number that a position gives, from `low` to `high`."""

    name: str
    low: float
    high: float
    summary: str
    term: tuple[int, int, int, float]
    """What the kernel computes: arithmetic, tally a, tally b, scale."""
    group: int = 0
    """The tallies that it needs."""
    sets: tuple[str, ...] = (DEFAULT,)


def _both(
    name: str, summary: str, tally: int, scale: float, group: int, sets: tuple[str, ...], high: float = 1.0
) -> Iterator[Feature]:
    """A share for each side."""
    for place, whose in enumerate(("mine", "theirs")):
        term = (kernel.SHARE, tally + place, tally + place, 1.0 / scale)
        yield Feature(f"{name}_{whose}", 0.0, high, f"{summary}, {whose}", term, group, sets)


@dataclass(frozen=True)
class Region:
    """Squares that belong together; `tally` counts the stones of the side to move on them."""

    name: str
    squares: tuple[int, ...]
    tally: int


_CLASSES_OF_TICTACTOE = {"a1": "corners", "b1": "edges", "b2": "centre"}


@cache
def regions(game: Game) -> tuple[Region, ...]:
    """The regions of the board, which cover it.

    Where a symmetry carries one square into another, they are in the same region, called after its first square; there
    are ten on the 8x8 board and three on the 3x3 board. Larger boards of stones in a row have a centre and the rest.
    """
    start = kernel.LINES_START + 2 * ((game.in_a_row or -1) + 1)
    if game.in_a_row is not None and game.in_a_row > 3:
        named = {"centre": _middle(game)}
        named["rest"] = [square for square in range(game.shape[0] * game.shape[1]) if square not in named["centre"]]
    else:
        least = np.min([it.cells for it in symmetries(game)], axis=0)
        named = {game.move_names[first]: np.flatnonzero(least == first).tolist() for first in np.unique(least)}
        if game.in_a_row is not None:
            named = {_CLASSES_OF_TICTACTOE[name]: named[name] for name in ("b1", "a1", "b2")}
    return tuple(Region(name, tuple(of), start + 2 * place) for place, (name, of) in enumerate(named.items()))


def _middle(game: Game) -> list[int]:
    """The middle third: of the columns where stones fall, else of columns and rows."""
    height, width = game.shape
    near = np.abs(np.arange(width) - (width - 1) / 2) <= width / 6
    rows = np.ones(height, np.bool_) if game.symmetry == "mirror" else near
    return [int(square) for square in np.flatnonzero(np.outer(rows, near))]


@cache
def features_of(game: Game) -> tuple[Feature, ...]:
    """All features that a game has."""
    return tuple(_line_features(game) if game.in_a_row is not None else _territory_features(game))


def _territory_features(game: Game) -> Iterator[Feature]:
    """Games of discs on regions of the board, such as Othello."""
    n_squares = game.shape[0] * game.shape[1]
    for region in regions(game):
        n, tallies = len(region.squares), (region.tally, region.tally + 1)
        like = f"the {n} squares like {region.name}"
        ratio = f"discs on {like}: mine less theirs by mine and theirs, 0 where there are none"
        yield Feature(f"ratio_{region.name}", -1.0, 1.0, ratio, (kernel.RATIO, *tallies, 1.0), sets=(PAPER,))
        share = f"discs on {like}: mine less theirs by {n}"
        yield Feature(f"share_{region.name}", -1.0, 1.0, share, (kernel.DIFFERENCE, *tallies, 1.0 / n))
    both = (PAPER, DEFAULT)
    stones = (kernel.STONES, kernel.STONES + 1)
    difference = "discs, mine less theirs by the squares of the board"
    yield Feature("difference", -1.0, 1.0, difference, (kernel.DIFFERENCE, *stones, 1.0 / n_squares), sets=both)
    yield Feature(
        "phase", 0.0, 1.0, "the part of the board that is full", (kernel.SUM, *stones, 1.0 / n_squares), sets=both
    )
    # About 10 on the largest board, 33 at most: divided thus, they weigh about as much as a region.
    moves = f"legal moves by {n_squares // 2}, a pass being one"
    yield from _both("moves", moves, kernel.MOVES_ANYWHERE, n_squares / 2, kernel.MOVES, both, high=2.0)
    yield from _both(
        "corner_moves", "corners that can be taken at once by 4", kernel.MOVES_TO_CORNERS, 4.0, kernel.MOVES, (DEFAULT,)
    )
    border = "discs that touch an empty square by the squares of the board"
    yield from _both("border", border, kernel.BORDER, float(n_squares), kernel.BORDERS, (DEFAULT,))
    rim = 2 * sum(game.shape) - 4
    anchored = f"discs in an unbroken row along the rim from a corner by {rim}"
    yield from _both("anchored", anchored, kernel.ANCHORED, float(rim), kernel.ANCHORS, (DEFAULT,))


def _line_features(game: Game) -> Iterator[Feature]:
    """Games of stones in a row."""
    k, n_squares = game.in_a_row, game.shape[0] * game.shape[1]
    assert k is not None
    both = (PAPER, DEFAULT)
    for region in regions(game):
        if region.name == "rest":
            continue
        n = len(region.squares)
        term = (kernel.DIFFERENCE, region.tally, region.tally + 1, 1.0 / n)
        yield Feature(
            region.name,
            -1.0,
            1.0,
            f"stones on the {n} squares of the {region.name}: mine less theirs by {n}",
            term,
            sets=both,
        )
    for stones in range(1, k):
        # More stones, fewer lines: each tally is half of its range at about the number that games have.
        half = 2.0 ** (k - 1 - stones)
        for place, whose in enumerate(("mine", "theirs")):
            tally = kernel.LINES_START + 2 * stones + place
            lines = f"lines with {stones} of {k} stones, all of one side, n of them as n / (n + {half:g}), {whose}"
            yield Feature(
                f"lines{stones}_{whose}", 0.0, 1.0, lines, (kernel.SATURATED, tally, tally, half), kernel.LINES, both
            )
    sets = (DEFAULT,) if k == 3 else both
    stones_of_both = (kernel.STONES, kernel.STONES + 1)
    yield Feature(
        "phase",
        0.0,
        1.0,
        "the part of the board that is full",
        (kernel.SUM, *stones_of_both, 1.0 / n_squares),
        sets=sets,
    )
    if _falls(game):
        yield from _threats("threats", "that can be filled at once", kernel.THREATS)
        yield from _threats("odd_threats", "whose hole is in an odd row from below", kernel.THREATS_ODD)


def _threats(name: str, which: str, tally: int) -> Iterator[Feature]:
    for place, whose in enumerate(("mine", "theirs")):
        summary = f"lines that lack one stone and {which}, n of them as n / (n + 1), {whose}"
        yield Feature(
            f"{name}_{whose}", 0.0, 1.0, summary, (kernel.SATURATED, tally + place, tally + place, 1.0), kernel.LINES
        )


def _falls(game: Game) -> bool:
    return game.n_actions == game.shape[1]


def feature_names(game: Game, chosen: Sequence[str]) -> tuple[str, ...]:
    """The features that a list of names and sets means, in the game's own order. Raises UserError for unknown ones."""
    known = features_of(game)
    words = [it.name for it in known] + [PAPER, DEFAULT, ALL]
    for name in chosen:
        if name not in words:
            raise UserError(f"{game.title} has no feature '{name}'.{suggest(name, words)}")
    names = tuple(
        it.name for it in known if ALL in chosen or it.name in chosen or any(name in chosen for name in it.sets)
    )
    if not names:
        raise UserError(f"Name at least one feature of {game.title}, or '{DEFAULT}'.")
    return names


@dataclass(frozen=True)
class Features:
    """Some features of a game, ready for batches of positions."""

    game: Game
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        known = [it.name for it in features_of(self.game)]
        unknown = [name for name in self.names if name not in known]
        if unknown:
            raise UserError(f"{self.game.title} has no feature '{unknown[0]}'.{suggest(unknown[0], known)}")

    @property
    def plan(self) -> kernel.Plan:
        """What the kernels take."""
        return _plan(self.game, self.names)

    def __call__(self, states: States) -> Floats:
        """`[B, F]`"""
        found = np.empty((len(states), len(self.names)))
        kernel.measure_all(self.game.rules, self.plan, np.ascontiguousarray(states, np.uint64), found)
        return found


@cache
def _plan(game: Game, names: tuple[str, ...]) -> kernel.Plan:
    by_name = {it.name: it for it in features_of(game)}
    chosen = [by_name[name] for name in names]
    tallies: NDArray[np.int64] = np.zeros(game.shape[0] * game.shape[1], np.int64)
    for region in regions(game):
        tallies[list(region.squares)] = region.tally
    wanted = 0
    for it in chosen:
        wanted |= it.group
    last = regions(game)[-1].tally + 1
    height, width = game.shape
    corners = [0, width - 1, (height - 1) * width, height * width - 1]
    return kernel.Plan(
        np.array([height, width, game.in_a_row or 0, _falls(game), wanted, last + 1], np.int64),
        tallies,
        np.array(corners, np.int64),
        np.array([it.term[:3] for it in chosen], np.int64).reshape(-1, 3),
        np.array([it.term[3] for it in chosen]),
    )
