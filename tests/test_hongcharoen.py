"""The transfer study on tiny sizes, and its arithmetic."""

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from randori.errors import UserError
from randori.experiments import CountingWorkers
from randori.experiments.intervals import interval_of_few
from randori.experiments.papers import load_paper, reproduce
from randori.methods.alphazero import paper as hongcharoen
from randori.methods.alphazero import paper_thesis
from randori.methods.alphazero.config import HONGCHAROEN, PRESETS, AlphaZeroConfig
from randori.methods.alphazero.studies import OURS, THESIS, Study


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the paper tiny; also for tests that interrupt it."""
    config = AlphaZeroConfig(channels=4, blocks=1, simulations=4, games=4, batch=16, play_simulations=4)
    study = Study(("tictactoe", "othello4"), (("othello4", "othello6"),), config, (1, 2), 2, 4)
    monkeypatch.setitem(OURS, "quick", study)
    small = replace(
        HONGCHAROEN, channels=4, blocks=1, simulations=4, games=4, batch=16, gate_games=4, play_simulations=4
    )
    by_rule = Study(("tictactoe", "othello4"), (), small, (2, 4), 2, 4)
    monkeypatch.setitem(THESIS, "quick", by_rule)
    monkeypatch.setitem(THESIS, "thesis", replace(by_rule, n_seeds=1, one_at_a_time=True))
    monkeypatch.setattr(paper_thesis, "HONGCHAROEN", small)
    monkeypatch.setattr(paper_thesis, "PAIR", ("tictactoe", "othello4"))
    monkeypatch.setattr(paper_thesis, "PART", paper_thesis.Part(2, 4, 2))


tiny = pytest.fixture(shrink, name="tiny")


@pytest.mark.usefixtures("tiny")
def test_the_tables_are_made_and_reproduced_from_stored_results(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff:
        report = reproduce("hongcharoen", "quick", None, tmp_path, staff)
        again = reproduce("hongcharoen", "quick", 1, tmp_path, staff)
    assert again.tables[0] == report.tables[0]
    first, second, third, fourth, *by_rule = report.tables
    assert [it.what for it in first.figures][:2] == [
        "tictactoe to othello4, trained, round 1",
        "tictactoe to othello4, trained, round 2",
    ]
    assert len(second.figures) == 4
    assert [it.what.split(",")[0] for it in third.figures] == ["othello4 to othello6"] * 4
    assert [it.what for it in fourth.figures] == ["trained, CPU time", "frozen, CPU time"]
    assert all(0.1 < it.ours < 10 for it in fourth.figures)
    assert {chart.name for chart in report.charts} == {"transfer-tictactoe", "transfer-othello4"}
    assert all("Ours" in it.title for it in (first, second, third, fourth))
    transfer, gates, full_size = by_rule
    assert all("4 x 1, 4 iterations of 4 games" in it.title for it in (transfer, gates))
    assert [it.what for it in transfer.figures][:2] == [
        "tictactoe to othello4, trained, iteration 2",
        "tictactoe to othello4, trained, iteration 4",
    ]
    assert len(gates.figures) == 12
    assert all(0 <= it.ours <= 1 for it in gates.figures if "gate" in it.what)
    assert [it.what.split(" of ")[0] for it in full_size.figures[:4]] == [
        *["tictactoe: CPU minutes"] * 3,
        "tictactoe: CPU hours",
    ]
    assert [it.claim.split(",")[0] for it in report.claims] == [
        *["A network from Tic-Tac-Toe"] * 2,
        *["A network from Othello 4x4"] * 2,
    ]


@pytest.mark.usefixtures("tiny")
def test_the_thesis_at_full_size_has_its_own_tables_and_all_workers(tmp_path: Path) -> None:
    """One training after the other, each with all workers; their number changes nothing."""
    tables = []
    for n in (1, 2):
        with CountingWorkers(n) as staff:
            report = reproduce("hongcharoen", "thesis", None, tmp_path / str(n), staff)
            with pytest.raises(UserError, match=r"Table 3 is ours.*quick or full"):
                reproduce("hongcharoen", "thesis", 3, tmp_path / str(n), staff)
        assert [it.title.partition(":")[0] for it in report.tables] == ["Table 5", "Table 5", "Table 6"]
        tables.append(report.tables[0])
    assert tables[0] == tables[1]


def test_the_small_study_follows_the_thesis_in_all_but_size() -> None:
    for scale, study in THESIS.items():
        sizes = {"channels", "games", "batch", "uses"} if scale != "thesis" else set()
        theirs, ours = asdict(HONGCHAROEN), asdict(study.config)
        assert {key for key in theirs if theirs[key] != ours[key]} == sizes
        assert study.games == ("connect4", "othello8")
    small = THESIS["quick"]
    assert small.config.channels == 64
    assert small.points[-1] >= 15
    assert small.n_seeds >= 3
    assert THESIS["thesis"].points[-1] == PRESETS["hongcharoen"].rounds == 50


@pytest.mark.parametrize(
    ("moved", "alone", "saved"),
    [
        ([0.5, 0.6], [0.25, 0.5], 10.0),  # at round 10 it has what scratch has at 20
        ([0.25, 0.5], [0.5, 0.6], -10.0),
        ([0.3, 0.5], [0.3, 0.5], 0.0),
        ([0.6, 0.6], [0.1, 0.3], 15.0),  # half of the way to the first point
        ([0.5, 0.2], [0.25, 0.5], 10.0),  # the best so far counts
    ],
)
def test_rounds_saved(moved: list[float], alone: list[float], saved: float) -> None:
    found = hongcharoen.rounds_saved((10, 20), np.array(moved), np.array(alone))
    assert found == pytest.approx(saved)


def test_there_are_no_other_tables(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff, pytest.raises(UserError, match=r"no table 7\. Its tables are: 1 ours"):
        reproduce("hongcharoen", "quick", 7, tmp_path, staff)


def test_a_paper_says_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("randori.methods.method.find_spec", lambda name: None)
    with pytest.raises(UserError, match="'alphazero' needs torch, which is not installed"):
        load_paper("hongcharoen")
    load_paper("kamei")


def test_the_interval_of_few_runs_is_students() -> None:
    """As scipy computes it."""
    values = np.array([0.4, 0.7, 0.5, 0.55, 0.3])
    expected = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    assert interval_of_few(values) == pytest.approx(expected, abs=1e-4)
