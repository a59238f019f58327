"""What the ratings of a league prove: means over seeds, ranks that intervals allow, what search adds.

A league is read here as its JSON has it, so that a stored one says the same as one that was just made.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from randori.experiments.findings import Figure, difference
from randori.experiments.intervals import interval_of_few, interval_of_mean
from randori.experiments.league.plan import Question

_FEW = 10
"""Seeds up to which Student's t gives the interval."""

Plain = Mapping[str, Any]


class Rank(NamedTuple):
    """The places that a line can have by the intervals; one place where `best` is `worst`."""

    best: int
    worst: int

    @property
    def words(self) -> str:
        return str(self.best) if self.best == self.worst else f"{self.best}-{self.worst}"


class Standing(NamedTuple):
    """A line at its end: the mean over seeds."""

    line: str
    title: str
    elo: float
    interval: tuple[float, float]
    extrapolated: str | None
    rank: Rank
    n_seeds: int
    cpu_seconds: float | None
    milliseconds: float | None
    accuracy: tuple[float, tuple[float, float]] | None
    """A share with its interval."""


def snapshots_at(of_game: Plain, line: str, question: Question) -> dict[int, list[Plain]]:
    """The rated snapshots of a line by their point, in order; a list has one of each seed."""
    found: dict[int, list[Plain]] = {}
    for it in of_game["snapshots"]:
        if it["line"] == line and it[question] is not None and it[question]["rating"] is not None:
            found.setdefault(it["point"] or 0, []).append(it)
    return dict(sorted(found.items()))


def last_snapshots(of_game: Plain, line: str, question: Question, point: int | None = None) -> list[Plain]:
    """The longest-trained snapshot of each seed, up to that point."""
    found = snapshots_at(of_game, line, question)
    last = {it["seed"]: it for at, rows in found.items() if point is None or at <= point for it in rows}
    return list(last.values())


def mean_rating(ratings: Sequence[Plain]) -> tuple[float, tuple[float, float]]:
    """Over seeds, with its 95% interval: for one seed the interval of its rating; for several, one that follows from how much
    they differ, and is no narrower than their own intervals allow.
    """
    elos = [it["elo"] for it in ratings]
    mean = float(np.mean(elos))
    below, above = (math.hypot(*(it["elo"] - it[end] for it in ratings)) / len(ratings) for end in ("low", "high"))
    low, high = mean - below, mean + above
    if len(elos) > 1:
        by_seeds = interval_of_few(elos) if len(elos) <= _FEW else interval_of_mean(elos)
        low, high = min(low, by_seeds[0]), max(high, by_seeds[1])
    return mean, (low, high)


def mean_share(accuracies: Sequence[Plain]) -> tuple[float, tuple[float, float]]:
    """The same of shares of right moves."""
    as_ratings = [dict(zip(("elo", "low", "high"), (it["share"], *it["interval"]), strict=True)) for it in accuracies]
    mean, (low, high) = mean_rating(as_ratings)
    return mean, (max(low, 0.0), min(high, 1.0))


def standings(of_game: Plain, question: Question, point: int | None = None) -> list[Standing]:
    """All lines by the ratings of their last snapshots up to that point, the strongest first."""
    found = []
    for line in of_game["lines"]:
        rows = last_snapshots(of_game, line["name"], question, point)
        if rows:
            found.append(_standing(line, [it[question] for it in rows], [it["cpu_seconds"] for it in rows]))
    figures = [Figure(it.line, it.elo, _open_ended(it.interval, it.extrapolated)) for it in found]
    ranked = [it._replace(rank=rank) for it, rank in zip(found, joint_ranks(figures), strict=True)]
    return sorted(ranked, key=lambda it: -it.elo)


def _standing(line: Plain, measured: Sequence[Plain], cpu_seconds: Sequence[float | None]) -> Standing:
    elo, interval = mean_rating([it["rating"] for it in measured])
    beyond = next((it["rating"]["extrapolated"] for it in measured if it["rating"]["extrapolated"]), None)
    accuracies = [it["accuracy"] for it in measured if it["accuracy"] is not None]
    return Standing(
        line["name"],
        line["title"],
        elo,
        interval,
        beyond,
        Rank(1, 1),
        len(measured),
        _mean(cpu_seconds),
        _mean([it["milliseconds"] for it in measured]),
        mean_share(accuracies) if accuracies else None,
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [it for it in values if it is not None]
    return float(np.mean(known)) if known else None


def _open_ended(interval: tuple[float, float], beyond: str | None) -> tuple[float, float]:
    """Beyond everybody of known strength, one end of the interval is not known."""
    low, high = interval
    return (-math.inf if beyond == "below" else low), (math.inf if beyond == "above" else high)


def joint_ranks(figures: Sequence[Figure]) -> list[Rank]:
    """Ranks by how many are surely (95%) ahead and how many surely behind; the places between are shared."""
    n = len(figures)
    ahead = [[_is_ahead(one, other) for other in figures] for one in figures]
    return [Rank(1 + sum(row[i] for row in ahead), n - sum(ahead[i])) for i in range(n)]


def _is_ahead(one: Figure, other: Figure) -> bool:
    return one is not other and difference(one, other)[0] > 0


class Added(NamedTuple):
    """What a line gains by thinking, in Elo."""

    line: str
    title: str
    elo: float
    interval: tuple[float, float]


def added_by_search(of_game: Plain) -> list[Added]:
    """The rating as a player minus that of knowledge alone, both of the last snapshots; mean over seeds."""
    found = []
    for line in of_game["lines"]:
        alone = {it["seed"]: it for it in last_snapshots(of_game, line["name"], "knowledge")}
        both = [
            (alone[it["seed"]], it) for it in last_snapshots(of_game, line["name"], "player") if it["seed"] in alone
        ]
        if both:
            gains = [_gain(before["knowledge"]["rating"], after["player"]["rating"]) for before, after in both]
            found.append(Added(line["name"], line["title"], *mean_rating(gains)))
    return sorted(found, key=lambda it: -it.elo)


def _gain(before: Plain, after: Plain) -> dict[str, float]:
    figures = [Figure("", it["elo"], (it["low"], it["high"])) for it in (after, before)]
    low, high = difference(*figures)
    return {"elo": after["elo"] - before["elo"], "low": low, "high": high}
