"""Reports: tables, charts that are well-formed and stay on their page, and the league of runs."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from randori.app.commands.report import report
from randori.app.commands.reproduce import reproduce
from randori.chart import HEIGHT, LEFT, TOP, WIDTH, Axis, Curve, line_chart
from randori.errors import UserError
from randori.experiments import Recipe
from randori.experiments.findings import decide, difference, together
from randori.experiments.recipe import recipe_json
from randori.experiments.report import Chart, Claim, Figure, Report, Table, league, markdown_table
from randori.methods.table.learner import TableConfig

SVG = "{http://www.w3.org/2000/svg}"


def test_a_table_beside_the_published_numbers() -> None:
    table = Table(
        "Table 4",
        [Figure("MC", 0.5812, (0.57, 0.5931), 0.56, 1000), Figure("TD | 0", None), Figure("none", float("nan"))],
        note="Against random.",
    )
    assert table.markdown().splitlines() == [
        "### Table 4",
        "",
        "|         | ours | 95% interval | published | published lies | games |",
        "|:--------|-----:|-------------:|----------:|---------------:|------:|",
        "| MC      | 0.58 | 0.57 .. 0.59 |      0.56 |        outside | 1,000 |",
        "| TD \\| 0 |    - |            - |         - |              - |     - |",
        "| none    |    - |            - |         - |              - |     - |",
        "",
        "Against random.",
    ]


@pytest.mark.parametrize(
    ("figure", "standing"),
    [
        (Figure("x", 0.5, (0.4, 0.6)), None),
        (Figure("x", 0.5, (0.4, 0.6), 0.6), "inside"),
        (Figure("x", 0.5, (0.4, 0.6), 0.6, explained="No need."), "inside"),
        (Figure("x", 0.5, (0.4, 0.6), 0.61), "open"),
        (Figure("x", 0.5, (0.4, 0.6), 0.61, explained="Table 9 shows why."), "explained"),
        (Figure("x", 0.5, None, 0.5), "open"),
        (Figure("x", None, None, 0.5), "open"),
    ],
)
def test_a_published_figure_is_inside_explained_or_open(figure: Figure, standing: str | None) -> None:
    assert figure.standing == standing
    plain = Report("r", tables=[Table("t", [figure])]).summary()
    assert plain["tables"][0]["figures"][0]["standing"] == standing


def test_further_columns_come_before_the_games() -> None:
    lines = [Figure("one", 0.5, games=8, further={"won": "4", "drawn": "1"}), Figure("other", 0.25, games=8)]
    rows = [[cell.strip() for cell in it.split("|")[1:-1]] for it in Table("T", lines).markdown().splitlines()[2:]]
    assert rows[0] == ["", "ours", "won", "drawn", "games"]
    assert rows[2:4] == [["one", "0.50", "4", "1", "8"], ["other", "0.25", "-", "-", "8"]]


def test_an_explanation_stands_below_its_table() -> None:
    figures = [Figure("a", 0.5, (0.4, 0.6), 0.7, explained="Table 9 shows why."), Figure("b", 0.5, (0.4, 0.6), 0.5)]
    lines = Table("t", figures, note="Note.").markdown().splitlines()
    assert "outside, explained" in lines[4]
    assert lines[-3:] == ["Note.", "", "- a: Table 9 shows why."]


def test_verdicts_follow_from_intervals() -> None:
    assert [decide(it) for it in ((0.1, 0.2), (-0.2, -0.1), (-0.1, 0.1))] == [
        "holds", "does not hold", "undecided",
    ]  # fmt: skip
    assert decide((0.52, 0.6), bar=0.5) == "holds"
    assert together("holds", "holds") == "holds"
    assert together("holds", "undecided") == "undecided"
    assert together("undecided", "does not hold", "holds") == "does not hold"


def test_the_interval_of_a_difference() -> None:
    one, other = Figure("one", 0.8, (0.5, 0.9)), Figure("other", 0.4, (0.2, 0.8))
    assert difference(one, other) == pytest.approx((0.4 - 0.5, 0.4 + np.hypot(0.1, 0.2)))
    assert difference(other, one) == pytest.approx((-0.4 - np.hypot(0.1, 0.2), -0.4 + 0.5))
    with pytest.raises(ValueError, match="interval"):
        difference(one, Figure("other", 0.4))


def test_a_report_says_how_it_was_made_and_which_claims_hold() -> None:
    claims = [Claim("Chalk is white.", "holds", "Table 1: 0.9.")]
    paper_report = Report(
        "A paper", "randori reproduce paper", claims=claims, version="1.0", seed=3, cpu_seconds=1234.5
    )
    text = paper_report.markdown()
    assert "Made by `randori reproduce paper`, with randori 1.0, seed 3, in 1,234 CPU seconds." in text
    assert "## What the paper claims\n\n- **Holds**: Chalk is white. Table 1: 0.9.\n" in text
    assert paper_report.summary()["claims"] == [
        {"claim": "Chalk is white.", "verdict": "holds", "why": "Table 1: 0.9."}
    ]
    assert "claims" not in Report("A paper", "y").markdown()


def test_empty_columns_are_left_out() -> None:
    assert Table("t", [Figure("x", 1.0, games=3)]).markdown().splitlines()[2] == "|     | ours | games |"


def test_markdown_columns_line_up() -> None:
    lines = markdown_table(["a", "bb"], [["ccccc", "1"], ["d", "22222"]]).splitlines()
    assert len({len(line) for line in lines}) == 1


def points_of(svg: str) -> list[tuple[float, float]]:
    root = ElementTree.fromstring(svg)
    shapes = [it for it in root.iter() if it.tag in (f"{SVG}polyline", f"{SVG}polygon")]
    pairs = [pair for it in shapes for pair in it.get("points", "").split()]
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in pairs)]


@given(
    st.lists(st.lists(st.floats(-1e6, 1e6), min_size=0, max_size=6), min_size=0, max_size=9),
    st.booleans(),
    st.floats(1e-3, 1e4),
)
def test_every_point_is_on_the_page(values: list[list[float]], log: bool, scale: float) -> None:
    curves = []
    for place, y in enumerate(values):
        x = [scale * (1 + i) for i in range(len(y))]
        curves.append(Curve(f"<{place}> & co", x, y, [it - 1 for it in y], [it + 1 for it in y]))
    svg = line_chart(curves, title="a < b", x_label="seconds", y_label="rating", log_x=log)
    for x, y in points_of(svg):
        assert LEFT - 1 <= x <= WIDTH
        assert TOP - 1 <= y <= HEIGHT
    texts = ["".join(it.itertext()) for it in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    assert all(curve.name in texts for curve in curves)


def test_points_are_where_the_axes_say() -> None:
    svg = line_chart([Curve("one", [1, 10, 100], [0, 5, 10])], title="t", x_label="x", y_label="y", log_x=True)
    (x0, y0), (x1, y1), (x2, y2) = points_of(svg)
    assert x1 - x0 == pytest.approx(x2 - x1, abs=0.2)
    assert y0 - y1 == pytest.approx(y1 - y2, abs=0.2)
    assert y2 < y0, "greater values are higher"


@pytest.mark.parametrize("log", [True, False])
def test_ticks_are_few_and_round(log: bool) -> None:
    for low, high in [(1.0, 9.0), (0.02, 7000.0), (100.0, 220.0), (3.0, 1e6)]:
        ticks = Axis(low, high, 0, 100, log).ticks()
        assert 2 <= len(ticks) <= 12
        assert all(low * 0.999 <= tick <= high * 1.001 for tick in ticks)
        if log:
            assert {float(f"{tick:.0e}"[0]) for tick in ticks} <= {1.0, 2.0, 5.0}


def test_a_curve_of_one_point_is_seen() -> None:
    svg = line_chart([Curve("one", [3], [4])], title="t", x_label="x", y_label="y")
    assert len(list(ElementTree.fromstring(svg).iter(f"{SVG}circle"))) == 1


def test_points_at_zero_are_left_out_of_a_log_axis() -> None:
    svg = line_chart([Curve("one", [0, 1, 2], [4, 5, 6])], title="t", x_label="x", y_label="y", log_x=True)
    assert len(points_of(svg)) == 2


def test_a_report_is_three_kinds_of_files(tmp_path: Path) -> None:
    chart = Chart("learning", "Learning", "games", "score", [Curve("table", [1, 2], [0.5, 0.9])])
    paper_report = Report("A paper", "randori reproduce paper", [Table("Table 1", [Figure("x", 1.0)])], [chart])
    paper_report.save(tmp_path / "new" / "folder")
    text = (tmp_path / "new" / "folder" / "report.md").read_text()
    assert "randori reproduce paper" in text
    assert "![Learning](learning.svg)" in text
    assert ElementTree.parse(tmp_path / "new" / "folder" / "learning.svg").getroot().tag == f"{SVG}svg"
    plain = json.loads((tmp_path / "new" / "folder" / "report.json").read_text())
    assert plain["tables"][0]["figures"][0]["ours"] == 1.0
    assert plain["charts"][0]["curves"][0]["y"] == [0.5, 0.9]


def test_a_report_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="--out"):
        Report("x", "y").save(tmp_path / "file" / "folder")


def run_folder(folder: Path, game: str, ratings: list[float]) -> Path:
    folder.mkdir(parents=True)
    (folder / "recipe.json").write_text(recipe_json(Recipe(game, "table", TableConfig())))
    rows: list[dict[str, Any]] = [
        {"round": i, "games": 10 * i, "seconds": 2.0 * i, "cpu_seconds": 1.5 * i} for i in range(2 * len(ratings))
    ]
    for row, elo in zip(rows[1::2], ratings, strict=True):
        row["rating"] = {"elo": elo, "low": elo - 20, "high": elo + 20, "games": 40}
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"rou')
    return folder


def test_the_league_plots_rating_by_cpu_time(tmp_path: Path) -> None:
    one = run_folder(tmp_path / "a", "tictactoe", [10, 200, 300])
    two = run_folder(tmp_path / "b", "tictactoe", [5])
    other = run_folder(tmp_path / "c", "othello4", [])
    league_report = league([one, two, other], "randori report")
    assert [chart.name for chart in league_report.charts] == ["league-tictactoe", "league-othello4"]
    curve = league_report.charts[0].curves[0]
    np.testing.assert_allclose(curve.x, [1.5, 4.5, 7.5])
    assert curve.y == [10, 200, 300]
    assert league_report.tables[0].figures[0].ours == 300
    assert league_report.tables[0].figures[0].interval == (280, 320)
    assert league_report.tables[1].figures[0].ours is None
    assert "at least" not in league_report.markdown()
    for chart in league_report.charts:
        ElementTree.fromstring(chart.svg())


def test_the_league_says_which_ratings_are_extrapolated(tmp_path: Path) -> None:
    run = run_folder(tmp_path / "a", "tictactoe", [10, 200])
    metrics = run / "metrics.jsonl"
    metrics.write_text(metrics.read_text().replace('"elo": 200', '"extrapolated": "above", "elo": 200'))
    assert "CPU s, at least so strong: above everybody of known strength" in league([run], "").markdown()


def test_report_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_folder(tmp_path / "a", "tictactoe", [10, 200, 300])
    report((run,), tmp_path / "out")
    assert "### Tic-Tac-Toe" in capsys.readouterr().out
    report((run,), tmp_path / "out", json=True)
    assert json.loads(capsys.readouterr().out)["tables"][0]["figures"][0]["ours"] == 300
    with pytest.raises(UserError, match="not a run"):
        report((tmp_path,), tmp_path / "out")


def test_an_unknown_paper_is_refused() -> None:
    with pytest.raises(UserError, match="paper"):
        reproduce("nobody2026")
