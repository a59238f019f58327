"""The transfer study on tiny sizes, and its arithmetic."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from randori.errors import UserError
from randori.experiments import CountingWorkers
from randori.experiments.intervals import interval_of_few
from randori.experiments.papers import load_paper, reproduce
from randori.methods.alphazero import paper as hongcharoen
from randori.methods.alphazero.config import AlphaZeroConfig


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for tests that interrupt it."""
    config = AlphaZeroConfig(channels=4, blocks=1, simulations=4, games=4, batch=16, play_simulations=4)
    study = hongcharoen.Study(("tictactoe", "othello4"), (("othello4", "othello6"),), config, (1, 2), 2, 4)
    monkeypatch.setitem(hongcharoen.STUDIES, "quick", study)


tiny = pytest.fixture(shrink, name="tiny")


@pytest.mark.usefixtures("tiny")
def test_the_tables_are_made_and_made_again_from_what_is_there(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff:
        report = reproduce("hongcharoen", "quick", None, tmp_path, staff)
        again = reproduce("hongcharoen", "quick", 1, tmp_path, staff)
    assert again.tables[0] == report.tables[0]
    first, second, third, fourth = report.tables
    assert [it.what for it in first.figures][:2] == [
        "tictactoe to othello4, trained, round 1",
        "tictactoe to othello4, trained, round 2",
    ]
    assert len(second.figures) == 4
    assert [it.what.split(",")[0] for it in third.figures] == ["othello4 to othello6"] * 4
    assert [it.what for it in fourth.figures] == ["trained, CPU time", "frozen, CPU time"]
    assert all(0.1 < it.ours < 10 for it in fourth.figures)
    assert {chart.name for chart in report.charts} == {"transfer-tictactoe", "transfer-othello4"}


@pytest.mark.parametrize(
    ("moved", "alone", "saved"),
    [
        ([0.5, 0.6], [0.25, 0.5], 10.0),  # at round 10 it has what scratch has at 20
        ([0.25, 0.5], [0.5, 0.6], -10.0),
        ([0.3, 0.5], [0.3, 0.5], 0.0),
        ([0.6, 0.6], [0.1, 0.3], 15.0),  # half of the way to the first point
        ([0.5, 0.2], [0.25, 0.5], 10.0),  # what was known once counts
    ],
)
def test_rounds_saved(moved: list[float], alone: list[float], saved: float) -> None:
    found = hongcharoen.rounds_saved((10, 20), np.array(moved), np.array(alone))
    assert found == pytest.approx(saved)


def test_there_are_no_other_tables(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff, pytest.raises(UserError, match=r"no table 5\. Its tables are: 1 transfer"):
        reproduce("hongcharoen", "quick", 5, tmp_path, staff)


def test_a_paper_says_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("randori.methods.method.find_spec", lambda name: None)
    with pytest.raises(UserError, match="'alphazero' needs torch, which is not installed"):
        load_paper("hongcharoen")
    load_paper("kamei")


def test_the_interval_of_few_runs_is_students() -> None:
    """As scipy has it."""
    values = np.array([0.4, 0.7, 0.5, 0.55, 0.3])
    expected = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    assert interval_of_few(values) == pytest.approx(expected, abs=1e-4)
