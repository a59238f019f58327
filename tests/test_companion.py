"""The companion: its estimate of a person, its dial, its manners."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.companion import bayes, expected_score

import randori
from randori.app.commands.companion import companion
from randori.core.game import LOSS, ONGOING, Game, States
from randori.core.notation import parse_transcript
from randori.core.positions import positions_of_random_games
from randori.games import names
from randori.players.companion import (
    Companion,
    Dial,
    Estimate,
    PlayedGame,
    Rung,
    Weakened,
    dial,
    first_estimate,
    update,
)
from randori.players.companion.dial import SETTINGS, rising
from randori.players.companion.estimate import AIR, DRIFT, fair_elo, posterior
from randori.players.companion.losses import Judged, judge, losses
from randori.search.uct import Uct

MARKS = tuple(100.0 * i for i in range(len(SETTINGS)))
# What a move loses falls evenly over the whole grid of ratings, as the reference supposes.
SCALE = Dial(MARKS, (Rung(MARKS[0] - AIR, 0.2, 0.1), Rung(MARKS[-1] + AIR, 0.0, 0.04)), True)


def ongoing(game: Game, n: int, seed: int) -> States:
    states = positions_of_random_games(game, n, np.random.default_rng(seed))
    return states[game.outcome(states) == ONGOING]


@given(
    st.floats(0, 1000), st.floats(20, 400), st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1000), st.floats(-0.05, 0.4)
)
def test_the_update_is_bayes_rule(mean: float, deviation: float, result: float, opponent: float, loss: float) -> None:
    before, played = Estimate(mean, deviation, 3), PlayedGame([], 0, result, opponent)
    low, high = SCALE.weakest - AIR, SCALE.strongest + AIR
    found = posterior(SCALE, before, played, Judged(0.0, 0))
    slow = bayes((mean, deviation), result, opponent, low=low, high=high, drift=DRIFT)
    assert (found.elo, found.deviation) == pytest.approx(slow, abs=2)
    assert found.games == 4
    found = posterior(SCALE, before, played, Judged(loss, 9))
    evidence = (loss, 1 / 4, 0.2, 0.1, 0.0, 0.04)
    slow = bayes((mean, deviation), result, opponent, low=low, high=high, drift=DRIFT, evidence=evidence)
    assert (found.elo, found.deviation) == pytest.approx(slow, abs=2)


@given(st.floats(0, 1000), st.floats(0, 400), st.floats(0.2, 0.8))
def test_the_strength_chosen_gives_the_score_aimed_at(mean: float, deviation: float, target: float) -> None:
    opponent = fair_elo(Estimate(mean, deviation, 0), target)
    assert expected_score(mean, deviation, opponent) == pytest.approx(target, abs=0.02)


def test_better_results_and_better_moves_raise_the_estimate() -> None:
    before = Estimate(500.0, 200.0, 0)
    by_result = [posterior(SCALE, before, PlayedGame([], 0, it, 500.0), Judged(0.1, 9)).elo for it in (0, 0.5, 1)]
    by_moves = [posterior(SCALE, before, PlayedGame([], 0, 1, 500.0), Judged(it, 9)).elo for it in (0.2, 0.1, 0.0)]
    for elos in (by_result, by_moves):
        assert elos == sorted(elos)
        assert elos[-1] - elos[0] > 50
    assert posterior(SCALE, before, PlayedGame([], 0, 1, 500.0), Judged(0.1, 9)).deviation < before.deviation


def test_losses_are_the_blunders() -> None:
    """A double threat that is not prevented loses the game; a win left lying loses a win."""
    game = randori.game("tictactoe")
    missed = parse_transcript(game, "a1 b1 a2 b2 c1 b3")  # a3 won at once, c1 did not and let b3 win
    lost = losses(game, missed)
    assert lost[4] > 1.5
    assert abs(lost[5]) < 0.05
    assert judge(game, missed, 0).loss > judge(game, missed, 1).loss
    assert judge(game, missed, 0).moves == 3
    np.testing.assert_array_equal(lost, losses(game, missed))


@pytest.mark.parametrize("name", names())
def test_the_dial_is_monotone_and_continuous(name: str) -> None:
    scale = dial(randori.game(name))
    assert list(scale.elos) == sorted(set(scale.elos))
    assert scale.weakest == 0
    elos = np.linspace(scale.weakest - 50, scale.strongest + 50, 500)
    settings = [scale.setting(float(elo)) for elo in elos]
    for weaker, stronger in itertools.pairwise(settings):
        assert stronger.absent <= weaker.absent
        assert stronger.temperature <= weaker.temperature
        assert stronger.bound <= weaker.bound
        assert stronger.simulations >= weaker.simulations
    for elo, setting in zip(scale.elos, SETTINGS, strict=True):
        assert scale.setting(elo) == pytest.approx(setting)
    assert all(a.loss >= b.loss and a.elo < b.elo for a, b in itertools.pairwise(scale.losses))


@given(st.lists(st.floats(-1000, 1000), min_size=1, max_size=12))
def test_rising(measured: list[float]) -> None:
    risen = rising(measured)
    assert all(b - a > 0.99 for a, b in itertools.pairwise(risen))
    if all(b - a >= 1 for a, b in itertools.pairwise(measured)):
        assert risen == pytest.approx(measured)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "gomoku9"])
def test_it_takes_a_win_and_blocks_one_at_ordinary_levels(name: str) -> None:
    game = randori.game(name)
    states = ongoing(game, 30, 5)
    children = game.children(states)
    wins = game.outcome(children.states) == LOSS
    can_win = np.isin(np.arange(len(states)), children.parents[wins])
    replies = game.children(children.states)
    loses = np.zeros(len(children.actions), np.bool_)
    loses[replies.parents[game.outcome(replies.states) == LOSS]] = True
    safe = np.isin(np.arange(len(states)), children.parents[~loses])
    blockable = np.isin(np.arange(len(states)), children.parents[loses]) & ~can_win & safe
    assert can_win.sum() > 10
    assert blockable.sum() > 10
    ordinary = next(i for i, it in enumerate(SETTINGS) if it.absent == 0)
    for elo in (dial(game).elos[ordinary], dial(game).elos[ordinary + 2]):
        partner = Companion(game, Estimate(elo, 50.0, 10))
        after = game.play(states, partner.choose(states, np.random.default_rng(0)).actions)
        assert (game.outcome(after[can_win]) == LOSS).all()
        answers = game.children(after[blockable])
        assert not (game.outcome(answers.states) == LOSS).any()


@pytest.mark.parametrize("name", ["connect4", "othello8"])
def test_no_move_it_thinks_about_loses_more_than_the_bound(name: str) -> None:
    game = randori.game(name)
    states = ongoing(game, 20, 6)
    for setting in SETTINGS[5:9]:
        weights = Weakened(game, setting).weights(states, np.random.default_rng(3))
        found = Uct(game, setting.simulations).search(states, np.random.default_rng(3))
        best = found.values[np.arange(len(states)), found.actions]
        too_much = (found.visits > 0) & (found.values < best[:, None] - setting.bound)
        forced = (weights > 0).sum(axis=1) == 1  # a threat must be met, whatever the search makes of it
        assert not (weights[~forced] > 0)[too_much[~forced]].any()
        assert (weights[~game.legal(states)] == 0).all()


@pytest.mark.parametrize("name", names())
def test_choices_are_legal_and_depend_on_the_generator_alone(name: str) -> None:
    game = randori.game(name)
    states = ongoing(game, 3, 0)[::20]
    for elo in (0.0, 300.0, 800.0):
        partner = randori.player(f"companion:elo={elo:.0f}", game)
        chosen = partner.choose(states, np.random.default_rng(7)).actions
        assert chosen.dtype == np.int16
        assert game.legal(states)[np.arange(len(states)), chosen].all()
        np.testing.assert_array_equal(chosen, partner.choose(states, np.random.default_rng(7)).actions)


def test_a_stronger_setting_wins() -> None:
    game = randori.game("connect4")
    marks = dial(game).elos
    for weaker, stronger in [(0, 3), (3, 6), (6, 9)]:
        specs = [f"companion:elo={marks[i]:.0f}" for i in (stronger, weaker)]
        assert randori.match(*specs, "connect4", 60).score.mean > 0.6


@pytest.mark.parametrize("name", ["connect4", "gomoku9"])
def test_somebody_who_always_loses_meets_somebody_who_can_be_beaten(name: str) -> None:
    """Even one who plays well and then resigns."""
    game = randori.game(name)
    estimate = first_estimate(game)
    for n in range(25):
        partner = Companion(game, estimate)
        opening = game.pick(game.start(1), np.array([0.5]))
        estimate = update(game, estimate, PlayedGame([int(opening[0])], n % 2, 0.0, partner.elo))
    assert Companion(game, estimate).elo == dial(game).weakest == 0


def test_somebody_who_always_wins_meets_the_strongest() -> None:
    estimate = first_estimate(randori.game("connect4"))
    scale = dial(randori.game("connect4"))
    for _ in range(25):
        elo = min(max(estimate.elo, scale.weakest), scale.strongest)
        estimate = posterior(scale, estimate, PlayedGame([], 0, 1.0, elo), Judged(0.0, 0))
    assert Companion(randori.game("connect4"), estimate).elo == scale.strongest


def test_names_and_words() -> None:
    game = randori.game("othello8")
    assert randori.player("companion", game).name == "companion"
    assert randori.player("companion:elo=400,target=0.6", game).name == "companion:elo=400,target=0.6"
    assert Companion(game, Estimate(400.0, 80.0, 5)).elo == 400
    assert "about 400 Elo" in Companion(game, Estimate(400.0, 80.0, 5)).account()
    assert "any legal" in Companion(game, Estimate(-100.0, 80.0, 5)).account()
    assert "not measured" in Companion(randori.game("gomoku19"), Estimate(300.0, 80.0, 5)).account()


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("companion:elo=strong", "is a rating or 'newcomer', not 'strong'"),
        ("companion:elo=nan", "An estimate needs a rating"),
        ("companion:target=1", "The score to aim at is 0.05 to 0.95"),
    ],
)
def test_what_a_spec_cannot_say(spec: str, sentence: str) -> None:
    with pytest.raises(randori.UserError, match=sentence):
        randori.player(spec, "tictactoe")


def test_the_bench_of_simulated_persons(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    companion("tictactoe", persons_a_rung=2, only="random", workers=1, out=tmp_path, json=True)
    told = json.loads(capsys.readouterr().out)
    (rung,) = told["rungs"]
    assert rung["player"] == "random"
    assert rung["games"] == rung["wins"] + rung["draws"] + rung["losses"] == 80
    assert rung["score"] == pytest.approx((rung["wins"] + rung["draws"] / 2) / 80, abs=1e-4)
    assert rung["interval"][0] < rung["score"] < rung["interval"][1]
    assert 0.3 < rung["score"] < 0.7
    assert "random (0)" in (tmp_path / "report.md").read_text()
    companion("tictactoe", persons_a_rung=2, only="random", workers=1, json=True)
    assert json.loads(capsys.readouterr().out) == told


def test_what_the_bench_refuses() -> None:
    for options, sentence in [
        ({"persons_a_rung": 0}, "At least one person"),
        ({"only": "x"}, "No rung begins with 'x'"),
    ]:
        with pytest.raises(randori.UserError, match=sentence):
            companion("tictactoe", **options)  # type: ignore[arg-type]
