"""Features: numbers that a position gives, all for the side to move. What they are is the game's own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from randori.core.game import Game
from randori.core.symmetry import symmetries
from randori.kernels import features as kernel

PAPER, DEFAULT, ALL = "paper", "default", "all"
"""Sets of features that stand for their members in a list of names."""

# More regions than this are too many numbers to learn from.
_MOST_REGIONS = 16


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


class Region(NamedTuple):
    """Squares that belong together; `tally` counts the stones of the side to move on them."""

    name: str
    squares: tuple[int, ...]
    tally: int


class FeatureSet(NamedTuple):
    """All features of a game, and what the kernel must know of its board to count them."""

    features: tuple[Feature, ...]
    regions: tuple[Region, ...]
    """They cover the board."""
    line: int = 0
    """How many squares make a line whose stones are counted; 0: none are."""
    falls: bool = False
    """Whether a hole in a line can be filled only when the square below it is."""
    corners: tuple[int, ...] = ()
    """Squares to which moves are counted apart; actions of the same numbers."""


def named_regions(named: Mapping[str, Sequence[int]], line: int = 0) -> tuple[Region, ...]:
    """Regions with tallies of their own, behind those of the lines."""
    start = kernel.LINES_START + 2 * (line + 1 if line else 0)
    return tuple(Region(name, tuple(of), start + 2 * place) for place, (name, of) in enumerate(named.items()))


def alike_squares(game: Game) -> dict[str, Sequence[int]]:
    """The squares that symmetries carry into each other, called after the first of them."""
    least = np.min([it.cells for it in symmetries(game)], axis=0)
    return {game.square_names[first]: np.flatnonzero(least == first).tolist() for first in np.unique(least)}


def rings(game: Game) -> dict[str, Sequence[int]]:
    """The squares by their distance from the rim."""
    rows, columns = (np.minimum(np.arange(n), np.arange(n)[::-1]) for n in game.shape)
    distance = np.minimum(rows[:, None], columns[None, :]).reshape(-1)
    return {f"ring{ring + 1}": np.flatnonzero(distance == ring).tolist() for ring in np.unique(distance)}


def for_both_sides(
    name: str, summary: str, tally: int, scale: float, group: int, sets: tuple[str, ...] = (DEFAULT,), high: float = 1.0
) -> Iterator[Feature]:
    """A share for each side."""
    for place, whose in enumerate(("mine", "theirs")):
        term = (kernel.SHARE, tally + place, tally + place, 1.0 / scale)
        yield Feature(f"{name}_{whose}", 0.0, high, f"{summary}, {whose}", term, group, sets)


def phase(game: Game, sets: tuple[str, ...] = (PAPER, DEFAULT)) -> Feature:
    stones = (kernel.STONES, kernel.STONES + 1)
    full = "the part of the board that is full"
    return Feature("phase", 0.0, 1.0, full, (kernel.SUM, *stones, 1.0 / game.n_squares), sets=sets)


def territory(game: Game, regions: Sequence[Region], pieces: str) -> Iterator[Feature]:
    """What can be counted on any board: pieces by region and in all, how full it is, moves, pieces at the border."""
    both = (PAPER, DEFAULT)
    for region in regions:
        n, tallies = len(region.squares), (region.tally, region.tally + 1)
        like = f"the {n} squares like {region.name}"
        ratio = f"{pieces} on {like}: mine less theirs by mine and theirs, 0 where there are none"
        yield Feature(f"ratio_{region.name}", -1.0, 1.0, ratio, (kernel.RATIO, *tallies, 1.0), sets=(PAPER,))
        share = f"{pieces} on {like}: mine less theirs by {n}"
        yield Feature(f"share_{region.name}", -1.0, 1.0, share, (kernel.DIFFERENCE, *tallies, 1.0 / n))
    stones = (kernel.STONES, kernel.STONES + 1)
    difference = f"{pieces}, mine less theirs by the squares of the board"
    yield Feature("difference", -1.0, 1.0, difference, (kernel.DIFFERENCE, *stones, 1.0 / game.n_squares), sets=both)
    yield phase(game)
    # About 10 on an 8x8 board of Othello, 33 at most: divided thus, they weigh about as much as a region.
    moves = f"legal moves by {game.n_squares // 2}, a pass being one"
    half, most = game.n_squares / 2, 2.0 * -(-game.n_actions // (game.n_squares + 1))
    yield from for_both_sides("moves", moves, kernel.MOVES_ANYWHERE, half, kernel.MOVES, both, high=most)


def border(game: Game, pieces: str) -> Iterator[Feature]:
    summary = f"{pieces} that touch an empty square by the squares of the board"
    return for_both_sides("border", summary, kernel.BORDER, float(game.n_squares), kernel.BORDERS)


def generic_features(game: Game) -> FeatureSet:
    """Of a game that says nothing of its own."""
    named = alike_squares(game)
    regions = named_regions(named if len(named) <= _MOST_REGIONS else rings(game))
    return FeatureSet((*territory(game, regions, "pieces"), *border(game, "pieces")), regions)


def features_of(game: Game) -> FeatureSet:
    """All features that a game has."""
    own = game.knowledge.features
    return generic_features(game) if own is None else own(game)
