"""How one player fared against another: wins, draws, losses, and what they prove."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

Z95 = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Score:
    """The results of some games, seen by one of the two players.

    `distinct_games` counts each sequence of actions once: players without chance replay the same game,
    and a replay proves nothing.
    """

    wins: int
    draws: int
    losses: int
    distinct_games: int

    def __post_init__(self) -> None:
        if min(self.wins, self.draws, self.losses) < 0:
            raise ValueError(f"{self} has a negative count.")
        if not min(self.games, 1) <= self.distinct_games <= self.games:
            raise ValueError(f"{self} needs between one and {self.games} distinct games.")

    def __add__(self, other: Score) -> Score:
        """Both together; a game that occurs in both is counted as distinct twice."""
        return Score(
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            self.distinct_games + other.distinct_games,
        )

    def reverse(self) -> Score:
        """The same games, seen by the opponent."""
        return Score(self.losses, self.draws, self.wins, self.distinct_games)

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def mean(self) -> float:
        """Points per game, a draw being half a point; nan without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The true means that the games do not refute at the 95% level; (0, 1) without games.

        Wilson's interval, extended to draws. Wilson keeps every mean `m` whose own standard error explains the
        distance to the observed mean; a game won or lost has variance `m (1 - m)`. Draws make it smaller: below the
        observed mean we suppose that points come as they came, in the same proportion of wins and draws, only more
        rarely, and then the variance is `m (c - m)`, where `c` is the mean of the squared points over the mean of the
        points (1 without draws, 1/2 with nothing else). Above it the same holds for the opponent's points.
        Since the variance belongs to `m` and not to the sample, games that all ended alike still leave an interval.

        The number of games is that of the distinct ones. Where chance players of a short game repeat one by accident
        the interval is a little too wide, which is the honest side.
        """
        return self._lower_end(), 1 - self.reverse()._lower_end()

    def _lower_end(self) -> float:
        points = self.wins + self.draws / 2
        if points == 0:
            return 0.0
        mean = points / self.games
        square_ratio = (self.wins + self.draws / 4) / points
        # The smaller root m of (mean - m)² = spread m (square_ratio - m), in the form that does not cancel.
        spread = Z95**2 / self.distinct_games
        middle = mean + spread * square_ratio / 2
        root = math.sqrt(max(0.0, middle**2 - (1 + spread) * mean**2))
        return mean**2 / (middle + root)


def total(scores: Iterable[Score]) -> Score:
    """All the scores together, as `Score.__add__` does for two; no scores make an empty one."""
    return sum(scores, Score(0, 0, 0, 0))
