"""The paper's report on tiny sizes, its drawing, and the other program where it is installed."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from reproducing import without_times

import randori
from randori.experiments import CountingWorkers, Recipe
from randori.experiments.papers import reproduce
from randori.experiments.train import train_to_the_end
from randori.methods.comparison import paper as freisleben
from randori.methods.comparison import paper_series
from randori.methods.comparison.chains_player import Comparison
from randori.methods.comparison.config import FREISLEBEN
from randori.methods.comparison.drawing import draw_wiring
from randori.methods.comparison.learner import ComparisonLearner
from randori.methods.comparison.paper_program import PygomokuProgram, is_installed
from randori.players.files import PLAYER_FILE, load_player

DOCS = Path(__file__).parent.parent / "docs"


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the paper tiny; also for tests that interrupt it."""
    monkeypatch.setattr(paper_series, "GAME", "gomoku9")
    monkeypatch.setattr(paper_series, "TEST_GAMES", 2)
    monkeypatch.setattr(paper_series, "LEARNING_GAMES", 3)
    monkeypatch.setattr(paper_series, "REWARDS", (1e-3,))
    monkeypatch.setattr(freisleben, "SIZES", {"quick": freisleben.Sizes(2, 4, 2, 1, 1)})


tiny = pytest.fixture(shrink, name="tiny")


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(("table", "n_claims"), [(1, 2), (2, 2), (3, 1), (6, 0)])
def test_tables_are_made(tmp_path: Path, table: int, n_claims: int) -> None:
    with CountingWorkers(1) as staff:
        report = reproduce("freisleben", "quick", table, tmp_path, staff)
        again = reproduce("freisleben", "quick", table, tmp_path, staff)
    assert without_times(again) == without_times(report)
    wins = [it for it in report.tables[0].figures if it.games]
    assert len(wins) >= 2
    assert all(it.games == 4 and it.ours is not None and 0 <= it.ours <= 50 for it in wins)
    assert len(report.claims) == n_claims


@pytest.mark.usefixtures("tiny")
def test_the_luckiest_weights_are_those_of_their_runs(tmp_path: Path) -> None:
    """What is tested before a run is the network that the run begins with."""
    assert paper_series.try_first_weights(FREISLEBEN, [3])[0] <= 2
    with CountingWorkers(1) as staff:
        first = ComparisonLearner(randori.game("gomoku9"), FREISLEBEN, np.random.default_rng(3), staff).player()
        train_to_the_end(Recipe("gomoku9", "comparison", FREISLEBEN, 3, 0, evaluate_games=0), tmp_path / "run", staff)
    stored = load_player(tmp_path / "run" / PLAYER_FILE, randori.game("gomoku9"))
    assert isinstance(first, Comparison)
    assert isinstance(stored, Comparison)
    np.testing.assert_array_equal(first.weights, stored.weights)


@pytest.mark.usefixtures("tiny")
@pytest.mark.skipif(not is_installed(), reason="the program is not installed")
def test_the_papers_network_meets_the_other_program(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff:
        report = reproduce("freisleben", "quick", 4, tmp_path, staff)
    assert sum("the paper's network" in it.what for it in report.tables[0].figures) == 2
    assert len(report.claims) == 2


def test_there_is_no_table_seven(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff, pytest.raises(randori.UserError, match="no table 7"):
        reproduce("freisleben", "quick", 7, tmp_path, staff)


def test_the_recipe_is_as_published() -> None:
    assert (paper_series.TEST_GAMES, paper_series.LEARNING_GAMES, paper_series.GAME) == (50, 400, "gomoku19")
    assert (FREISLEBEN.network, FREISLEBEN.opponent, FREISLEBEN.games, FREISLEBEN.openings) == (
        "chains", "heuristic", 1, 0,
    )  # fmt: skip
    assert FREISLEBEN.crossings == 2


def test_the_picture_in_the_docs_is_the_wiring() -> None:
    drawing = draw_wiring()
    ElementTree.fromstring(drawing)
    assert (DOCS / "images" / "freisleben-wiring.svg").read_text(encoding="utf-8") == drawing


@pytest.mark.skipif(not is_installed(), reason="the program is not installed")
def test_the_other_program_makes_legal_moves_and_fives() -> None:
    game = randori.game("gomoku9")
    cells = np.zeros((1, 9, 9), np.int8)
    cells[0, 4, 2:6], cells[0, 0, :4] = 1, -1
    action = PygomokuProgram(game, 1).choose(game.from_cells(cells), np.random.default_rng(0)).actions[0]
    assert int(action) in (4 * 9 + 1, 4 * 9 + 6)
