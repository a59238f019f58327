"""Scores and ratings, judged by exact coverage, simulation and an independent optimiser."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multinomial

from randori.arena.ratings import PRIOR_POINTS, Rating, expected, in_words, rate, rate_among, rate_one
from randori.arena.scores import Score, total
from randori.errors import UserError

WIDE_LADDER = {"random": 0.0, "greedy": 150.0, "heuristic": 400.0, "search": 700.0, "network": 900.0}


def played(wins: int, draws: int, losses: int) -> Score:
    return Score(wins, draws, losses, wins + draws + losses)


def simulate(elos: dict[str, float], n_games: int, seed: int, draw_share: float = 0.2) -> dict[tuple[str, str], Score]:
    """All against all; `draw_share` of the points that the weaker may expect come as draws."""
    rng = np.random.default_rng(seed)
    scores = {}
    for a, b in itertools.combinations(elos, 2):
        mean = 1 / (1 + 10 ** ((elos[b] - elos[a]) / 400))
        draws = 2 * draw_share * min(mean, 1 - mean)
        scores[a, b] = played(*map(int, rng.multinomial(n_games, [mean - draws / 2, draws, 1 - mean - draws / 2])))
    return scores


def rate_seeded(scores: dict[tuple[str, str], Score], **options: object) -> dict[str, Rating]:
    return {rating.name: rating for rating in rate(scores, np.random.default_rng(7), **options)}  # type: ignore[arg-type]


def coverage(n_games: int, mean: float, draw_share: float) -> float:
    """Exact: the probability of all results whose interval holds the true mean."""
    draws = 2 * draw_share * min(mean, 1 - mean)
    chances = np.array([mean - draws / 2, draws, 1 - mean - draws / 2])
    grid = np.mgrid[: n_games + 1, : n_games + 1].reshape(2, -1).T
    deviations = np.abs(grid - n_games * chances[:2]) / np.sqrt(n_games * chances * (1 - chances) + 1)[:2]
    likely = grid[(grid.sum(axis=1) <= n_games) & (deviations < 4.5).all(axis=1)]
    results = np.column_stack((likely, n_games - likely.sum(axis=1)))
    intervals = np.array([played(*map(int, result)).interval for result in results])
    holds = (intervals[:, 0] <= mean) & (mean <= intervals[:, 1])
    return float(multinomial.pmf(results[holds], n_games, chances).sum())


@pytest.mark.parametrize("n_games", [20, 50, 100, 1000])
def test_the_interval_covers_the_true_mean(n_games: int) -> None:
    for mean, draw_share in itertools.product((0.1, 0.35, 0.5, 0.8), (0.05, 0.3, 0.6)):
        assert 0.93 <= coverage(n_games, mean, draw_share) <= 0.99, (mean, draw_share)


@pytest.mark.parametrize(("mean", "draw_share"), [(0.02, 0.1), (0.98, 0.1), (0.05, 0.9), (0.95, 0.9), (0.5, 0.95)])
def test_the_interval_is_not_too_narrow_where_games_hardly_vary(mean: float, draw_share: float) -> None:
    assert min(coverage(n_games, mean, draw_share) for n_games in (20, 100)) >= 0.92


def test_the_interval_is_wilsons_without_draws() -> None:
    # The Wilson interval for 8 of 10, as in Brown, Cai and DasGupta (2001), equation 4.
    z, n, mean = 1.959964, 10, 0.8
    centre = (8 + z**2 / 2) / (n + z**2)
    reach = z * math.sqrt(n) / (n + z**2) * math.sqrt(mean * (1 - mean) + z**2 / (4 * n))
    assert played(8, 0, 2).interval == pytest.approx((centre - reach, centre + reach), abs=1e-6)


def test_no_game_proves_nothing_and_one_little() -> None:
    assert played(0, 0, 0).interval == (0.0, 1.0)
    assert math.isnan(played(0, 0, 0).mean)
    assert played(1, 0, 0).interval == pytest.approx((0.2065, 1.0), abs=1e-4)
    low, high = played(0, 1, 0).interval
    assert 0 < low < 0.2
    assert high == pytest.approx(1 - low)


@pytest.mark.parametrize("score", [played(100, 0, 0), played(0, 100, 0), played(0, 0, 100)])
def test_games_that_all_ended_alike_leave_an_interval(score: Score) -> None:
    low, high = score.interval
    assert 0 <= low <= score.mean <= high <= 1
    assert 0.02 < high - low < 0.05


def test_replayed_games_add_no_certainty() -> None:
    assert Score(500, 0, 500, 2).interval == pytest.approx(played(1, 0, 1).interval)


def test_the_opponent_sees_the_mirror_image() -> None:
    score = Score(7, 2, 1, 9)
    assert score.reverse() == Score(1, 2, 7, 9)
    assert score.reverse().reverse() == score
    assert score.reverse().mean == pytest.approx(1 - score.mean)
    low, high = score.interval
    assert score.reverse().interval == pytest.approx((1 - high, 1 - low))


def test_scores_add_up() -> None:
    assert total([Score(1, 2, 3, 4), Score(5, 0, 0, 1)]) == Score(1, 2, 3, 4) + Score(5, 0, 0, 1) == Score(6, 2, 3, 5)
    assert total([]) == Score(0, 0, 0, 0)


@pytest.mark.parametrize("counts", [(-1, 1, 1, 1), (1, 1, 1, 4), (1, 0, 0, 0), (0, 0, 0, 1)])
def test_impossible_counts_are_refused(counts: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="Score"):
        Score(*counts)


def test_expected_is_elos_curve() -> None:
    assert expected(0.0) == 0.5
    assert expected(400.0) == pytest.approx(10 / 11)
    assert expected(-200.0) + expected(200.0) == pytest.approx(1)
    assert expected(np.array([-1e6, 1e6])).tolist() == [0.0, 1.0]


def test_two_players_differ_by_the_log_odds() -> None:
    ratings = rate_seeded({("a", "b"): played(700_000, 100_000, 200_000)})
    assert ratings["a"].elo == pytest.approx(400 * math.log10(0.75 / 0.25), abs=0.01)
    assert (ratings["b"].elo, ratings["b"].low, ratings["b"].high) == (0, 0, 0)
    assert ratings["a"].games == 1_000_000
    assert ratings["a"].score == 0.75


def test_known_ratings_are_recovered_as_often_as_the_intervals_promise() -> None:
    hits = []
    for seed in range(60):
        ratings = rate_seeded(simulate(WIDE_LADDER, 50, seed), n_samples=200)
        hits += [ratings[name].low <= elo <= ratings[name].high for name, elo in WIDE_LADDER.items() if elo]
    assert 0.9 <= np.mean(hits) <= 0.99


def test_many_games_recover_the_ratings() -> None:
    ratings = rate_seeded(simulate(WIDE_LADDER, 100_000, seed=1))
    assert {name: rating.elo for name, rating in ratings.items()} == pytest.approx(WIDE_LADDER, abs=10)
    assert all(rating.high - rating.low < 25 for rating in ratings.values())


def test_the_anchor_is_zero_and_gaps_do_not_depend_on_it() -> None:
    scores = simulate(WIDE_LADDER, 100, seed=2)
    ratings = rate_seeded(scores)
    moved = rate_seeded(scores, anchor="search")
    assert ratings["random"].elo == moved["search"].elo == 0
    for name in WIDE_LADDER:
        assert moved[name].elo == pytest.approx(ratings[name].elo - ratings["search"].elo)
    without_random = rate_seeded({pair: score for pair, score in scores.items() if "random" not in pair})
    assert min(rating.elo for rating in without_random.values()) == 0


def test_an_absent_anchor_is_refused_with_a_suggestion() -> None:
    with pytest.raises(UserError, match="greedy"):
        rate_seeded(simulate(WIDE_LADDER, 10, seed=2), anchor="gredy")


def test_the_order_and_the_side_of_the_input_do_not_matter() -> None:
    scores = simulate(WIDE_LADDER, 30, seed=3)
    shuffled = dict(reversed(scores.items()))
    turned = {(b, a): score.reverse() for (a, b), score in scores.items()}
    assert rate_seeded(shuffled) == rate_seeded(turned) == rate_seeded(scores)
    halves = {("a", "b"): played(5, 1, 2), ("b", "a"): played(1, 0, 3)}
    assert rate_seeded(halves) == rate_seeded({("a", "b"): played(8, 1, 3)})


def test_equal_players_are_rated_equal_and_the_list_is_sorted() -> None:
    pairs = itertools.combinations("abc", 2)
    assert [rating.elo for rating in rate_seeded({pair: played(3, 4, 3) for pair in pairs}).values()] == [0, 0, 0]
    elos = [rating.elo for rating in rate(simulate(WIDE_LADDER, 50, seed=4), np.random.default_rng(0))]
    assert elos == sorted(elos, reverse=True)


def test_an_unbeaten_player_is_finite_and_uncertain() -> None:
    rating = rate_seeded({("a", "b"): played(100, 0, 0)})["a"]
    assert 600 < rating.low < rating.elo - 50 < rating.elo + 100 < rating.high < 5000


def test_an_anchor_that_always_lost_leaves_everyone_uncertain() -> None:
    lost = played(0, 0, 100)
    ratings = rate_seeded({("random", "a"): lost, ("random", "b"): lost, ("a", "b"): played(50, 0, 50)})
    assert ratings["a"].high - ratings["a"].low > 300


def test_replays_do_not_narrow_a_rating() -> None:
    once = rate_seeded({("a", "b"): played(3, 0, 1)})["a"]
    replayed = rate_seeded({("a", "b"): Score(300, 0, 100, 4)})["a"]
    assert (replayed.elo, replayed.low, replayed.high) == pytest.approx((once.elo, once.low, once.high))


@pytest.mark.parametrize("gap", [{}, {("b", "c"): played(0, 0, 0)}])
def test_players_who_never_met_are_not_compared(gap: dict[tuple[str, str], Score]) -> None:
    with pytest.raises(UserError, match="a, b never met c, d"):
        rate_seeded({("a", "b"): played(1, 0, 1), ("c", "d"): played(1, 0, 1)} | gap)


def test_a_chain_of_opponents_is_enough() -> None:
    chain = {pair: played(2, 0, 1) for pair in itertools.pairwise("abcdefg")}
    assert list(rate_seeded(chain)) == list("abcdefg")


def test_nothing_to_rate_and_playing_oneself_are_refused() -> None:
    with pytest.raises(UserError, match="no games"):
        rate_seeded({})
    with pytest.raises(UserError, match="itself"):
        rate_seeded({("a", "a"): played(1, 0, 1)})


def test_the_fit_agrees_with_a_general_optimiser() -> None:
    scores = simulate(WIDE_LADDER, 12, seed=5)
    names = list(WIDE_LADDER)

    def loss(nats: np.ndarray) -> float:
        strength = dict(zip(names, nats, strict=True))
        value = PRIOR_POINTS * sum(math.log1p(math.exp(x)) + math.log1p(math.exp(-x)) for x in nats)
        for (a, b), score in scores.items():
            points = score.wins + score.draws / 2
            value += points * math.log1p(math.exp(strength[b] - strength[a]))
            value += (score.games - points) * math.log1p(math.exp(strength[a] - strength[b]))
        return value

    nats = minimize(loss, np.zeros(len(names)), method="BFGS", options={"gtol": 1e-7}).x
    ratings = rate_seeded(scores)
    elos = [ratings[name].elo for name in names]
    assert elos == pytest.approx((nats - nats[0]) * 400 / math.log(10), abs=0.05)


def test_twelve_players_are_rated_at_once() -> None:
    scores = simulate({f"player{i}": 150.0 * i for i in range(12)}, 40, seed=6)
    start = time.process_time()
    rate_seeded(scores, n_samples=200)
    assert time.process_time() - start < 0.5


def test_one_player_against_a_ladder_has_the_same_likelihood() -> None:
    one = rate_one("a", {"b": 100.0}, {"b": played(60_000, 20_000, 20_000)})
    assert one.elo == pytest.approx(100 + 400 * math.log10(7 / 3), abs=0.5)
    assert one.low < one.elo < one.high < one.low + 10
    assert (one.name, one.games, one.score) == ("a", 100_000, 0.7)


def test_one_players_interval_holds_the_truth_as_often_as_it_promises() -> None:
    hits = []
    for seed in range(200):
        scores = simulate({"new": 550.0} | WIDE_LADDER, 20, seed, draw_share=0.0)
        own = {opponent: scores["new", opponent] for opponent in WIDE_LADDER}
        rating = rate_one("new", WIDE_LADDER, own)
        hits.append(rating.low <= 550 <= rating.high)
    assert 0.91 <= np.mean(hits) <= 0.99


def test_one_player_who_lost_everything_is_finite() -> None:
    rating = rate_one("new", {"random": 0.0, "best": 2000.0}, {"random": played(0, 0, 100)})
    assert -3000 < rating.low < rating.elo < rating.high < -500


def test_one_player_needs_rated_opponents() -> None:
    with pytest.raises(UserError, match="greedy, who have no rating"):
        rate_one("new", {"random": 0.0}, {"greedy": played(1, 0, 0)})
    with pytest.raises(UserError, match="no game"):
        rate_one("new", {"random": 0.0}, {"random": played(0, 0, 0)})


def rate_among_seeded(
    known: dict[str, float], scores: dict[tuple[str, str], Score], **options: int
) -> dict[str, Rating]:
    return {it.name: it for it in rate_among(known, scores, np.random.default_rng(7), **options)}


RUNGS = {name: WIDE_LADDER[name] for name in ("random", "greedy", "heuristic", "search")}
TRAINED = {"pupil": 300.0, "network": 900.0, "better network": 1200.0}


def fit_by_gradient(known: dict[str, float], scores: dict[tuple[str, str], Score]) -> dict[str, float]:
    """Plain gradient ascent on the log-likelihood, one game at a time, in natural units; it shares nothing with the fit."""
    free = sorted({it for pair in scores for it in pair if it not in known})
    opponents = {it for pair, score in scores.items() for it in pair if it in known and not set(pair) <= set(known)}
    phantom = sum(known[it] for it in opponents) / len(opponents)
    scale = math.log(10) / 400
    strength = {it: elo * scale for it, elo in known.items()} | dict.fromkeys(free, phantom * scale)
    for _ in range(20_000):
        slope = {it: PRIOR_POINTS - 2 * PRIOR_POINTS / (1 + math.exp(phantom * scale - strength[it])) for it in free}
        n = dict.fromkeys(free, 1.0)
        for (a, b), score in scores.items():
            surplus = score.wins + score.draws / 2 - score.games / (1 + math.exp(strength[b] - strength[a]))
            for it, sign in ((a, 1), (b, -1)):
                if it in slope:
                    slope[it] += sign * surplus
                    n[it] += score.games
        for it in free:
            # The second derivative is at most a quarter per game, twice that with the cross terms.
            strength[it] += 2 * slope[it] / n[it]
        if max(map(abs, slope.values())) < 1e-7:
            break
    return {it: strength[it] / scale for it in free}


@pytest.mark.parametrize("seed", range(3))
def test_the_fit_on_a_known_scale_agrees_with_plain_gradient_ascent(seed: int) -> None:
    scores = simulate(RUNGS | TRAINED, 20, seed)
    ratings = rate_among_seeded(RUNGS, scores)
    assert {it.name: it.elo for it in ratings.values()} == pytest.approx(fit_by_gradient(RUNGS, scores), abs=0.01)


def test_one_player_on_a_known_scale_is_rated_as_by_rate_one() -> None:
    scores = simulate({"new": 550.0} | RUNGS, 40, seed=1)
    ours = rate_among_seeded(RUNGS, scores)["new"]
    one = rate_one("new", RUNGS, {it: scores["new", it] for it in RUNGS})
    assert ours.elo == pytest.approx(one.elo, abs=0.5)
    assert (ours.low, ours.high) == pytest.approx((one.low, one.high), abs=25)
    assert (ours.games, ours.score) == (one.games, one.score)


def test_many_games_recover_ratings_on_a_known_scale() -> None:
    ratings = rate_among_seeded(RUNGS, simulate(RUNGS | TRAINED, 100_000, seed=1))
    assert {name: it.elo for name, it in ratings.items()} == pytest.approx(TRAINED, abs=10)
    assert list(ratings) == ["better network", "network", "pupil"]


def test_intervals_on_a_known_scale_hold_the_truth_even_at_the_end_of_a_chain() -> None:
    """Only the weakest of the three meets a rung; its uncertainty passes on to those who depend on it."""
    truth = {"a": 900.0, "b": 1100.0, "c": 1300.0}
    chain = [("a", "search"), ("b", "a"), ("c", "b")]
    hits = []
    for seed in range(100):
        scores = simulate(RUNGS | truth, 60, seed)
        scores = {pair: scores.get(pair) or scores[pair[::-1]].reverse() for pair in chain}
        ratings = rate_among_seeded(RUNGS, scores, n_samples=200)
        hits += [ratings[name].low <= elo <= ratings[name].high for name, elo in truth.items()]
    assert 0.9 <= np.mean(hits) <= 0.99


def test_games_among_the_known_do_not_count() -> None:
    scores = simulate(RUNGS | TRAINED, 20, seed=3)
    without = {pair: score for pair, score in scores.items() if not set(pair) <= set(RUNGS)}
    assert rate_among_seeded(RUNGS, scores) == rate_among_seeded(RUNGS, without)


def test_a_player_who_wins_or_loses_every_game_is_extrapolated() -> None:
    all_won = {("best", rung): played(40, 0, 0) for rung in RUNGS}
    all_lost = {("worst", rung): played(0, 0, 40) for rung in RUNGS}
    between = {("mid", "random"): played(40, 0, 0), ("mid", "search"): played(0, 0, 40)}
    ratings = rate_among_seeded(RUNGS, all_won | all_lost | between)
    assert {name: it.extrapolated for name, it in ratings.items()} == {"best": "above", "mid": None, "worst": "below"}
    assert all(math.isfinite(it.low) and math.isfinite(it.high) for it in ratings.values())
    assert ratings["best"].low > 700
    assert ratings["worst"].high < 0


def test_equals_far_above_all_others_are_extrapolated() -> None:
    scores = {(name, "search"): played(100, 0, 0) for name in ("one", "other")} | {("one", "other"): played(50, 0, 50)}
    assert {it.extrapolated for it in rate_among_seeded(RUNGS, scores).values()} == {"above"}
    # One opponent of known strength who takes some points from one of them is enough for both.
    ratings = rate_among_seeded(RUNGS, scores | {("one", "search"): played(90, 0, 10)})
    assert {it.extrapolated for it in ratings.values()} == {None}


def test_players_are_not_rated_without_a_way_to_the_known() -> None:
    apart = {("a", "random"): played(1, 0, 1), ("b", "c"): played(1, 0, 1)}
    with pytest.raises(UserError, match="random never met b, c"):
        rate_among_seeded(RUNGS, apart)
    with pytest.raises(UserError, match="known rating"):
        rate_among_seeded(RUNGS, {("b", "c"): played(1, 0, 1)})
    assert set(rate_among_seeded(RUNGS, apart | {("c", "search"): played(0, 0, 1)})) == {"a", "b", "c"}


def test_an_extrapolated_rating_says_so() -> None:
    old = {"elo": 1255.5, "low": 1123.0, "high": 1426.5, "games": 300}
    assert in_words(old) == in_words(old | {"extrapolated": None}) == "1256 (1123 .. 1426)"
    above = in_words(old | {"extrapolated": "above"})
    assert above == "at least 1256 (1123 .. 1426), above everybody of known strength"
    assert in_words(old | {"extrapolated": "below"}).startswith("at most 1256")
