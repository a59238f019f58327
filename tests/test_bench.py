"""`randori bench`: what it measures, compares and writes."""

import json
import subprocess
from pathlib import Path

import pytest

from randori.app.bench import command
from randori.app.bench.benchmark import Benchmark, Known, Measured, Reading
from randori.app.bench.comparing import Compared, compare_with_commit, compare_with_file
from randori.app.bench.writing import write_into
from randori.errors import UserError

ROOT = Path(__file__).parents[1]


def busy(units: float = 3.0) -> Benchmark:
    def work() -> float:
        sum(range(1000))
        return units

    return Benchmark("made/up", "things/s", lambda: work, turns=2, known=Known(5.0, "elsewhere"))


def test_rows_have_unique_names_and_start_nothing_before_they_are_measured() -> None:
    names = [it.name for it in command.rows()]
    assert len(names) == len(set(names))
    for method in ("table", "som", "comparison", "evolution", "deep-q", "alphazero", "ntuple"):
        assert any(it.startswith(f"learning/{method}-") for it in names), method
    for kind in ("player", "cold", "memory"):
        assert f"{kind}/othello8-ntuple" in names


def test_slow_rows_are_measured_only_when_they_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Reading("cold/made-up", "CPU s", lambda: 2.5)
    monkeypatch.setattr(command, "rows", lambda: [busy(), slow])
    assert [it.name for it in command._chosen("")] == ["made/up"]
    assert [it.name for it in command._chosen("cold/,other/")] == ["cold/made-up"]
    assert slow.measure(peers=False).ours == 2.5


def test_a_rate_is_units_per_cpu_second() -> None:
    once, tenfold = busy(3.0).measure(peers=False), busy(30.0).measure(peers=False)
    assert 5 < tenfold.ours / once.ours < 20
    assert once.summary()["known"] == {"figure": 5.0, "source": "elsewhere"}
    assert once.summary()["ratio"] is None


def test_compared_with_a_file(tmp_path: Path) -> None:
    path = tmp_path / "before.json"
    path.write_text(json.dumps({"rows": [{"name": "cold/a", "ours": 5.0}]}))
    shrunk, new = compare_with_file(
        [Reading("cold/a", "CPU s", lambda: 2.0), Reading("cold/b", "CPU s", lambda: 1.0)], path
    )
    assert shrunk.ratio == 2.5  # fewer seconds are better
    assert new.ratio is None
    path.write_text("[]")
    with pytest.raises(UserError, match="was not written by"):
        compare_with_file([busy()], path)


def test_a_ratio_above_one_is_better_now() -> None:
    assert Compared("a", "games/s", 30.0, 10.0, False).ratio == 3
    assert Compared("a", "MB", 30.0, 10.0, True).ratio == pytest.approx(1 / 3)


def test_an_unknown_commit_is_refused_in_a_sentence() -> None:
    with pytest.raises(UserError, match="neither a file"):
        compare_with_commit([busy()], "no-such-commit")


@pytest.mark.thorough
def test_compared_with_a_commit() -> None:
    if subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True).returncode:
        pytest.skip("not a working copy")
    rows = [it for it in command.rows() if it.name == "playouts/tictactoe"]
    (found,) = compare_with_commit(rows, "HEAD")
    assert found.ratio is not None
    assert found.ratio > 0


def test_figures_go_into_the_marked_table(tmp_path: Path) -> None:
    path = tmp_path / "doc.md"
    path.write_text("before\n<!-- bench: made/ -->\nold\n<!-- end of bench -->\nafter\n")
    write_into(path, [Measured("made/up", "things/s", 1234.0, False), Measured("other/row", "things/s", 5.0, False)])
    one = tmp_path / "one.md"
    one.write_text("<!-- bench: made/up -->\n<!-- end of bench -->\n")
    write_into(one, [Measured(name, "things/s", 1.0, False) for name in ("made/up", "made/up-again")])
    assert "made/up-again" not in one.read_text()
    text = path.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "| made/up | things/s | 1,234 |" in text
    assert "old" not in text
    assert "other/row" not in text
    with pytest.raises(UserError, match="no table marked"):
        write_into(ROOT / "LICENSE", [])
