"""The companion's estimate once more, by sums over a fine grid in plain Python."""

from __future__ import annotations

import math


def bayes(
    prior: tuple[float, float],
    result: float,
    opponent: float,
    *,
    low: float,
    high: float,
    drift: float,
    surprise: float = math.inf,
    step: float = 2.0,
    evidence: tuple[float, float, float, float, float, float] | None = None,
) -> tuple[float, float]:
    """Mean and deviation after one game.

    `evidence`: the loss seen, its weight, and mean and deviation of the loss at the ends `low` and `high`, linear between.
    No rating is less likely by it than `exp(-surprise)` times the likeliest.
    """
    mean, deviation = prior

    def likelihood(elo: float) -> float:
        assert evidence is not None
        loss, _, loss_low, spread_low, loss_high, spread_high = evidence
        share = (elo - low) / (high - low)
        middle, spread = loss_low + share * (loss_high - loss_low), spread_low + share * (spread_high - spread_low)
        return math.exp(-(((loss - middle) / spread) ** 2) / 2) / spread

    least = 0.0
    if evidence is not None:
        least = math.exp(-surprise) * max(likelihood(low + i * step) for i in range(int((high - low) / step) + 1))
    total = first = second = 0.0
    for i in range(int((high - low) / step) + 1):
        elo = low + i * step
        density = math.exp(-((elo - mean) ** 2) / (2 * (deviation**2 + drift**2)))
        chance = 1 / (1 + 10 ** ((opponent - elo) / 400))
        density *= chance**result * (1 - chance) ** (1 - result)
        if evidence is not None:
            density *= max(likelihood(elo), least) ** evidence[1]
        total += density
        first += density * elo
        second += density * elo**2
    return first / total, math.sqrt(second / total - (first / total) ** 2)


def expected_score(mean: float, deviation: float, opponent: float) -> float:
    """The score of somebody whose rating is normal, by summing over it."""
    points = [-6 + 12 * i / 4000 for i in range(4001)]
    weights = [math.exp(-(z**2) / 2) for z in points]
    scores = [1 / (1 + 10 ** ((opponent - mean - deviation * z) / 400)) for z in points]
    return sum(w * s for w, s in zip(weights, scores, strict=True)) / sum(weights)
