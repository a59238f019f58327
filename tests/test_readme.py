"""The README's examples run as they stand, and its figures are those that their commands have written."""

import json
import re
from pathlib import Path

import pytest
from commands import run

from randori.experiments import CountingWorkers
from randori.experiments.league import read_league
from randori.experiments.league.standing import standings
from randori.experiments.make_results import ROWS, measure, put_into, put_league_into
from randori.experiments.report import read_report

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
RESULTS = ROOT / "docs" / "results" / "report.json"


def marked(name: str, text: str = README) -> list[list[str]]:
    """The cells of a table between marks, without its heading."""
    (table,) = re.findall(rf"<!-- {name}\b.*?-->\n(.*?)<!-- end of {name} -->", text, re.DOTALL)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:1] == "|"]
    return rows[2:]


def test_the_python_example_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})
    score = float(capsys.readouterr().out.split()[0])
    assert 0.8 < score < 1


@pytest.mark.thorough
def test_the_tournament_gives_the_table_below_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (command,) = re.findall(r"\$ randori (tournament .*)", README)
    found = json.loads(run(capsys, monkeypatch, *command.split(), "--json").out)["ratings"]
    rows = [
        [
            it["player"],
            f"{it['rating']:.0f}",
            " .. ".join(f"{end:.0f}" for end in it["interval"]),
            str(it["games"]),
            f"{it['score']:.1%}",
        ]
        for it in found
    ]
    assert marked("tournament") == rows


def test_results_are_those_that_were_measured() -> None:
    assert len(ROWS) <= 8
    assert put_into(README, read_report(RESULTS)) == README


def test_the_league_is_the_stored_one() -> None:
    assert README.count("<!-- league: ") == 1
    assert put_league_into(README, read_league(ROOT / "docs" / "league")) == README


def test_what_it_says_of_six_games_follows_from_ranks() -> None:
    league = read_league(ROOT / "docs" / "league")
    ranks = {it["game"]: {one.line: one.rank for one in standings(it, "player")} for it in league["games"]}
    assert len(ranks) == 6
    everywhere = set.intersection(*({*it} for it in ranks.values()))
    assert len(everywhere) == 5
    assert {name for name in everywhere if all(it[name].best == 1 for it in ranks.values())} == {"ntuple"}
    assert ranks["hex7"]["ntuple"].worst == 1


@pytest.mark.slow
def test_a_result_can_be_measured_again() -> None:
    (row,) = [it for it in ROWS if it.player == "zoo/othello8-deep-q"]
    (stored,) = [it for table in read_report(RESULTS).tables for it in table.figures if it.what == row.name]
    with CountingWorkers(1) as workers:
        found = measure(row, workers)
    assert found.interval is not None
    assert stored.interval is not None
    assert (found.ours, *found.interval) == (stored.ours, *stored.interval)


def test_speeds_are_those_of_the_whole_table() -> None:
    whole = {row[0]: row for row in marked("bench", (ROOT / "docs" / "speed.md").read_text(encoding="utf-8"))}
    for row in marked("bench"):
        assert whole[row[0]][: len(row)] == row
