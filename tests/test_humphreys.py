"""The paper's tables on tiny sizes, and its recipes as published."""

from dataclasses import replace
from pathlib import Path

import pytest

from randori.errors import UserError
from randori.experiments import CountingWorkers
from randori.experiments.papers import reproduce
from randori.methods.deep_q import paper as humphreys
from randori.methods.deep_q.config import PAPER, DeepQConfig
from randori.methods.deep_q.learner import DeepQLearner


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for tests that interrupt it."""
    monkeypatch.setitem(humphreys.SIZES, "quick", humphreys.Sizes(2, 8, 2, 1, 4))
    monkeypatch.setattr(humphreys, "_rounds", lambda name: 2)
    small = DeepQConfig(channels=4, blocks=1, games=4)
    monkeypatch.setattr(humphreys, "VARIANTS", {"ours": small, "Double": replace(small, double=True)})


tiny = pytest.fixture(shrink, name="tiny")


@pytest.mark.usefixtures("tiny")
def test_the_tables_are_made_and_made_again_from_what_is_there(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff:
        tables = {number: reproduce("humphreys", "quick", number, tmp_path, staff).tables[0] for number in (1, 4, 5, 6)}
        again = reproduce("humphreys", "quick", 4, tmp_path, staff).tables[0]
    assert again == tables[4]
    for number in (1, 4, 5):
        figures = tables[number].figures
        assert [it.published for it in figures] == list(humphreys.WIN_RATES[number].values())
        assert all(it.ours is not None and 0 <= it.ours <= 1 and it.games == 8 for it in figures)
    assert [it.what for it in tables[6].figures] == [
        f"{name} v {opponent}" for name in ("ours", "Double") for opponent in ("random", "heuristic")
    ]


def test_there_are_no_other_tables(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff, pytest.raises(UserError, match="no table 8"):
        reproduce("humphreys", "quick", 8, tmp_path, staff)


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
    assert humphreys.WIN_RATES[1]["dqn2", "random"] == 0.64
    assert humphreys.WIN_RATES[3]["dqn1-rs-selfplay", "dqn1"] == 0.68
    assert humphreys.WIN_RATES[1]["dqn1-rs", "random"] == 0.38
