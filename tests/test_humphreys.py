"""The paper's tables on tiny sizes, and its recipes as published."""

from dataclasses import replace
from pathlib import Path

import pytest

from randori.arena import Score
from randori.errors import UserError
from randori.experiments import CountingWorkers
from randori.experiments.papers import reproduce
from randori.methods.deep_q import paper as humphreys
from randori.methods.deep_q import paper_agents, paper_beyond
from randori.methods.deep_q.config import PAPER, DeepQConfig
from randori.methods.deep_q.learner import DeepQLearner
from randori.methods.deep_q.paper_claims import alike, claims
from randori.methods.deep_q.paper_published import DQN, PUBLISHED, Counts
from randori.methods.deep_q.paper_rates import (
    non_loss_rate,
    non_win_rate,
    one_training,
    rate_figure,
    win_rate,
)


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the paper tiny; also for tests that interrupt it."""
    monkeypatch.setitem(humphreys.SIZES, "quick", humphreys.Sizes(2, 8, 2, 1, 4, 2))
    monkeypatch.setattr(humphreys, "_rounds", lambda name: 2)
    monkeypatch.setattr(paper_agents, "GAMES_A_SIDE", 2)
    monkeypatch.setattr(paper_beyond, "SIMULATIONS", (5,))
    small = DeepQConfig(channels=4, blocks=1, games=4)
    monkeypatch.setattr(humphreys, "VARIANTS", {"ours": small, "Double": replace(small, double=True)})


tiny = pytest.fixture(shrink, name="tiny")


@pytest.mark.usefixtures("tiny")
def test_the_tables_are_made_and_reproduced_from_stored_results(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff:
        reports = {number: reproduce("humphreys", "quick", number, tmp_path, staff) for number in (1, 4, 5, 6, 9)}
        again = reproduce("humphreys", "quick", 4, tmp_path, staff)
    assert again.tables == reports[4].tables
    for number in (1, 4, 5):
        wins, non_losses = reports[number].tables[:2]
        assert [it.published for it in wins.figures] == [win_rate(it) for it in PUBLISHED[number].values()]
        assert [it.published for it in non_losses.figures] == [non_loss_rate(it) for it in PUBLISHED[number].values()]
        for win, non_loss in zip(wins.figures, non_losses.figures, strict=True):
            assert win.ours is not None
            assert non_loss.ours is not None
            assert 0 <= win.ours <= non_loss.ours <= 1
            assert win.games == 8
    assert [it.what for it in reports[6].tables[0].figures] == [
        f"{name} v {opponent}" for name in ("ours", "Double") for opponent in ("random", "heuristic")
    ]
    assert len(reports[9].tables[0].figures) == 7
    assert len(reports[1].claims) == 3


@pytest.mark.usefixtures("tiny")
def test_agents_that_learn_on_have_tables_of_their_own(tmp_path: Path) -> None:
    """The rule ends no training of two games, so that both kinds of agents are the same."""
    with CountingWorkers(1) as staff:
        report = reproduce("humphreys", "quick", 1, tmp_path, staff)
    wins, _, unstopped, _, learned = report.tables
    assert unstopped.title.startswith("Table 1 without the stopping rule")
    assert [it.ours for it in unstopped.figures] == [it.ours for it in wins.figures]
    assert all(it.published is None and "published won-drawn-lost" in it.further for it in unstopped.figures)
    assert [it.ours for it in learned.figures] == [2.0] * 8
    assert all("Without the stopping rule" in it.why for it in report.claims)


@pytest.mark.usefixtures("tiny")
def test_trees_are_not_called_trained(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff:
        tables = reproduce("humphreys", "quick", 5, tmp_path, staff).tables
    assert "nothing is trained" in tables[0].note
    assert not any("trainings" in it.further for it in tables[0].figures)
    assert len(tables[2].figures) == 9


def test_there_are_no_other_tables(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff, pytest.raises(UserError, match="no table 10"):
        reproduce("humphreys", "quick", 10, tmp_path, staff)


def test_published_games_and_rates_add_up() -> None:
    for number, table in PUBLISHED.items():
        for counts in table.values():
            assert counts.games == (20 if number == 5 else 50)
            assert win_rate(counts) + non_win_rate(counts) == pytest.approx(1)
            assert non_loss_rate(counts) + counts.losses / counts.games == pytest.approx(1)
    assert win_rate(PUBLISHED[1]["dqn2", "random"]) == 0.64
    assert non_loss_rate(PUBLISHED[1]["dqn2", "random"]) == 0.88
    assert win_rate(PUBLISHED[3]["dqn1-rs-selfplay", "dqn1"]) == 0.68
    # As the paper adds them up: what dqn2 and dqn1 did not lose against all eight.
    assert [sum(it.draws + it.losses for it in PUBLISHED[table].values()) for table in (2, 3)] == [356, 238]


def test_published_agents_that_meet_each_other_repeat_two_games() -> None:
    meetings = [it for table in PUBLISHED.values() for pair, it in table.items() if "random" not in pair]
    assert all(min(it) == 0 for it in meetings)


def test_a_line_of_a_table() -> None:
    line = rate_figure(("one", "other"), win_rate, [Score(6, 2, 2, 10), Score(4, 0, 6, 10)], Counts(30, 2, 18))
    assert (line.what, line.ours, line.games, line.published) == ("one v other", 0.5, 20, None)
    assert line.further == {
        "trainings": "0.40 to 0.60",
        "won-drawn-lost": "10-2-8",
        "non-win rate": "0.50",
        "published won-drawn-lost": "30-2-18",
    }
    assert line.interval == (0.0, 1.0)  # two trainings prove next to nothing
    alone = rate_figure(("one", "other"), non_loss_rate, [Score(60, 20, 20, 100)])
    assert alone.ours == 0.8
    assert alone.interval is not None
    assert alone.interval == pytest.approx((0.711, 0.867), abs=0.001)  # Wilson


def test_one_deterministic_training_shows_how_often_it_began() -> None:
    begun_is_won = [(Score(2, 0, 0, 1), Score(0, 0, 2, 1))]
    mean, interval = one_training(begun_is_won, 50)[win_rate]
    assert mean == 0.5
    assert interval == (0.36, 0.64)  # a binomial distribution
    drawn_or_lost = [(Score(0, 2, 0, 1), Score(0, 0, 2, 1))]
    assert one_training(drawn_or_lost, 50)[win_rate] == (0.0, (0.0, 0.0))
    assert one_training(drawn_or_lost, 50)[non_loss_rate][0] == 0.5


def results(share: float) -> list[Score]:
    """Three trainings that win about this share of their games."""
    return [Score(wins, 0, 1000 - wins, 1000) for wins in (round(1000 * share) + it for it in (-5, 0, 5))]


def test_claims_hold_where_figures_say_so() -> None:
    shares = dict(zip(DQN, (0.6, 0.52, 0.38, 0.4, 0.64, 0.5, 0.46, 0.41), strict=True))
    as_published = {(name, "random"): results(share) for name, share in shares.items()}
    verdicts = {it.claim: it.verdict for it in claims(as_published)}
    assert verdicts["dqn2 does best against random play."] == "holds"
    assert verdicts["Shaped rewards make agents worse against random play."] == "holds"
    # Not even by its own figures: dqn1-rs-selfplay is better than dqn1-rs.
    assert list(verdicts.values())[2] == "does not hold"
    assert {it.verdict for it in claims({pair: results(0.5) for pair in as_published})} == {"undecided"}
    others = {pair: results(0.2 if pair[1] == "dqn2" else 0.5) for table in (2, 3) for pair in PUBLISHED[table]}
    assert next(it.verdict for it in claims(others) if "generalises" in it.claim) == "holds"


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [((-0.05, 0.09), "holds"), ((-0.2, 0.09), "undecided"), ((0.11, 0.3), "does not hold")],
)
def test_two_are_alike_where_neither_is_ahead_by_much(interval: tuple[float, float], verdict: str) -> None:
    assert alike(interval) == verdict


def test_recipes_are_as_published() -> None:
    assert len(PAPER) == 10
    for name, config in PAPER.items():
        assert (config.discount, config.hidden, config.win, config.draw, config.loss) == (0.1, (64,) * 3, 1.0, 0.5, 0.0)
        assert (config.bootstrap, config.steps, config.double, config.symmetric) == ("reply", 1, False, False)
        assert config.network == ("board" if name.startswith("dqn2") else "action")
        assert config.shaping == ("-rs" in name)
        assert config.opponent == ("earlier" if "selfplay" in name else "random")
        assert config.suppress_unplayed == name.startswith("dqn2")
        if name.startswith("dsqn"):
            assert (config.method, config.replay, config.batch, config.exploring) == ("sarsa", 256, 64, 0.1)
            assert DeepQLearner.presets[name].rounds == 100
        else:
            assert (config.method, config.replay, config.fit, config.rate) == ("q", 4096, "whole", 0.001)
            assert (config.exploring, config.last_exploring, config.patience) == (0.2, 0.0, 10)
