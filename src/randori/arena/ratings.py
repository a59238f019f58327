"""Ratings on the Elo scale: Bradley-Terry over all games, with intervals that admit what the games leave open."""

from __future__ import annotations

import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from randori.arena.scores import Z95, Score, total
from randori.errors import UserError, suggest

Floats = NDArray[np.float64]
Number = TypeVar("Number", float, Floats)

ELO_PER_NAT = 400 / math.log(10)

# The prior: every player drew one game against a phantom of average strength, half a point for each. It keeps a player
# finite who won or lost everything, and pulls nobody harder than half a lost game does. In the expected score against
# the phantom it is Jeffreys' prior, Beta(1/2, 1/2).
PRIOR_POINTS = 0.5

DEFAULT_ANCHOR = "random"

# Points per game. Who takes fewer says little of how much stronger the other is: chance, and which styles a player happens
# to lose a game to, then decide more than its strength.
HOLDS = 0.05

Beyond = Literal["above", "below"]


@dataclass(frozen=True)
class Rating:
    """`low` and `high` bound the difference to the anchor (95%); `score` is the mean over the player's `games`.

    `extrapolated` where nobody whose strength is known holds the player on that side (see `rate_among`).
    """

    name: str
    elo: float
    low: float
    high: float
    games: int
    score: float
    extrapolated: Beyond | None = None


def in_words(rating: Mapping[str, Any]) -> str:
    """A rating of a card in words; cards of earlier versions do not say whether it is extrapolated."""
    figure = f"{rating['elo']:.0f} ({rating['low']:.0f} .. {rating['high']:.0f})"
    beyond = rating.get("extrapolated")
    return figure if beyond is None else f"{at_bound(figure, beyond)}, {beyond} everybody of known strength"


def at_bound(figure: str, beyond: str | None) -> str:
    """A figure; one that is extrapolated is a bound, such as `at least 1256`."""
    return figure if beyond is None else f"{'at least' if beyond == 'above' else 'at most'} {figure}"


def expected(elo_difference: Number) -> Number:
    """Expected score of a player who is `elo_difference` stronger: 10 to 1 at 400."""
    return np.exp(_log_expected(elo_difference))


def _log_expected(elo_difference: Number) -> Number:
    return -np.logaddexp(0.0, -elo_difference / ELO_PER_NAT)


def rate(
    scores: Mapping[tuple[str, str], Score],
    rng: np.random.Generator,
    *,
    anchor: str | None = None,
    n_samples: int = 500,
) -> list[Rating]:
    """Ratings of all who played, the strongest first; `scores[a, b]` is seen by `a`.

    The anchor has the rating 0: the named player, else `random` where it played, else the weakest.
    A pair counts with its distinct games, so that replays add no certainty.

    The intervals come from the Bayesian bootstrap (Rubin 1981): each sample weighs every game afresh, a game of weight
    w by Gamma(w), within its pair. The prior's games are weighed with them, so that also a pair that always ended alike
    gets an interval; drawing whole games with replacement would repeat the one result and claim certainty.
    """
    pairs = _ordered(scores)
    names = sorted({name for pair in pairs for name in pair})
    _check_connected(names, pairs)
    if anchor is not None and anchor not in names:
        raise UserError(f"The anchor '{anchor}' is not among those who played." + suggest(anchor, names))

    elos = _fit(_samples(names, len(names), pairs, rng, n_samples), np.zeros(1))
    if anchor is None:
        anchor = DEFAULT_ANCHOR if DEFAULT_ANCHOR in names else names[int(elos[0].argmin())]
    elos -= elos[:, [names.index(anchor)]]
    low, high = np.quantile(elos[1:], (0.025, 0.975), axis=0)

    return _ratings(names, elos[0], low, high, pairs)


def rate_among(
    known: Mapping[str, float],
    scores: Mapping[tuple[str, str], Score],
    rng: np.random.Generator,
    *,
    at_least: AbstractSet[str] = frozenset(),
    n_samples: int = 500,
) -> list[Rating]:
    """Ratings of all who played but whose rating is not known, the strongest first, in one fit.

    As in `rate`, but on the scale of those whose ratings are taken as known, whose mean is the phantom's rating (of
    those met). So the intervals hold what is uncertain about one another, but not what is about the known.

    A rating is extrapolated upwards where nobody holds the player from above: no opponent surely (95%) takes HOLDS of
    the points from it who is held as well, or known and not of those known to be `at_least` so strong. So two equals who
    beat everybody else do not hold each other.
    """
    pairs = {pair: score for pair, score in _ordered(scores).items() if not known.keys() >= set(pair)}
    met = sorted({name for pair in pairs for name in pair})
    free, fixed = [it for it in met if it not in known], [it for it in met if it in known]
    if not fixed:
        raise UserError("None of the players has a known rating; add an opponent from the ladder.")
    _check_connected([*fixed, *free], pairs, at_once=set(fixed))
    theirs = np.array([known[it] for it in fixed])
    elos = _fit(_samples([*free, *fixed], len(free), pairs, rng, n_samples), np.append(theirs, theirs.mean()))
    low, high = np.quantile(elos[1:], (0.025, 0.975), axis=0) if n_samples else (elos[0], elos[0])
    beyond = _extrapolated(free, set(fixed), at_least, pairs)
    return [replace(it, extrapolated=beyond[it.name]) for it in _ratings(free, elos[0], low, high, pairs)]


def _ratings(
    names: list[str], elos: Floats, low: Floats, high: Floats, pairs: Mapping[tuple[str, str], Score]
) -> list[Rating]:
    ratings = []
    for i, name in enumerate(names):
        own = total(score if name == a else score.reverse() for (a, b), score in pairs.items() if name in (a, b))
        ratings.append(Rating(name, float(elos[i]), float(low[i]), float(high[i]), own.games, own.mean))
    return sorted(ratings, key=lambda rating: -rating.elo)


def _extrapolated(
    free: list[str], known: set[str], at_least: AbstractSet[str], pairs: Mapping[tuple[str, str], Score]
) -> dict[str, Beyond | None]:
    met = [(a, b, score.interval[0], score.reverse().interval[0]) for (a, b), score in pairs.items()]
    met += [(b, a, theirs, ours) for a, b, ours, theirs in met]
    held_above, held_below = known - at_least, set(known)
    for _ in free:
        held_above |= {a for a, b, _, theirs in met if b in held_above and theirs >= HOLDS}
        held_below |= {a for a, b, ours, _ in met if b in held_below and ours >= HOLDS}
    return {it: "above" if it not in held_above else "below" if it not in held_below else None for it in free}


def rate_one(name: str, opponents: Mapping[str, float], scores: Mapping[str, Score]) -> Rating:
    """The rating of one player against opponents whose ratings are taken as known; `scores` are seen by the player.

    The same likelihood and prior as in `rate`, the phantom standing at the mean rating of those met. The interval holds
    the ratings whose log-likelihood is at most Z95² / 2 below the best (the likelihood ratio test). Draws vary less
    than the likelihood supposes, so many of them make it too wide. Exact to half an Elo point.
    """
    met = sorted(opponent for opponent, score in scores.items() if score.games)
    unrated = [opponent for opponent in met if opponent not in opponents]
    if unrated:
        raise UserError(f"'{name}' played {', '.join(unrated)}, who have no rating; rate these opponents first.")
    if not met:
        raise UserError(f"'{name}' played no game against a rated opponent; let it play some.")

    theirs = np.array([opponents[opponent] for opponent in met])
    results = np.array([_results(scores[opponent]) for opponent in met])
    wins = np.append(results @ (1, 0.5, 0), PRIOR_POINTS)
    losses = np.append(results @ (0, 0.5, 1), PRIOR_POINTS)
    theirs = np.append(theirs, theirs.mean())

    # The prior alone holds a player with a million games won within 4000 of the strongest opponent.
    grid = np.arange(theirs.min() - 4000, theirs.max() + 4000, 0.5)
    gaps = grid[:, None] - theirs
    log_likelihood = _log_expected(gaps) @ wins + _log_expected(-gaps) @ losses
    kept = grid[log_likelihood >= log_likelihood.max() - Z95**2 / 2]
    own = total(scores[opponent] for opponent in met)
    return Rating(name, float(grid[log_likelihood.argmax()]), float(kept[0]), float(kept[-1]), own.games, own.mean)


def _ordered(scores: Mapping[tuple[str, str], Score]) -> dict[tuple[str, str], Score]:
    """One score per pair that played, names and pairs in alphabetical order: random numbers must not depend on the
    caller's order.
    """
    pairs: dict[tuple[str, str], Score] = {}
    for (a, b), score in scores.items():
        if a == b:
            raise UserError(f"'{a}' was paired with itself; give the two different names.")
        pair, oriented = ((a, b), score) if a < b else ((b, a), score.reverse())
        pairs[pair] = pairs.get(pair, Score(0, 0, 0, 0)) + oriented
    if not pairs:
        raise UserError("There are no games to rate; play some first.")
    return dict(sorted(pairs.items()))


def _check_connected(
    names: list[str], pairs: Mapping[tuple[str, str], Score], at_once: AbstractSet[str] = frozenset()
) -> None:
    """Between two groups that never met, no difference in strength is known, and the prior must not invent one.

    Those `at_once` count as having met.
    """
    reached = {names[0], *at_once}
    for _ in names:
        reached |= {name for pair, score in pairs.items() if score.games and reached & set(pair) for name in pair}
    apart = [name for name in names if name not in reached]
    if apart:
        raise UserError(
            f"{', '.join(sorted(reached))} never met {', '.join(apart)}, directly or through others; "
            "let at least one of each side play each other."
        )


def _results(score: Score) -> tuple[float, float, float]:
    """Wins, draws and losses in proportion, as many as there are distinct games."""
    share = score.distinct_games / max(score.games, 1)
    return score.wins * share, score.draws * share, score.losses * share


def _samples(
    names: list[str], n_free: int, pairs: Mapping[tuple[str, str], Score], rng: np.random.Generator, n_samples: int
) -> Floats:
    """Points of each player against each, `[1 + n_samples, N + 1, N + 1]`; first those scored, then the resampled.

    The last row and column belong to the phantom, whom the first `n_free` players met.
    """
    results = np.array([_results(score) for score in pairs.values()])  # [pairs, 3]
    prior = np.full((n_free, 2), PRIOR_POINTS)
    results = np.concatenate((results[None], rng.standard_gamma(results, (n_samples, *results.shape))))
    prior = np.concatenate((prior[None], rng.standard_gamma(prior, (n_samples, *prior.shape))))

    first = [names.index(a) for a, _ in pairs]
    second = [names.index(b) for _, b in pairs]
    points = np.zeros((1 + n_samples, len(names) + 1, len(names) + 1))
    points[:, first, second] = results @ (1, 0.5, 0)
    points[:, second, first] = results @ (0, 0.5, 1)
    points[:, :n_free, -1] = prior[..., 0]
    points[:, -1, :n_free] = prior[..., 1]
    return points


def _fit(points: Floats, known: Floats) -> Floats:
    """The most likely ratings `[B, N]` of the first players for points `[B, N + K, N + K]`; `known [K]` are the last's.

    Newton's method. A step that would change the gaps by up to d nats is shortened to log(1 + d) / d of its length:
    the likelihood then never falls (Sun and Tran-Dinh 2019, generalized self-concordant functions), and near the
    solution the steps are whole.
    """
    games = points + points.swapaxes(1, 2)
    n = points.shape[1] - len(known)
    elos = np.full(points.shape[:2], known.mean())
    elos[:, n:] = known
    step = np.zeros_like(elos)
    diagonal = np.arange(points.shape[1])
    for _ in range(100):
        chances = expected(elos[:, :, None] - elos[:, None, :])
        reverse_chances = chances.swapaxes(1, 2)
        surplus = (points * reverse_chances - points.swapaxes(1, 2) * chances).sum(axis=2)
        information = -games * chances * reverse_chances
        information[:, diagonal, diagonal] -= information.sum(axis=2)
        step[:, :n] = np.linalg.solve(information[:, :n, :n], surplus[:, :n, None])[..., 0]
        gap = np.maximum(np.ptp(step, axis=1, keepdims=True), 1e-300)
        elos += ELO_PER_NAT * step * np.log1p(gap) / gap
        if gap.max() < 1e-9:
            return elos[:, :n]
    raise ArithmeticError("The ratings did not converge within 100 steps.")
