"""Charts of runs and papers on the page, and the tables beside them."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from randori import methods
from randori.app.page import papers
from randori.app.page.charts import Beside, Level, Lines, Pair
from randori.app.page.comparing import differences
from randori.app.page.curves import ladder_of, measured, ratings
from randori.app.page.values import words
from randori.app.service.menu import Menu
from randori.app.service.watched_run import WatchedRun
from randori.chart import Curve
from randori.experiments import papers as known


def run(name: str, elos: list[int], **config: Any) -> WatchedRun:
    rows = [
        {
            "round": place,
            "games": 100 * place,
            "seconds": 2.0 * place,
            "cpu_seconds": 1.0 * place,
            "rating": {"elo": elo, "low": elo - 20, "high": elo + 30, "extrapolated": None},
            "metrics": {"mean_error": 1 / place},
        }
        for place, elo in enumerate(elos, start=1)
    ]
    recipe = {"seed": 3, "budget": 60.0, "rounds": 10, "config": config}
    return WatchedRun(name, "connect4", "ntuple", rows, True, recipe=recipe)


def test_runs_are_overlaid_by_games_or_time() -> None:
    runs = [run("one", [100, 300]), run("two", [200])]
    for across, last in (("games", 200), ("cpu_seconds", 2.0), ("seconds", 4.0)):
        drawing = ratings(runs, across, {})
        assert drawing is not None
        assert [it.name for it in drawing.curves] == ["one", "two"]
        assert (drawing.curves[0].x[-1], drawing.curves[0].y[-1]) == (last, 300)
        lines = [it for it in drawing.options()["series"] if "stack" not in it]
        assert lines[0]["data"] == [[drawing.curves[0].x[0], 100, 80, 130], [last, 300, 280, 330]]
        assert "300 (280 to 330)" in drawing.table()
    assert ratings([WatchedRun("new", "connect4", "ntuple", [], False)], "games", {}) is None
    assert [it.title for it in measured(runs[0], "games")] == ["mean error"]


def test_a_band_lies_between_the_bounds() -> None:
    series = Lines("", "", "", [Curve("it", [1, 2], [5, -6], [4, -9], [7, -3])]).options()["series"]
    lower, upper = (it["data"] for it in series if "stack" in it)
    assert lower == [[1, 4], [2, -9]]
    assert [[x, low + span] for (x, low), (_, span) in zip(lower, upper, strict=True)] == [[1, 7], [2, -3]]


def test_rungs_around_the_curves_are_lines_with_names() -> None:
    ladder = {"random": 0.0, "low": 390.0, "near": 400.0, "high": 900.0, "top": 1500.0, "beyond": 1900.0}
    drawing = ratings([run("one", [500, 1000])], "games", ladder)
    assert drawing is not None
    assert drawing.levels == [Level("near", 400), Level("high", 900), Level("top", 1500)]
    axis = drawing.options()["yAxis"]
    assert axis["min"] <= 400
    assert axis["max"] >= 1500


def test_the_ladder_has_names(tmp_path: Path) -> None:
    ladder = ladder_of(Menu(tmp_path), "connect4")
    assert ladder["Random"] == 0.0
    assert len(ladder) > 5
    assert ladder_of(Menu(tmp_path), "of somebody else") == {}


def test_settings_that_differ_are_listed_with_their_values() -> None:
    table = differences([run("one", [100], rate=0.002, depth=2, games=1000), run("<two>", [200], rate=0.02, depth=2)])
    assert "<td>rate</td><td>0.002</td><td>0.02</td>" in table
    assert "depth" not in table
    assert "1,000" not in table  # only one of them has it
    assert "<two>" not in table


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0002, "0.0002"), (1e-7, "1e-07"), (1234.5, "1,234.5"), (None, "none"), (True, "yes"), ([4, 10], "4, 10")],
)
def test_numbers_keep_the_digits_that_they_need(value: Any, text: str) -> None:
    assert words(value) == text


def test_time_left_is_that_of_the_nearer_limit() -> None:
    assert run("one", [1, 2]).seconds_left == 16.0  # eight rounds of two seconds; the budget leaves 56
    assert WatchedRun("new", "connect4", "ntuple", [], False).seconds_left is None


@pytest.mark.parametrize("name", known.papers())
def test_every_paper_opens_with_its_claim_and_a_picture(name: str) -> None:
    paper = known.papers()[name].paper
    assert paper is not None
    assert paper.claim
    assert paper.outcome
    assert name in papers.papers()
    drawing = papers.beside(paper)
    assert drawing is not None
    assert drawing.title.startswith(paper.table)


def test_the_page_over_all_papers_is_not_a_paper() -> None:
    assert (papers.FOLDER / "README.md").is_file()
    assert set(papers.papers()) == set(known.papers())


def test_our_figures_stand_beside_the_published_ones() -> None:
    paper = methods.find("comparison").paper
    assert paper is not None
    drawing = papers.beside(paper)
    assert drawing is not None
    first = drawing.pairs[0]
    assert (first.what, first.published) == ("before learning", 21.0)
    assert first.interval is not None
    assert first.interval[0] < first.ours < first.interval[1]
    assert all(it.published is not None for it in drawing.pairs)
    assert {it["name"] for it in drawing.options()["series"]} == {"ours", "published"}
    assert {it["name"] for it in Beside("", [Pair("a", 1.0, (0.0, 2.0), None)]).options()["series"]} == {"ours"}
    assert papers.beside(paper._replace(name="nothing")) is None


def test_papers_are_included_in_the_package() -> None:
    """`setup.py` copies what it lists into a wheel."""
    root = Path(__file__).parents[1]
    (patterns,) = re.findall(r"(?ms)^DOCS = (\(.*?^\))$", (root / "setup.py").read_text())
    shipped = {str(it) for pattern in ast.literal_eval(patterns) for it in (root / "docs").glob(pattern)}
    needed = {str(it) for texts in papers.papers().values() for it in texts} | set(map(str, papers.pictures().values()))
    assert needed
    assert needed <= shipped
    assert {str(it) for it in papers.FOLDER.glob("*/report.json")} <= shipped
