"""The paper's report on tiny sizes, its drawing, and the other program where it is installed."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import randori
from randori.experiments import CountingWorkers
from randori.experiments.papers import reproduce
from randori.methods.comparison import paper as freisleben
from randori.methods.comparison.config import FREISLEBEN
from randori.methods.comparison.drawing import draw_wiring
from randori.methods.comparison.paper_program import PygomokuProgram, is_installed

DOCS = Path(__file__).parent.parent / "docs"


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for tests that interrupt it."""
    monkeypatch.setattr(freisleben, "GAME", "gomoku9")
    monkeypatch.setattr(freisleben, "TEST_GAMES", 2)
    monkeypatch.setattr(freisleben, "LEARNING_GAMES", 3)
    monkeypatch.setattr(freisleben, "SIZES", {"quick": freisleben.Sizes(2, 2, 1, 1)})


tiny = pytest.fixture(shrink, name="tiny")


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("table", [1, 2, 3])
def test_tables_are_made(tmp_path: Path, table: int) -> None:
    with CountingWorkers(1) as staff:
        report = reproduce("freisleben", "quick", table, tmp_path, staff)
    won = [it for it in report.tables[0].figures if it.games]
    assert len(won) >= 2
    assert all(it.games == 4 and it.ours is not None and 0 <= it.ours <= 50 for it in won)
    assert all(it.published is not None for it in (won[0], won[-1]))


def test_there_is_no_table_six(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff, pytest.raises(randori.UserError, match="no table 6"):
        reproduce("freisleben", "quick", 6, tmp_path, staff)


def test_the_recipe_is_as_published() -> None:
    assert (freisleben.TEST_GAMES, freisleben.LEARNING_GAMES, freisleben.GAME) == (50, 400, "gomoku19")
    assert (FREISLEBEN.network, FREISLEBEN.opponent, FREISLEBEN.games, FREISLEBEN.openings) == (
        "chains", "heuristic", 1, 0,
    )  # fmt: skip


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
