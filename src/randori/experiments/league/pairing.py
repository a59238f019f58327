"""Adaptive pairing: whose games say most about an order that is not settled yet.

Players of the league are *free*, the rungs of the ladder are *known*. Near the most likely ratings, what is uncertain about
them is a normal distribution (Laplace): a game between i and j adds p (1 - p) to the information about the difference of
their ratings, p being the chance that i wins. Two neighbours of the order are settled where the 95% interval of their
difference does not hold 0, or is so narrow that it does not matter who is ahead.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from randori.arena.ratings import ELO_PER_NAT, PRIOR_POINTS, expected
from randori.arena.scores import Z95, Score

Floats = NDArray[np.float64]
Pair = tuple[str, str]

ROUND = 20
"""Games of one meeting."""
CLOSE = 40.0
"""Elo either way within which the difference of two neighbours counts as known."""


@dataclass(frozen=True)
class Standings:
    """What is known so far; pairs are in alphabetical order, `free` in any."""

    free: tuple[str, ...]
    known: Mapping[str, float]
    """The rungs and their ratings."""
    elos: Mapping[str, float]
    """The most likely ratings of the free."""
    scores: Mapping[Pair, Score]
    meetings: Mapping[Pair, int]
    """How often each pair has met, for ROUND games each time."""

    @property
    def names(self) -> tuple[str, ...]:
        """The free players first."""
        return (*self.free, *self.known)

    def ratings(self) -> Floats:
        """`[N]`, in the order of the names."""
        return np.array([self.elos[it] if it in self.elos else self.known[it] for it in self.names])

    def covariance(self) -> Floats:
        """`[N, N]`, in nats squared; nothing about the known is uncertain."""
        n, names, elos = len(self.free), {name: place for place, name in enumerate(self.names)}, self.ratings()
        games = np.zeros((len(names), len(names)))
        for (a, b), score in self.scores.items():
            games[names[a], names[b]] = games[names[b], names[a]] = score.distinct_games
        information = -games * _variances(elos[:, None] - elos)
        met = [self.known[it] for pair in self.scores for it in pair if it in self.known]
        phantom = float(np.mean(met)) if met else float(np.mean(list(self.known.values())))
        own = 2 * PRIOR_POINTS * _variances(elos - phantom) - information.sum(axis=1)
        information[np.arange(len(names)), np.arange(len(names))] += own
        covariance = np.zeros_like(information)
        covariance[:n, :n] = np.linalg.inv(information[:n, :n])
        return covariance

    def unsettled(self, covariance: Floats) -> list[tuple[int, int]]:
        """Neighbours in the order, by their places among the names, where it is open who is stronger."""
        elos, n = self.ratings(), len(self.free)
        order = sorted(range(len(elos)), key=lambda it: (elos[it], it))
        found = []
        for a, b in pairwise(order):
            spread = covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]
            width = Z95 * ELO_PER_NAT * float(np.sqrt(max(spread, 0.0)))
            if min(a, b) < n and width > max(abs(elos[b] - elos[a]), CLOSE):
                found.append((a, b))
        return found


def _variances(gaps: Floats) -> Floats:
    """The variance of the result of a game, by the gap in Elo."""
    return np.asarray(expected(gaps) * expected(-gaps))


def next_pairs(standings: Standings, n_pairs: int, most_games: int) -> list[Pair]:
    """The pairs to play next, up to `n_pairs`; none where the order is settled, or those in question have played `most_games`.

    Each is the pair whose meeting most reduces the variance of all unsettled differences together, given that those chosen
    before it are played. Pairs that have met already say less that is new, since no rating predicts how all styles meet.
    """
    names, n = standings.names, len(standings.free)
    covariance, elos = standings.covariance(), standings.ratings()
    n_played = np.array([_games_of(it, standings.meetings) for it in standings.free])
    left = np.append(most_games - n_played, np.full(len(names) - n, np.inf))
    directions = _directions(standings.unsettled(covariance), left[:n] >= ROUND, len(names))
    weights = ROUND * _variances(elos[:, None] - elos)
    for (a, b), met in standings.meetings.items():
        i, j = names.index(a), names.index(b)
        weights[i, j] = weights[j, i] = weights[i, j] / (1 + met / 2)
    open_to = np.triu(np.ones_like(weights, np.bool_), 1)
    open_to[n:] = False  # two rungs
    chosen: list[Pair] = []
    while len(chosen) < n_pairs and len(directions):
        allowed = open_to & (left >= ROUND) & (left[:, None] >= ROUND)
        gains = np.where(allowed, gains_of(covariance, directions, weights), 0.0)
        if not gains.max() > 0:
            break
        # Rounded, so that equals are taken in their order and not by the last bit.
        i, j = divmod(int(np.round(gains / gains.max(), 9).argmax()), len(names))
        chosen.append((min(names[i], names[j]), max(names[i], names[j])))
        change = covariance[i] - covariance[j]
        covariance = covariance - np.outer(change, change) / (1 / weights[i, j] + change[i] - change[j])
        open_to[i, j] = False
        left[[i, j]] -= ROUND
    return chosen


def _games_of(name: str, meetings: Mapping[Pair, int]) -> int:
    return ROUND * sum(met for pair, met in meetings.items() if name in pair)


def _directions(pairs: Iterable[tuple[int, int]], can_play: NDArray[np.bool_], n: int) -> Floats:
    """`[U, N]`: the difference of each pair of which at least one can still play."""
    kept = [pair for pair in pairs if any(it < len(can_play) and can_play[it] for it in pair)]
    directions = np.zeros((len(kept), n))
    for row, (a, b) in enumerate(kept):
        directions[row, a], directions[row, b] = 1.0, -1.0
    return directions


def gains_of(covariance: Floats, directions: Floats, weights: Floats) -> Floats:
    """`[N, N]`: by how much the meeting of two reduces the variances of all `directions` together.

    A meeting of weight w along d takes w (a C d)² / (1 + w d C d) from the variance of a (Sherman and Morrison).
    """
    projected = directions @ covariance
    return weights * _spreads(projected.T @ projected) / (1 + weights * _spreads(covariance))


def _spreads(matrix: Floats) -> Floats:
    """`[N, N]`: d M d for the difference d of each pair."""
    diagonal = np.diag(matrix)
    return np.asarray(diagonal[:, None] + diagonal - 2 * matrix)
