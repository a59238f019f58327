"""Figures beside published ones, and what they say about a paper's claims.

A verdict is computed from intervals: `decide(difference(one, other))` asks whether one figure is the greater.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Interval = tuple[float, float]
Standing = Literal["inside", "explained", "open"]
Verdict = Literal["holds", "does not hold", "undecided"]


@dataclass(frozen=True)
class Figure:
    """One number beside the published one; None where there is none."""

    what: str
    ours: float | None
    interval: Interval | None = None
    published: float | None = None
    games: int | None = None
    explained: str | None = None
    """Why the published figure lies outside our interval: a sentence that names the table or line that measures it."""
    further: Mapping[str, str] = field(default_factory=dict)
    """Further columns of the same row, by their headings."""

    @property
    def standing(self) -> Standing | None:
        """Whether the published figure lies `inside` our interval, is `explained`, or is neither: `open`.

        None where nothing is published. Without an interval nothing lies inside.
        """
        if self.published is None:
            return None
        if self.interval is not None and self.interval[0] <= self.published <= self.interval[1]:
            return "inside"
        return "open" if self.explained is None else "explained"


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, in a sentence, and whether our figures bear it out."""

    claim: str
    verdict: Verdict
    why: str
    """A sentence with the figures that decide, or that leave it open."""


def decide(interval: Interval, bar: float = 0.0) -> Verdict:
    """Whether what the interval is of lies above the bar."""
    if interval[0] > bar:
        return "holds"
    return "does not hold" if interval[1] < bar else "undecided"


def difference(one: Figure, other: Figure) -> Interval:
    """The 95% interval of one figure minus another, measured apart from it: each side by the root of the squares of the
    intervals' sides that point its way (Newcombe 1998, method 10). Raises ValueError where a figure has no interval.
    """
    if one.ours is None or one.interval is None or other.ours is None or other.interval is None:
        raise ValueError(f"'{one.what}' and '{other.what}' must both have an interval.")
    gap = one.ours - other.ours
    below = math.hypot(one.ours - one.interval[0], other.interval[1] - other.ours)
    above = math.hypot(one.interval[1] - one.ours, other.ours - other.interval[0])
    return gap - below, gap + above


def together(*verdicts: Verdict) -> Verdict:
    """Of a claim with several parts: it holds where all hold, and does not where any does not."""
    if "does not hold" in verdicts:
        return "does not hold"
    return "undecided" if "undecided" in verdicts else "holds"
