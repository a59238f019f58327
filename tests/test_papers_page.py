"""The page over all papers is what its command writes, and figures quoted in prose are those of the stored reports."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from randori.chart import Curve
from randori.errors import UserError
from randori.experiments import papers as known
from randori.experiments.findings import Claim, Figure
from randori.experiments.make_papers import main, page
from randori.experiments.papers import command_of, cpu_minutes, papers
from randori.experiments.report import Chart, Report, Table, read_report

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs" / "papers"

QUOTED = re.compile(r"(-?\d*\.?\d+)\s+\((-?\d*\.?\d+)\s+\.\.\s+(-?\d*\.?\d+)\)")
"""A figure with its interval, such as 27.8 (24.8 .. 30.7)."""
# Sections whose figures are of matches, ratings and trainings beside the paper, each with the command that made it.
OTHER_SOURCES = {("hongcharoen", "How strong"), ("hongcharoen", "Tried and not kept"), ("kamei", "Beyond")}


def test_the_page_in_the_docs_is_of_the_stored_reports() -> None:
    """Where this fails, a report is newer than the page: `python -m randori.experiments.make_papers`."""
    assert (DOCS / "README.md").read_text(encoding="utf-8") == page(DOCS)


def test_open_figures_stand_at_the_top(tmp_path: Path) -> None:
    figures = [
        Figure("first", 0.5, (0.4, 0.6), 0.55),
        Figure("second", 0.5, (0.4, 0.6), 0.7),
        Figure("third", 0.5, (0.4, 0.6), 0.8, explained="Table 2 shows why."),
        Figure("fourth", 0.5, (0.4, 0.6)),
    ]
    claims = [Claim("Chalk is white.", "undecided", "Table 1: 0.5 (0.4 .. 0.6).")]
    report = Report("Five", "randori reproduce kamei", [Table("Table 1: chalk", figures)], claims=claims, seed=0)
    report.save(tmp_path / "kamei")
    main([str(tmp_path)])
    text = (tmp_path / "README.md").read_text()
    assert (
        "Of 3 published figures, 1 lie inside our 95% interval and 1 lie outside it with a measured explanation" in text
    )
    assert "These 1 have neither:" in text
    rows = [line for line in text.splitlines() if line.startswith("|")][2:]
    assert [[it.strip() for it in row.strip("|").split("|")] for row in rows] == [
        ["kamei, Table 1: second", "0.70", "0.50", "0.40 .. 0.60"]
    ]
    assert text.index("second") < text.index("## Kamei")
    assert "- **Undecided**: Chalk is white. Table 1: 0.5 (0.4 .. 0.6)." in text
    assert "`randori reproduce handa` makes one" in text
    Report("Five", tables=[Table("Table 1", figures[:1])]).save(tmp_path / "kamei")
    assert "None has neither." in page(tmp_path)


def test_stored_reports_read_as_the_present_code_writes_them() -> None:
    """Where this fails, `python -m randori.experiments.make_papers` writes those of papers from their JSON files; of others,
    `read_report(path).markdown()` is the text."""
    stored = sorted(DOCS.parent.rglob("report.json"))
    assert len(stored) > 10
    for path in stored:
        assert path.with_suffix(".md").read_text(encoding="utf-8") == read_report(path).markdown(), path


def test_a_saved_report_is_read_again(tmp_path: Path) -> None:
    figures = [Figure("x", 0.5, (0.4, 0.6), 0.7, 10, "Table 2 shows why.")]
    charts = [Chart("wins", "Wins", "games", "share", [Curve("x", [1, 2], [0.1, 0.2])])]
    report = Report("t", "c", [Table("Table 1", figures, "n", 3)], charts, [Claim("a", "holds", "b")], "1.0", 2, 3.5)
    report.save(tmp_path)
    again = read_report(tmp_path / "report.json")
    assert again.markdown() == report.markdown()
    assert again.charts[0].svg() == report.charts[0].svg()
    text = (tmp_path / "report.json").read_text()
    (tmp_path / "report.json").write_text(text.replace('"holds"', '"cannot be told"'))  # the word until 0.1
    assert read_report(tmp_path / "report.json").claims[0].verdict == "undecided"
    (tmp_path / "report.json").write_text('{"tables": [1]}')
    with pytest.raises(UserError, match="is not a report"):
        read_report(tmp_path / "report.json")


def quotes(text: str) -> list[tuple[str, str, str]]:
    return [(ours, low, high) for ours, low, high in QUOTED.findall(text)]


def is_quoted_rightly(quote: tuple[str, str, str], figures: list[Figure]) -> bool:
    """To the digits that are quoted."""

    def agree(text: str, value: float) -> bool:
        return abs(float(text) - value) <= 0.5 * 10.0 ** -len(text.partition(".")[2]) + 1e-9

    return any(
        all(map(agree, quote, (it.ours, *it.interval)))
        for it in figures
        if it.ours is not None and it.interval is not None
    )


@pytest.mark.parametrize("name", sorted(papers()))
def test_figures_in_prose_are_those_of_the_report(name: str) -> None:
    """Of the whole paper, or of single tables."""
    reports = map(read_report, [DOCS / name / "report.json", *DOCS.glob(f"{name}/*/report.json")])
    figures = [figure for report in reports for table in report.tables for figure in table.figures]
    texts = [path for path in (DOCS / f"{name}.md", DOCS.parent / f"{name}.md") if path.exists()]
    assert texts
    for path in texts:
        for section in re.split(r"(?m)^## ", path.read_text(encoding="utf-8")):
            if (name, section.partition("\n")[0]) not in OTHER_SOURCES:
                assert [it for it in quotes(section) if not is_quoted_rightly(it, figures)] == [], path


def test_figures_in_the_readme_are_those_of_a_report() -> None:
    """In lines that speak of a paper."""
    for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines():
        for name in papers().keys() & set(re.findall(r"docs/papers/(\w+)\.md", line)):
            report = read_report(DOCS / name / "report.json")
            figures = [figure for table in report.tables for figure in table.figures]
            assert [it for it in quotes(line) if not is_quoted_rightly(it, figures)] == [], line


def test_a_wrong_quote_is_found() -> None:
    figures = [Figure("x", 27.84, (24.81, 30.66))]
    assert is_quoted_rightly(("27.8", "24.8", "30.7"), figures)
    assert not is_quoted_rightly(("27.9", "24.8", "30.7"), figures)
    assert quotes("ours .95 (.89 .. .98), the mean\nof 27.8 (24.8 ..\n30.7)") == [
        (".95", ".89", ".98"), ("27.8", "24.8", "30.7"),
    ]  # fmt: skip


def test_the_stored_report_knows_how_long_it_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "STORED", tmp_path)
    paper = known.find_paper("kamei")
    assert cpu_minutes(paper, "full") == paper.scales["full"].cpu_minutes
    Report("t", command_of("kamei", "full"), cpu_seconds=120.0).save(tmp_path / "kamei")
    assert cpu_minutes(paper, "full") == 2.0
    assert cpu_minutes(paper, "quick") == paper.scales["quick"].cpu_minutes
