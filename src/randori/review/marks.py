"""Marks: what a move is called by what it cost, and how well somebody played all in all."""

from collections.abc import Iterable
from enum import StrEnum
from math import exp
from typing import NamedTuple

from randori.review.verdict import Verdict

INACCURACY, MISTAKE, BLUNDER = 0.10, 0.20, 0.30
"""Chance that a move costs at least."""
SURE, NO_LONGER = 0.95, 0.60
"""A win is missed by a move from a chance of at least the one to at most the other."""
MANY_DISCS = 6.0
"""Proved to be given away without changing who wins: an inaccuracy."""
PHASES = ("opening", "middle", "end")
"""Thirds of the moves that were made."""
_STEEPNESS = 7.0
_LOST = 0.01


class Mark(StrEnum):
    """From the least to the most."""

    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"
    MISSED_WIN = "missed win"


def mark_of(verdict: Verdict) -> Mark | None:
    """None for a move that cost nothing worth a word."""
    if verdict.best >= SURE and verdict.played <= NO_LONGER:
        return Mark.MISSED_WIN
    for least, mark in ((BLUNDER, Mark.BLUNDER), (MISTAKE, Mark.MISTAKE), (INACCURACY, Mark.INACCURACY)):
        if verdict.cost >= least:
            return mark
    discs = verdict.discs if verdict.exact and verdict.discs is not None else 0.0
    return Mark.INACCURACY if discs >= MANY_DISCS else None


class Accuracy(NamedTuple):
    """Of one side, 0 .. 1; None where it had nothing to decide."""

    overall: float | None
    phases: tuple[float | None, ...]
    """By PHASES."""


def accuracy_of(verdicts: Iterable[tuple[int, Verdict]], n_plies: int) -> Accuracy:
    """Of moves with their plies: the mean of `exp(-7 cost)`, so that a cost of 0.10 counts half and one of 0.20 a quarter.

    Forced moves, and moves in positions that were lost already, had nothing to lose and do not count.
    """
    scored = [(ply, exp(-_STEEPNESS * it.cost)) for ply, it in verdicts if not it.forced and it.best > _LOST]
    by_phase = [[score for ply, score in scored if phase_of(ply, n_plies) == phase] for phase in range(len(PHASES))]
    return Accuracy(_mean([score for _, score in scored]), tuple(map(_mean, by_phase)))


def phase_of(ply: int, n_plies: int) -> int:
    """The number of the third of a game that a ply belongs to."""
    return min(len(PHASES) * ply // max(n_plies, 1), len(PHASES) - 1)


def _mean(scores: list[float]) -> float | None:
    return sum(scores) / len(scores) if scores else None
