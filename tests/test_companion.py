"""The companion: its estimate of a person, its dial, its manners."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from foreign import registered
from hypothesis import given
from hypothesis import strategies as st
from reference.companion import bayes, expected_score

import randori
from randori.app.commands.companion import companion
from randori.arena import Rating
from randori.core.game import LOSS, ONGOING, Game, States
from randori.core.notation import parse_transcript
from randori.core.positions import positions_of_random_games
from randori.experiments import make_companion
from randori.experiments.ladder import ladder
from randori.experiments.persons_table import table
from randori.games import names
from randori.players import Player
from randori.players.companion import (
    Companion,
    Dial,
    Estimate,
    PlayedGame,
    Rung,
    Weakened,
    dial,
    families,
    first_estimate,
    master,
    style_dial,
    update,
)
from randori.players.companion.dial import DIAL_FILE, rising
from randori.players.companion.estimate import AIR, DRIFT, SURPRISE, fair_elo, posterior
from randori.players.companion.losses import Judged, judge, losses
from randori.players.companion.manners import are_sensible, sensible
from randori.players.companion.setting import ALONE, MASTERED, SEARCHING, STYLED
from randori.players.simple import Random
from randori.search.uct import Uct
from randori.workers import Workers

MARKS = tuple(100.0 * i for i in range(len(ALONE)))
# The loss of a move falls evenly over the whole grid of ratings, as the reference assumes.
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
    slow = bayes(
        (mean, deviation), result, opponent, low=low, high=high, drift=DRIFT, surprise=SURPRISE, evidence=evidence
    )
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


def test_results_overrule_moves_that_look_poor() -> None:
    """A person who wins every game soon meets a strong opponent, whatever the search thinks of the moves."""
    scale = Dial(SCALE.elos, (Rung(0.0, 0.9, 0.05), Rung(MARKS[-1], 0.3, 0.05)), True)
    estimate = Estimate(300.0, 350.0, 0)
    for _ in range(10):
        estimate = posterior(scale, estimate, PlayedGame([], 0, 1.0, estimate.elo), Judged(0.9, 9))
    assert estimate.elo > 900


def test_losses_are_the_blunders() -> None:
    """A double threat that is not prevented loses the game; a missed win costs a win."""
    game = randori.game("tictactoe")
    missed = parse_transcript(game, "a1 b1 a2 b2 c1 b3")  # a3 won at once, c1 did not and let b3 win
    cost = losses(game, missed)
    assert cost[4] > 1.5
    assert abs(cost[5]) < 0.05
    assert judge(game, missed, 0).loss > judge(game, missed, 1).loss
    assert judge(game, missed, 0).moves == 3
    np.testing.assert_array_equal(cost, losses(game, missed))


def check_dial(scale: Dial) -> None:
    assert list(scale.elos) == sorted(set(scale.elos))
    assert scale.weakest == 0
    assert scale.marks[0].absent == 1
    elos = np.linspace(scale.weakest - 50, scale.strongest + 50, 500)
    settings = [scale.setting(float(elo)) for elo in elos]
    for weaker, stronger in itertools.pairwise(settings):
        assert stronger.absent <= weaker.absent
        assert stronger.temperature <= weaker.temperature
        assert stronger.bound <= weaker.bound
        assert stronger.simulations >= weaker.simulations
        assert stronger.mastery >= weaker.mastery
    for elo, mark in zip(scale.elos, scale.marks, strict=True):
        assert scale.setting(elo) == pytest.approx(mark)


@pytest.mark.parametrize("name", names())
def test_the_dial_is_monotone_and_continuous(name: str) -> None:
    scale = dial(randori.game(name))
    check_dial(scale)
    assert scale.marks[: len(SEARCHING)] == SEARCHING
    assert all(a.loss >= b.loss and a.elo < b.elo for a, b in itertools.pairwise(scale.losses))


@pytest.mark.parametrize("name", names())
def test_the_dial_ends_with_the_strongest_player_of_the_game(name: str) -> None:
    game = randori.game(name)
    scale = dial(game)
    assert scale.marks == (ALONE if scale.master is None else MASTERED)
    if scale.master is None:
        return
    assert scale.searching < scale.strongest
    rated = [it.elo for _, it in families(game) if it.elo is not None]
    assert scale.strongest > max(rated, default=0.0) - 100, "a slightly weaker player may be much quicker"
    states = ongoing(game, 2, 1)[::9]
    best = master(game, scale.master)
    assert best is not None
    top = Companion(game, Estimate(scale.strongest + 200, 50.0, 10))
    chosen = top.choose(states, np.random.default_rng(2)).actions
    theirs = np.array([best.choose(states, np.random.default_rng(seed)).actions for seed in range(3, 7)])
    # Players that draw lots may choose another, equally good move.
    sure = are_sensible(game, states, theirs[0]) & (theirs == theirs[0]).all(axis=0)
    assert sure.any()
    assert np.mean(chosen[sure] == theirs[0][sure]) > 0.8


def test_the_dial_of_an_unmeasured_board_reaches_the_top_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = randori.game("connect4")
    monkeypatch.setattr(sys.modules["randori.players.companion.dial"], "DIAL_FILE", tmp_path / "dial.json")
    dial.cache_clear()
    try:
        scale = dial(game)
        check_dial(scale)
        assert not scale.measured
        assert (scale.master, scale.strongest) == families(game)[0][1]
        assert scale.marks == MASTERED
        assert dial(randori.game("hex9")).marks == ALONE, "the zoo has no player there"
    finally:
        dial.cache_clear()


def test_the_dial_hardly_jumps_at_its_marks() -> None:
    """Just below and just above a mark, moves have nearly the same chances."""
    scale = dial(randori.game("connect4"))
    for elo in scale.elos[1:-1]:
        below, above = scale.setting(elo - 1e-6), scale.setting(elo + 1e-6)
        assert below == pytest.approx(above, rel=1e-4, abs=1e-4)
    assert scale.setting(scale.searching).mastery == pytest.approx(0.0)
    assert scale.setting(scale.strongest).mastery == 1.0


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
    ordinary = next(i for i, it in enumerate(dial(game).marks) if it.absent == 0)
    elos = [dial(game).elos[i] for i in (ordinary, ordinary + 2, -2)]
    partners: list[Player] = [Companion(game, Estimate(elo, 50.0, 10)) for elo in elos]
    # Even with borrowed moves: these come from `Random`, which sees no wins.
    partners += [Weakened(game, mark, Random(game)) for mark in (MASTERED[-1], STYLED[-2])]
    for partner in partners:
        after = game.play(states, partner.choose(states, np.random.default_rng(0)).actions)
        assert (game.outcome(after[can_win]) == LOSS).all()
        answers = game.children(after[blockable])
        assert not (game.outcome(answers.states) == LOSS).any()


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello6", "hex5"])
def test_single_moves_and_whole_positions_agree_on_what_is_sensible(name: str) -> None:
    game = randori.game(name)
    states = ongoing(game, 20, 8)
    actions = Random(game).choose(states, np.random.default_rng(0)).actions
    expected = sensible(game, states)[np.arange(len(states)), actions]
    np.testing.assert_array_equal(are_sensible(game, states, actions), expected)
    assert (~expected).any() or name == "othello6"


@pytest.mark.parametrize(
    ("name", "style"), [("connect4", "som"), ("connect4", "zoo/connect4-deep-q"), ("othello6", "heuristic")]
)
def test_a_style_resembles_its_player_at_any_level(name: str, style: str) -> None:
    game = randori.game(name)
    scale = style_dial(game, style)
    check_dial(scale)
    assert scale.marks == STYLED
    assert scale.losses == dial(game).losses
    model = master(game, scale.master or "")
    assert model is not None
    states = ongoing(game, 6, 3)[::4]
    top = Companion(game, Estimate(5000.0, 50.0, 10), style=style)
    assert top.elo == scale.strongest
    own = model.choose(states, np.random.default_rng(1)).actions
    polite = are_sensible(game, states, own)
    same = top.choose(states, np.random.default_rng(1)).actions == own
    assert same[polite].mean() > 0.6, "equals are drawn by lot"
    shares = []
    for elo in (scale.elos[0], scale.elos[4], scale.elos[5]):
        partner = Companion(game, Estimate(elo, 50.0, 10), style=style)
        chosen = [partner.choose(states, np.random.default_rng(seed)).actions for seed in range(10)]
        shares.append(np.mean([it[polite] == own[polite] for it in chosen]))
    assert shares == sorted(shares)
    assert shares[-1] > 0.6


def test_styles_are_families_or_players() -> None:
    game = randori.game("connect4")
    found = dict(families(game))
    assert found["som"].spec == "zoo/connect4-som"
    assert [it.elo for it in found.values()] == sorted((it.elo or 0.0 for it in found.values()), reverse=True)
    assert style_dial(game, "som").strongest == pytest.approx(found["som"].elo, abs=150)
    spec = 'companion:elo=300,style="lookahead:depth=2,evaluator=margin"'
    assert randori.player(spec, game).name == spec
    assert randori.player("companion:elo=300,style=som", game).name == "companion:elo=300,style=som"


def test_the_companion_plays_on_without_its_master(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = randori.game("connect4")
    assert master(game, "zoo/nobody") is None
    assert "plays Connect Four without 'zoo/nobody'" in capsys.readouterr().err
    actions = Weakened(game, MASTERED[-1], None).choose(game.start(3), np.random.default_rng(0)).actions
    assert game.legal(game.start(3))[np.arange(3), actions].all()


@pytest.mark.parametrize("name", ["connect4", "othello8"])
def test_no_move_it_thinks_about_loses_more_than_the_bound(name: str) -> None:
    game = randori.game(name)
    states = ongoing(game, 20, 6)
    for setting in SEARCHING[5:9]:
        weights = Weakened(game, setting).weights(states, np.random.default_rng(3))
        found = Uct(game, setting.simulations).search(states, np.random.default_rng(3))
        best = found.values[np.arange(len(states)), found.actions]
        too_much = (found.visits > 0) & (found.values < best[:, None] - setting.bound)
        forced = (weights > 0).sum(axis=1) == 1  # a threat must be met, whatever the search makes of it
        assert not (weights[~forced] > 0)[too_much[~forced]].any()
        assert (weights[~game.legal(states)] == 0).all()


@pytest.mark.parametrize("name", names())
def test_choices_are_legal_and_depend_only_on_the_generator(name: str) -> None:
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
def test_a_person_who_always_loses_meets_a_beatable_opponent(name: str) -> None:
    """Even one who plays well and then resigns."""
    game = randori.game(name)
    estimate = first_estimate(game)
    for n in range(25):
        partner = Companion(game, estimate)
        opening = game.pick(game.start(1), np.array([0.5]))
        estimate = update(game, estimate, PlayedGame([int(opening[0])], n % 2, 0.0, partner.elo))
    assert Companion(game, estimate).elo == dial(game).weakest == 0


def test_a_person_who_always_wins_meets_the_strongest_opponent() -> None:
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
    partner = Companion(game, Estimate(400.0, 80.0, 5))
    assert partner.elo == 400
    assert "I will play at about 400 Elo" in partner.introduction()
    assert "After 5 games I estimate your rating at 400 ± 80." in partner.introduction()
    assert "I played at about 400 Elo" in partner.account()
    assert "Before this game I estimated your rating at 400 ± 80." in partner.account()
    assert "a score of 60% for you" in Companion(game, Estimate(400.0, 80.0, 5), 0.6).introduction()
    assert "estimate" not in randori.player("companion:elo=400", game).introduction(), "the strength was set"
    assert "all my moves were random" in Companion(game, Estimate(-100.0, 80.0, 5)).account()
    assert "more weakly" in Companion(game, Estimate(-100.0, 80.0, 5)).account()
    assert "begin gently" in Companion(game, first_estimate(game)).introduction()
    strong = Companion(game, Estimate(5000.0, 80.0, 5)).account()
    assert "all my moves were those of the strongest player I know here" in strong
    assert "I cannot play more strongly than this." in strong
    styled = Companion(game, Estimate(5000.0, 80.0, 5), style="deep-q").account()
    assert styled.startswith("In the style of deep-q, I played at about")
    assert "all my moves were those of deep-q." in styled
    assert "I cannot play more strongly in this style." in styled


def test_unmeasured_strengths_are_called_a_guess() -> None:
    with registered():
        foreign = Companion(randori.game("breakthrough5"), Estimate(300.0, 80.0, 5))
        assert "because this game is not measured" in foreign.account()
    styled = Companion(randori.game("othello8"), Estimate(300.0, 80.0, 5), style="greedy")
    assert "because this style on this board is not measured" in styled.account()


def test_a_newcomer_meets_a_beginner_however_high_the_dial_reaches() -> None:
    for name in names():
        scale, newcomer = dial(randori.game(name)), first_estimate(randori.game(name))
        assert newcomer.elo < 0.4 * scale.searching
        assert newcomer.deviation > 0.3 * scale.strongest


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("companion:elo=strong", "must be a rating or 'newcomer', not 'strong'"),
        ("companion:elo=nan", "An estimate needs a rating"),
        ("companion:target=1", "The target score must be 0.05 to 0.95"),
        ("companion:style=nobody", "There is no style in Tic-Tac-Toe called 'nobody'"),
        ("companion:style=companion", "There is no style in Tic-Tac-Toe called 'companion'"),
        ("companion:style=gtp", "There is no style in Tic-Tac-Toe called 'gtp'"),
        ("companion:style=zoo/connect4-som", "plays connect4, not tictactoe"),
    ],
)
def test_bad_specs_are_refused(spec: str, sentence: str) -> None:
    with pytest.raises(randori.UserError, match=sentence):
        randori.player(spec, "tictactoe")


def test_the_bench_of_simulated_persons(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    companion("tictactoe", persons_a_rung=2, only="random", workers=1, out=tmp_path, json=True)
    report = json.loads(capsys.readouterr().out)
    (rung,) = report["rungs"]
    assert rung["player"] == "random"
    assert rung["games"] == rung["wins"] + rung["draws"] + rung["losses"] == 80
    assert rung["score"] == pytest.approx((rung["wins"] + rung["draws"] / 2) / 80, abs=1e-4)
    assert rung["interval"][0] < rung["score"] < rung["interval"][1]
    assert 0.3 < rung["score"] < 0.7
    assert "random (0)" in (tmp_path / "report.md").read_text()
    companion("tictactoe", persons_a_rung=2, only="random", workers=1, json=True)
    assert json.loads(capsys.readouterr().out) == report
    assert set(report) == {"game", "whose", "settling", "counted", "persons", "target", "style", "seed", "rungs"}
    assert report["style"] is None


def test_a_style_on_the_bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    companion("tictactoe", persons_a_rung=1, style="som", only="greedy", workers=1, out=tmp_path, json=True)
    report = json.loads(capsys.readouterr().out)
    assert (report["style"], report["rungs"][0]["games"]) == ("som", 40)
    text = (tmp_path / "report.md").read_text()
    assert "in the style of som" in text
    assert "The master is `zoo/tictactoe-som`." in text


def test_what_the_bench_refuses() -> None:
    for options, sentence in [
        ({"persons_a_rung": 0}, "--persons must be 1 or more"),
        ({"only": "x"}, "No rung begins with 'x'"),
    ]:
        with pytest.raises(randori.UserError, match=sentence):
            companion("tictactoe", **options)  # type: ignore[arg-type]


def test_the_doc_has_the_table_of_reports() -> None:
    doc = Path(__file__).parents[1] / "docs" / "companion.md"
    assert table() in doc.read_text(), "`python -m randori.experiments.persons_table` prints it"


def test_known_settings_are_not_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    game = randori.game("tictactoe")
    kept = json.loads(DIAL_FILE.read_text())["tictactoe"]
    placed: list[Player] = []

    def place(game: Game, player: Player, *rest: object, **options: object) -> Rating:
        placed.append(player)
        return Rating("", 100.0 + len(placed), 0.0, 200.0, 20, 0.5)

    monkeypatch.setattr(make_companion, "place", place)
    with Workers(1) as staff:
        meter = make_companion.Meter(game, staff)
        assert meter.dial(kept) == kept
        assert not placed
        incomplete = {**kept, "settings": kept["settings"][:6] + kept["settings"][7:]}
        again = meter.dial(incomplete)
        assert [it.setting for it in placed] == [SEARCHING[6]]
        assert again["settings"][6]["rating"] == 101.0
        placed.clear()
        styled = meter.style("som")["settings"]
    assert [it.master.name for it in placed] == ["zoo/tictactoe-som"] * (len(STYLED) - 1)
    assert styled[0]["rating"] == 0.0


def test_the_master_is_the_quickest_of_the_strongest_players(monkeypatch: pytest.MonkeyPatch) -> None:
    game = randori.game("gomoku9")
    monkeypatch.setattr(make_companion, "_cost", lambda game, spec: len(spec))
    found = make_companion.strongest(game)
    assert found is not None
    assert found.spec == min(("zoo/gomoku9-ntuple", "zoo/gomoku9-comparison", "zoo/gomoku9-alphazero"), key=len)
    othello = randori.game("othello4")
    strongest_rung = make_companion.strongest(othello)
    assert strongest_rung is not None
    assert strongest_rung.elo == max(ladder(othello).values())
