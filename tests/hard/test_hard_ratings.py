"""Ratings that say no more than the games do: on made-up fields of known strength, and on the zoo by fresh games."""

from collections.abc import Callable
from itertools import combinations, pairwise

import numpy as np
import pytest

import randori
from randori.arena import Rating, rate_among
from randori.arena.ratings import expected
from randori.arena.scores import Score
from randori.experiments.field import field, meet
from randori.experiments.ladder import ladder
from randori.players.files import ZOO, read_card
from randori.workers import Workers

Promise = Callable[[str, str, int, str], None]
FRESH_SEED = 1234
"""The zoo was rated with seed 0."""


def play(ours: float, theirs: float, n_games: int, rng: np.random.Generator) -> Score:
    wins = int(rng.binomial(n_games, 1 / (1 + 10 ** ((theirs - ours) / 400))))
    return Score(wins, 0, n_games - wins, n_games)


def made_up(rng: np.random.Generator) -> tuple[dict[str, float], dict[str, float], dict[tuple[str, str], Score]]:
    """Rungs, players and their games: 20 with everyone, 100 with the next above and below, as in the zoo."""
    rungs = {f"rung {i}": elo for i, elo in enumerate(np.cumsum([0, *rng.uniform(50, 400, 5)]))}
    truth = {f"player {i}": float(rng.uniform(-200, max(rungs.values()) + 600)) for i in range(rng.integers(1, 6))}
    everybody = rungs | truth
    order = sorted(everybody, key=lambda it: everybody[it])
    near = {frozenset(pair) for pair in pairwise(order)}
    scores = {}
    for a, b in combinations(everybody, 2):
        if {a, b} - set(rungs):
            scores[a, b] = play(everybody[a], everybody[b], 100 if {a, b} in near else 20, rng)
    return rungs, truth, scores


@pytest.mark.hard(minutes=4)
def test_ratings_of_made_up_fields(promise: Promise) -> None:
    rng = np.random.default_rng(8)
    n_fields, held, missed, far = 2500, [], 0, 0
    for _ in range(n_fields):
        rungs, truth, scores = made_up(rng)
        ratings = {it.name: it for it in rate_among(rungs, scores, rng, n_samples=200)}
        held += [ratings[name].low <= elo <= ratings[name].high for name, elo in truth.items()]
        for name, elo in truth.items():
            # Only by luck does a player so far below take points; other players near it may bound it.
            if elo > max(rungs.values()) + 550 and not any(elo - 550 < it < elo + 550 for it in _others(name, truth)):
                far += 1
                missed += ratings[name].extrapolated != "above"
            if max(rungs.values()) - 100 > elo > 100:
                assert ratings[name].extrapolated is None, (name, truth, rungs, ratings[name])
    assert 0.92 <= np.mean(held) <= 0.98, np.mean(held)
    assert far > 50
    assert missed <= 0.05 * far
    promise(
        "A rating's interval contains the true strength; a rating without opponents on both sides says that it is extrapolated.",
        "fields of made-up players of known strength, among and far above their rungs",
        len(held),
        f"{100 * np.mean(held):.1f}% of the 95% intervals; {far - missed} of {far} far above were marked as extrapolated",
    )


def _others(name: str, truth: dict[str, float]) -> list[float]:
    return [elo for other, elo in truth.items() if other != name]


@pytest.mark.hard(minutes=6)
def test_the_zoos_ratings_predict_fresh_games_of_neighbours(promise: Promise) -> None:
    found = []
    names = sorted({read_card(path).game for path in ZOO.glob("*.safetensors")})
    with Workers(1) as staff:
        for name in names:
            game = randori.game(name)
            known = field(game)
            elos = {it.name: it for it in known.ratings()}
            order = known.order()
            for ours in elos.values():
                weaker = order[order.index(ours.name) - 1]
                score = meet(game, ours.name, randori.player(ours.name, game), weaker, 40, FRESH_SEED, staff)
                assert score is not None
                low, high = score.interval
                gaps = _gaps(ours, weaker, elos, game.name)
                predicted = (float(expected(gaps[0])), float(expected(gaps[1])))
                found.append((ours.name, weaker, score, predicted))
                assert low <= predicted[1] + 0.05, found[-1]
                assert high >= predicted[0] - 0.05, found[-1]
    match = next(it[2] for it in found if it[:2] == ("zoo/othello8-alphazero", "zoo/othello8-evolution"))
    assert match.mean > 0.9
    promise(
        "Ratings of the zoo say who beats whom: neighbours score in fresh games what their ratings predict.",
        "each trained player against the next weaker of its field, 40 games with another seed",
        40 * len(found),
        f"all {len(found)} matches; AlphaZero against evolution on Othello 8x8 {match.wins} : {match.losses}",
    )


def _gaps(ours: Rating, weaker: str, elos: dict[str, Rating], game: str) -> tuple[float, float]:
    """The least and the greatest difference that the intervals allow; a rung's rating is the scale."""
    if weaker in elos:
        return ours.low - elos[weaker].high, ours.high - elos[weaker].low
    rung = ladder(randori.game(game))[weaker]
    return ours.low - rung, ours.high - rung
