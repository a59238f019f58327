"""What evolved networks see of games of stones in a row: open lines by their stones, and threats where stones fall."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from randori.core.features import DEFAULT, PAPER, Feature, FeatureSet, Region, named_regions, phase
from randori.core.game import Game
from randori.core.layout import Columns
from randori.games.rows.knowledge import rows_of
from randori.kernels import features as kernel


def middle_third(game: Game) -> dict[str, Sequence[int]]:
    """The middle third: of the columns where stones fall, else of columns and rows; and the rest."""
    height, width = game.shape
    near = np.abs(np.arange(width) - (width - 1) / 2) <= width / 6
    rows = np.ones(height, np.bool_) if isinstance(game.layout, Columns) else near
    centre = np.outer(rows, near).reshape(-1)
    return {"centre": np.flatnonzero(centre).tolist(), "rest": np.flatnonzero(~centre).tolist()}


def line_features(game: Game, named: Mapping[str, Sequence[int]], phase_sets: tuple[str, ...]) -> FeatureSet:
    """Stones in the named regions, open lines, how full the board is, and threats where stones fall.

    A region called `rest` has no feature of its own.
    """
    k = rows_of(game).length
    regions = named_regions(named, line=k)
    falls = isinstance(game.layout, Columns)
    found = [*_in_regions(regions), *_lines(k), phase(game, phase_sets)]
    if falls:
        found += _threats("threats", "that can be filled at once", kernel.THREATS)
        found += _threats("odd_threats", "whose hole is in an odd row from below", kernel.THREATS_ODD)
    return FeatureSet(tuple(found), regions, line=k, falls=falls)


def _in_regions(regions: Sequence[Region]) -> Iterator[Feature]:
    for region in regions:
        if region.name == "rest":
            continue
        n = len(region.squares)
        summary = f"stones on the {n} squares of the {region.name}: mine less theirs by {n}"
        term = (kernel.DIFFERENCE, region.tally, region.tally + 1, 1.0 / n)
        yield Feature(region.name, -1.0, 1.0, summary, term, sets=(PAPER, DEFAULT))


def _lines(k: int) -> Iterator[Feature]:
    for stones in range(1, k):
        # More stones, fewer lines: each tally is half of its range at about the number that games have.
        half = 2.0 ** (k - 1 - stones)
        for place, whose in enumerate(("mine", "theirs")):
            tally = kernel.LINES_START + 2 * stones + place
            summary = f"lines with {stones} of {k} stones, all of one side, n of them as n / (n + {half:g}), {whose}"
            term = (kernel.SATURATED, tally, tally, half)
            yield Feature(f"lines{stones}_{whose}", 0.0, 1.0, summary, term, kernel.LINES, (PAPER, DEFAULT))


def _threats(name: str, which: str, tally: int) -> Iterator[Feature]:
    for place, whose in enumerate(("mine", "theirs")):
        summary = f"lines that lack one stone and {which}, n of them as n / (n + 1), {whose}"
        term = (kernel.SATURATED, tally + place, tally + place, 1.0)
        yield Feature(f"{name}_{whose}", 0.0, 1.0, summary, term, kernel.LINES)
