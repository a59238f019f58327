"""Adaptive pairing, judged by a slow reference that computes every variance from scratch."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from randori.arena.ratings import ELO_PER_NAT, expected, rate_among
from randori.arena.scores import Score
from randori.experiments.league.pairing import CLOSE, ROUND, Standings, next_pairs

KNOWN = {"r0": 0.0, "r1": 300.0, "r2": 800.0}


def played(true: dict[str, float], pairs: list[tuple[str, str]], seed: int) -> dict[tuple[str, str], Score]:
    rng = np.random.default_rng(seed)
    found: dict[tuple[str, str], Score] = {}
    for a, b in pairs:
        wins = int(rng.binomial(ROUND, expected(true[a] - true[b])))
        found[a, b] = found.get((a, b), Score(0, 0, 0, 0)) + Score(wins, 0, ROUND - wins, ROUND)
    return found


def some_standings(seed: int, n: int = 5) -> Standings:
    rng = np.random.default_rng(seed)
    free = tuple(f"a{place}" for place in range(n))
    true = {name: float(rng.uniform(0, 900)) for name in free} | KNOWN
    pairs = [(name, "r1") for name in free]
    pairs += [tuple(sorted(map(str, rng.choice([*true], 2, replace=False)))) for _ in range(6)]  # type: ignore[misc]
    pairs = [it for it in pairs if not set(it) <= set(KNOWN)]
    scores = played(true, pairs, seed)
    elos = {it.name: it.elo for it in rate_among(KNOWN, scores, rng, n_samples=0)}
    return Standings(free, KNOWN, elos, scores, {pair: it.games // ROUND for pair, it in scores.items()})


def slow_covariance(standings: Standings, more: dict[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """The covariances of the free players, from the information of every single game; `more` are weights beyond the games."""
    free = standings.free
    elo = {**standings.known, **standings.elos}
    information = np.zeros((len(free), len(free)))

    def add(a: str, b: str | None, weight: float) -> None:
        direction = np.array([(it == a) - (it == b) for it in free], np.float64)
        information[:] += weight * np.outer(direction, direction)

    for (a, b), score in standings.scores.items():
        for _ in range(score.distinct_games):
            add(a, b, expected(elo[a] - elo[b]) * expected(elo[b] - elo[a]))
    known_opponents = [KNOWN[it] for pair in standings.scores for it in pair if it in KNOWN]
    for name in free:
        gap = elo[name] - sum(known_opponents) / len(known_opponents)
        add(name, None, expected(gap) * expected(-gap))
    for (a, b), weight in more.items():
        add(a, b, weight)
    inverse = np.linalg.inv(information)
    return {(a, b): float(inverse[i, j]) for i, a in enumerate(free) for j, b in enumerate(free)}


def variance(covariance: dict[tuple[str, str], float], a: str, b: str) -> float:
    def at(one: str, other: str) -> float:
        return covariance.get((one, other), 0.0)

    return at(a, a) + at(b, b) - 2 * at(a, b)


def slow_next_pairs(standings: Standings, n_pairs: int, most_games: int) -> list[tuple[str, str]]:
    elo = {**standings.known, **standings.elos}
    n_games = {it: ROUND * sum(n for pair, n in standings.meetings.items() if it in pair) for it in standings.free}
    before = slow_covariance(standings, {})
    order = sorted(elo, key=lambda it: elo[it])
    unsettled = []
    for a, b in pairwise(order):
        width = 1.959964 * ELO_PER_NAT * variance(before, a, b) ** 0.5
        can_play = any(it in n_games and n_games[it] + ROUND <= most_games for it in (a, b))
        if {a, b} - set(KNOWN) and width > max(abs(elo[a] - elo[b]), CLOSE) and can_play:
            unsettled.append((a, b))
    more: dict[tuple[str, str], float] = {}
    for _ in range(n_pairs):
        now = slow_covariance(standings, more)
        best, most = None, 0.0
        for a, b in combinations(sorted(elo), 2):
            full = any(it in n_games and n_games[it] + ROUND > most_games for it in (a, b))
            if {a, b} <= set(KNOWN) or full or (a, b) in more:
                continue
            weight = ROUND * expected(elo[a] - elo[b]) * expected(elo[b] - elo[a])
            weight /= 1 + standings.meetings.get((a, b), 0) / 2
            then = slow_covariance(standings, more | {(a, b): weight})
            gain = sum(variance(now, *it) - variance(then, *it) for it in unsettled)
            if gain > most * (1 + 1e-9):
                best, most = ((a, b), weight), gain
        if best is None:
            break
        more[best[0]] = best[1]
        for it in best[0]:
            n_games[it] = n_games.get(it, -(10**9)) + ROUND
    return list(more)


@pytest.mark.parametrize("seed", range(8))
def test_pairs_are_those_of_the_slow_reference(seed: int) -> None:
    standings = some_standings(seed)
    for most_games in (60, 80, 10_000):
        assert next_pairs(standings, 4, most_games) == slow_next_pairs(standings, 4, most_games)


@pytest.mark.parametrize("seed", range(4))
def test_covariances_are_those_of_single_games(seed: int) -> None:
    standings = some_standings(seed)
    slow, fast = slow_covariance(standings, {}), standings.covariance()
    for (i, a), (j, b) in combinations(enumerate(standings.free), 2):
        assert fast[i, j] == pytest.approx(slow[a, b])
    assert not fast[len(standings.free) :].any()


def test_a_settled_order_needs_no_more_games() -> None:
    scores = {("a", "r1"): Score(500, 0, 500, 1000), ("b", "r2"): Score(500, 0, 500, 1000)}
    elos = {"a": 300.0, "b": 800.0}
    meetings = dict.fromkeys(scores, 50)
    assert next_pairs(Standings(("a", "b"), {"r1": 200.0, "r2": 900.0}, elos, scores, meetings), 4, 10**6) == []
    # The same ratings from few games leave it open, except for players who have had all their games.
    few = {pair: Score(5, 0, 5, 10) for pair in scores}
    standings = Standings(("a", "b"), {"r1": 200.0, "r2": 900.0}, elos, few, dict.fromkeys(few, 1))
    assert next_pairs(standings, 4, 10**6)
    assert next_pairs(standings, 4, ROUND) == []


def test_equals_are_settled_once_they_are_known_to_be_close() -> None:
    known = {"r": 0.0}
    scores = {("a", "b"): Score(2000, 0, 2000, 4000), ("a", "r"): Score(1990, 0, 10, 2000)}
    scores["b", "r"] = scores["a", "r"]
    elos = {"a": 900.0, "b": 901.0}
    standings = Standings(("a", "b"), known, elos, scores, dict.fromkeys(scores, 1))
    assert standings.unsettled(standings.covariance()) == []


def test_adaptive_pairing_finds_the_order_with_fewer_games_than_all_play_all() -> None:
    true = {f"a{place}": 90.0 * place for place in range(9)} | KNOWN
    free = tuple(it for it in true if it not in KNOWN)
    meetings: dict[tuple[str, str], int] = {}
    scores: dict[tuple[str, str], Score] = {}
    pairs = [(it, "r1") for it in free]
    for batch in range(200):
        for pair, score in played(true, pairs, batch).items():
            scores[pair] = scores.get(pair, Score(0, 0, 0, 0)) + score
            meetings[pair] = meetings.get(pair, 0) + 1
        elos = {it.name: it.elo for it in rate_among(KNOWN, scores, np.random.default_rng(0), n_samples=0)}
        pairs = next_pairs(Standings(free, KNOWN, elos, scores, meetings), 3, 1000)
        if not pairs:
            break
    assert not pairs
    assert sorted(elos, key=lambda it: elos[it]) == sorted(free)
    n_games = sum(it.games for it in scores.values())
    # All-play-all would give each pair as many games as the most that any pair had here.
    most = max(score.games for (a, b), score in scores.items() if b not in KNOWN)
    assert n_games < most * len(true) * (len(true) - 1) / 2
