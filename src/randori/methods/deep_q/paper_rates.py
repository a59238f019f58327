"""Rates of wins and losses as Humphreys et al. have them, over several trainings and as one training would show them."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from randori.arena import Score
from randori.experiments.findings import Figure, Interval
from randori.experiments.intervals import RESAMPLES, interval_of_few
from randori.methods.deep_q.paper_published import Counts, Pair

Results = Sequence[Score]
"""Of one pair, training by training."""
Rate = Callable[[Score | Counts], float]


def win_rate(it: Score | Counts) -> float:
    return it.wins / it.games


def non_loss_rate(it: Score | Counts) -> float:
    return (it.wins + it.draws) / it.games


def non_win_rate(it: Score | Counts) -> float:
    return (it.draws + it.losses) / it.games


def margin(it: Score | Counts) -> float:
    """-1 .. 1: above 0 for whoever wins more often than it loses."""
    return (it.wins - it.losses) / it.games


RATES: Mapping[str, Rate] = {"win rate": win_rate, "non-loss rate": non_loss_rate}
"""Those with a table of their own. The rest follow: a non-win rate is what a win rate leaves, a loss what is not a non-loss."""


def measured(rate: Rate, results: Results) -> tuple[float, Interval]:
    """The mean over trainings and its interval; with one result alone, that of a player who never learned, over its games."""
    rates = [rate(it) for it in results]
    if len(results) > 1:
        low, high = interval_of_few(rates)
        return float(np.mean(rates)), (max(low, -1.0 if rate is margin else 0.0), min(high, 1.0))
    (only,) = results
    if rate is margin:
        low, high = only.interval
        return rates[0], (2 * low - 1, 2 * high - 1)
    n = round(rates[0] * only.games)
    return rates[0], Score(n, 0, only.games - n, only.distinct_games).interval


def rate_figure(pair: Pair, rate: Rate, results: Results, published: Counts | None = None) -> Figure:
    """A line of a table; what was published is shown, not compared."""
    rates = [rate(it) for it in results]
    mean, interval = measured(rate, results)
    counts = Counts(*np.sum([(it.wins, it.draws, it.losses) for it in results], axis=0).tolist())
    further = {"trainings": f"{min(rates):.2f} to {max(rates):.2f}"} if len(rates) > 1 else {}
    further |= {"won-drawn-lost": _counted(counts)}
    if rate is win_rate:
        further |= {"non-win rate": f"{non_win_rate(counts):.2f}"}
    if published is not None:
        further |= {"published won-drawn-lost": _counted(published)}
    return Figure(" v ".join(pair), mean, interval, games=counts.games, further=further)


def _counted(counts: Counts) -> str:
    return "-".join(f"{it:,}" for it in counts)


def one_training(by_side: Sequence[tuple[Score, Score]], n_games: int) -> Mapping[Rate, tuple[float, Interval]]:
    """What one of these trainings shows in so many games, its side drawn by lot before each: the mean, and where 95% lie.

    `by_side` has the results of each training when it begins and when it does not.
    """
    rng = np.random.default_rng(0)
    chances = np.array([[_chances(it) for it in both] for both in by_side])  # [trainings, sides, win draw loss]
    which = rng.integers(0, len(chances), RESAMPLES)
    begun = rng.binomial(n_games, 0.5, RESAMPLES)
    counts = rng.multinomial(begun, chances[which, 0]) + rng.multinomial(n_games - begun, chances[which, 1])
    shares = {win_rate: counts[:, 0] / n_games, non_loss_rate: (counts[:, 0] + counts[:, 1]) / n_games}
    means = chances.mean(axis=(0, 1))
    return {
        win_rate: (float(means[0]), _most_of(shares[win_rate])),
        non_loss_rate: (float(means[0] + means[1]), _most_of(shares[non_loss_rate])),
    }


def _chances(score: Score) -> list[float]:
    return [score.wins / score.games, score.draws / score.games, score.losses / score.games]


def _most_of(rates: NDArray[np.float64]) -> Interval:
    low, high = np.quantile(rates, (0.025, 0.975))
    return float(low), float(high)
