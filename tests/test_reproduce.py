"""`randori reproduce`: its help, what it refuses, how a result says it was made, and the time left."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import run

from randori.app.commands import reproduce_progress
from randori.errors import UserError
from randori.experiments import CountingWorkers
from randori.experiments.papers import check_asked, papers, reproduce
from randori.methods import Paper


@pytest.fixture
def tiny_handa(monkeypatch: pytest.MonkeyPatch) -> None:
    import_module("test_handa").shrink(monkeypatch)


def test_help_lists_papers_tables_and_scales(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    full, bare = (run(capsys, monkeypatch, "reproduce", *words) for words in (["--help"], []))
    assert (full.status, bare.status) == (0, 2)
    for name, method in papers().items():
        paper = method.paper
        assert paper is not None
        assert paper.tables
        assert paper.scales
        for text in (" ".join(it.split()) for it in (full.out, bare.out)):
            assert f"{name} ({paper.authors})" in text
            assert all(f"--table {number}: {title}" in text for number, title in paper.tables.items())
            assert all(f"--scale {key}: {scale.meaning};" in text for key, scale in paper.scales.items())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["handaa"], "There is no paper 'handaa'. Did you mean 'handa'?"),
        (["handa", "--table", "99"], "'handa' has no table 99. Its tables are: 3 draws in Tic-Tac-Toe; 4 links cut;"),
        (["handa", "--scale", "huge"], "'handa' has no scale 'huge'. Its scales are: quick, full."),
        (["handa", "--seed", "-1"], "--seed must be 0 or more, not -1."),
        (["handa", "--workers", "2", "--ray", "auto"], "not both"),
    ],
)
def test_unknown_names_are_refused_in_a_sentence(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    result = run(capsys, monkeypatch, "reproduce", *words, "--out", tmp_path / "new")
    assert result.status == 2
    assert sentence in result.err
    assert len(result.err.splitlines()) == 1
    assert not (tmp_path / "new").exists()


def test_a_paper_without_scales_is_refused() -> None:
    with pytest.raises(UserError, match="'chalk' names no scales"):
        check_asked(Paper("chalk", "Somebody", "nowhere:reproduce"), "", None)


@pytest.mark.usefixtures("tiny_handa")
def test_a_result_says_how_it_was_made(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("reproduce", "handa", "--table", 4, "--json", "--workers", 1)
    result = run(capsys, monkeypatch, *words, "--seed", 2)
    assert result.status == 0
    found = json.loads(result.out)
    assert found["command"] == "randori reproduce handa --scale quick --table 4 --seed 2"
    assert found["version"] == run(capsys, monkeypatch, "--version").out.split()[1]
    assert found["seed"] == 2
    assert found["cpu_seconds"] > 0
    assert json.loads((tmp_path / "runs/handa-quick-seed-2/report.json").read_text()) == found
    assert "randori: table 4" in result.err
    other = run(capsys, monkeypatch, *words)
    assert json.loads(other.out)["charts"] != found["charts"], "another seed gives other random numbers"


@pytest.mark.usefixtures("tiny_handa")
def test_cpu_time_is_that_of_all_sessions(tmp_path: Path) -> None:
    with CountingWorkers(1) as staff:
        reports = [reproduce("handa", "quick", 4, tmp_path, staff) for _ in range(3)]
    seconds = [it.cpu_seconds or 0.0 for it in reports]
    assert seconds == sorted(seconds)
    kept = json.loads((tmp_path / "cpu-seconds.json").read_text())
    assert kept == {reports[0].command: pytest.approx(seconds[-1], abs=0.1)}
    (tmp_path / "cpu-seconds.json").write_text("{")
    with CountingWorkers(1) as staff:
        assert reproduce("handa", "quick", 4, tmp_path, staff).cpu_seconds is not None


def test_the_time_left_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 100.0
    monkeypatch.setattr(reproduce_progress.time, "monotonic", lambda: clock)
    pace, spent = reproduce_progress.Pace(cpu_minutes=10), SimpleNamespace(here=0.0, seconds=60.0)
    pace.begin("table 3")
    assert pace.words() == "table 3"
    clock, spent.here, spent.seconds = 120.0, 30.0, 90.0
    pace.update(spent, 5, 20)  # type: ignore[arg-type]
    assert pace.words() == "table 3, 5 of 20, about 6 minutes left", "510 CPU seconds at 1.5 of them per second"
    assert pace.share == pytest.approx(0.15)
    clock = 300.0
    assert pace.words() == "table 3, 5 of 20, about 3 minutes left"
    continued = reproduce_progress.Pace(None)
    continued.expect(120.0)
    continued.update(SimpleNamespace(here=20.0, seconds=1020.0, earlier=1000.0), 1, 10)  # type: ignore[arg-type]
    assert continued.share == pytest.approx(1020 / 1120), (
        "an estimate says what is left, whatever earlier sessions took"
    )
    continued.expect(60.0)
    continued.update(SimpleNamespace(here=50.0, seconds=1050.0, earlier=1000.0), 2, 10)  # type: ignore[arg-type]
    assert continued.share == pytest.approx(1050 / 1080)
    unknown = reproduce_progress.Pace(None)
    unknown.update(spent, 1, 11)  # type: ignore[arg-type]
    clock = 330.0
    unknown.update(spent, 4, 11)  # type: ignore[arg-type]
    assert unknown.words() == "4 of 11, about 70 seconds left for these"
