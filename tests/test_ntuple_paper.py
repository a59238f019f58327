"""What settings are worth at equal CPU time: the report at tiny sizes, and the same from stored results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from reproducing import without_times

from randori.errors import UserError
from randori.experiments import CountingWorkers
from randori.experiments.papers import reproduce
from randori.methods.ntuple import paper
from randori.methods.ntuple.config import NtupleConfig

CONFIG = NtupleConfig(games=20)
WAYS = {paper.PRESET: CONFIG, "lambda 0": replace(CONFIG, trace_decay=0.0), paper.AUTOMATIC: CONFIG}


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also used by tests that interrupt it. A round takes longer than these seconds, so each way learns for one round."""
    monkeypatch.setattr(paper, "OTHELLO", paper.Ablation(1, "othello6", WAYS))
    monkeypatch.setattr(paper, "CONNECT_FOUR", paper.Ablation(2, "connect4", WAYS))
    monkeypatch.setitem(paper.SIZES, "quick", paper.Size(1e-9, 8, (1e-10, 1e-9)))


tiny = pytest.fixture(shrink, name="tiny")


@pytest.mark.thorough
@pytest.mark.usefixtures("tiny")
def test_tables_and_curves_are_reproduced_from_stored_results(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff:
        report = reproduce("ntuple", "quick", None, tmp_path, staff)
        again = reproduce("ntuple", "quick", None, tmp_path, staff)
        one = reproduce("ntuple", "quick", 2, tmp_path, staff)
        with pytest.raises(UserError, match="no table 4"):
            reproduce("ntuple", "quick", 4, tmp_path, staff)
    assert without_times(again) == without_times(report)
    othello, connect4, curves = report.tables
    assert one.tables[0] == connect4
    assert [it.what for it in othello.figures] == list(WAYS)
    assert all(it.games == 8 and it.ours is not None and 0 <= it.ours <= 1 for it in othello.figures)
    assert len(curves.figures) == 4
    report.save(tmp_path)
    ElementTree.fromstring((tmp_path / "learning.svg").read_text())
