"""Reports: results as Markdown tables, SVG curves and one JSON file, all from the same figures."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from randori import games
from randori.arena.ratings import at_bound
from randori.chart import Curve, Level, line_chart
from randori.errors import UserError, warn
from randori.experiments.findings import Claim as Claim
from randori.experiments.findings import Figure as Figure
from randori.experiments.findings import Standing, Verdict
from randori.experiments.metrics import read_metrics
from randori.experiments.recipe import read_recipe
from randori.experiments.run import METRICS_FILE, RECIPE_FILE
from randori.reading import DamagedFile, read_json
from randori.tensorfile import write_whole

NOTHING = "-"
STANDINGS: dict[Standing | None, str] = {
    "inside": "inside", "explained": "outside, explained", "open": "outside", None: NOTHING,
}  # fmt: skip
"""Where a published figure lies, seen from our interval."""


@dataclass(frozen=True)
class Table:
    """Figures in rows; `digits` after the point. A column that nobody fills is left out."""

    title: str
    figures: Sequence[Figure]
    note: str = ""
    digits: int = 2

    def markdown(self) -> str:
        columns = {
            "": [it.what for it in self.figures],
            "ours": [self._text(it.ours) for it in self.figures],
            "95% interval": [self._interval(it.interval) for it in self.figures],
            "published": [self._text(it.published) for it in self.figures],
            "published lies": [STANDINGS[it.standing] for it in self.figures],
            **{heading: [it.further.get(heading, NOTHING) for it in self.figures] for heading in self._headings()},
            "games": [_count(it.games) for it in self.figures],
        }
        filled = {name: cells for name, cells in columns.items() if set(cells) != {NOTHING}}
        table = markdown_table(list(filled), list(zip(*filled.values(), strict=True)))
        explained = "".join(f"- {it.what}: {it.explained}\n" for it in self.figures if it.explained is not None)
        return "\n".join(it for it in (f"### {self.title}\n", table, self.note and f"{self.note}\n", explained) if it)

    def _headings(self) -> list[str]:
        return list(dict.fromkeys(heading for it in self.figures for heading in it.further))

    def _text(self, value: float | None) -> str:
        return NOTHING if value is None or not math.isfinite(value) else f"{value:.{self.digits}f}"

    def _interval(self, interval: tuple[float, float] | None) -> str:
        return NOTHING if interval is None else f"{self._text(interval[0])} .. {self._text(interval[1])}"


@dataclass(frozen=True)
class Chart:
    """Curves of one plot; `name` becomes the name of its file."""

    name: str
    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    log_x: bool = False
    levels: Sequence[Level] = ()

    def svg(self) -> str:
        return line_chart(
            self.curves,
            title=self.title,
            x_label=self.x_label,
            y_label=self.y_label,
            log_x=self.log_x,
            levels=self.levels,
        )


@dataclass(frozen=True)
class Report:
    """A page: how it was made, the verdicts on the paper's claims, tables, charts."""

    title: str
    command: str = ""
    """The command that makes the report."""
    tables: Sequence[Table] = field(default_factory=list)
    charts: Sequence[Chart] = field(default_factory=list)
    claims: Sequence[Claim] = field(default_factory=list)
    version: str | None = None
    """Of the package that made it."""
    seed: int | None = None
    cpu_seconds: float | None = None
    """Of all processes, over all sessions that it took."""

    def markdown(self) -> str:
        parts = [f"# {self.title}\n", f"{self.provenance()}\n"]
        if self.claims:
            parts += ["## What the paper claims\n", self.claims_in_words(), "## Tables\n"]
        parts += [table.markdown() for table in self.tables]
        parts += [f"![{chart.title}]({chart.name}.svg)\n" for chart in self.charts]
        return "\n".join(parts)

    def claims_in_words(self) -> str:
        return "".join(f"- **{it.verdict.capitalize()}**: {it.claim} {it.why}\n" for it in self.claims)

    def provenance(self) -> str:
        """How the report was made, in a sentence."""
        cost = None if self.cpu_seconds is None else f"in {self.cpu_seconds:,.0f} CPU seconds"
        how = (
            self.version and f"with randori {self.version}",
            None if self.seed is None else f"seed {self.seed}",
            cost,
        )
        return ", ".join([f"Made by `{self.command}`", *filter(None, how)]) + "."

    def summary(self) -> dict[str, Any]:
        """The figures as plain values, each with where the published one lies."""
        plain = asdict(self)
        for table, figures in zip(self.tables, (it["figures"] for it in plain["tables"]), strict=True):
            for figure, row in zip(table.figures, figures, strict=True):
                row["standing"] = figure.standing
        return plain

    def save(self, folder: Path) -> None:
        """Writes `report.md`, `report.json` and an SVG file for each chart."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for chart in self.charts:
                write_whole(folder / f"{chart.name}.svg", chart.svg().encode())
            write_whole(folder / "report.json", (json.dumps(self.summary(), indent=2) + "\n").encode())
            write_whole(folder / "report.md", self.markdown().encode())
        except OSError as error:
            raise UserError(f"'{folder}' cannot be written ({error.strerror}); choose another --out.") from error


OLDER_WORDS: dict[str, Verdict] = {"cannot be told": "undecided"}  # words: as stored
"""Verdicts in reports of earlier versions."""


def read_report(path: Path) -> Report:
    """A report that was saved. Raises UserError if it is damaged."""
    plain = read_json(path)
    try:
        tables = [
            Table(it["title"], [_known(Figure, figure) for figure in it["figures"]], it["note"], it["digits"])
            for it in plain["tables"]
        ]
        charts = [
            Chart(**it | {"curves": [_known(Curve, curve) for curve in it["curves"]]}) for it in plain.get("charts", [])
        ]
        claims = [
            Claim(**it | {"verdict": OLDER_WORDS.get(it["verdict"], it["verdict"])}) for it in plain.get("claims", [])
        ]
    except (AttributeError, LookupError, TypeError) as error:
        raise DamagedFile(f"'{path}' is not a report ({error}); make it again.") from None
    return replace(_known(Report, plain), tables=tables, charts=charts, claims=claims)


def _known(kind: type[Any], plain: dict[str, Any]) -> Any:
    """The fields of this kind among those of the file; whatever follows from them is computed again."""
    return kind(**{it.name: plain[it.name] for it in fields(kind) if it.name in plain})


def markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The first column is text, the others are numbers; a bar in a cell does not end it."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in [columns, *rows]]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(columns))]
    lines = [" | ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in cells]
    rule = "|".join([f":{'-' * (widths[0] + 1)}", *(f"{'-' * (width + 1)}:" for width in widths[1:])])
    return "\n".join([f"| {lines[0]} |", f"|{rule}|", *(f"| {line} |" for line in lines[1:])]) + "\n"


def _count(n: int | None) -> str:
    return NOTHING if n is None else f"{n:,}"


def league(folders: Sequence[Path], command: str) -> Report:
    """What runs reached and at what cost: their last ratings, and for each game a plot of rating by CPU seconds."""
    curves: dict[str, list[Curve]] = {}
    figures: dict[str, list[Figure]] = {}
    for folder in folders:
        if not (folder / RECIPE_FILE).is_file():
            raise UserError(f"'{folder}' is not a run: it has no {RECIPE_FILE}.")
        try:
            recipe, rows = read_recipe(folder / RECIPE_FILE), read_metrics(folder / METRICS_FILE)
        except UserError as error:
            warn(f"'{folder}' is left out: {error}")
            continue
        rated = [row for row in rows if "rating" in row]
        name = f"{folder} ({recipe.learner})"
        curves.setdefault(recipe.game, []).append(_learning_curve(name, rated))
        figures.setdefault(recipe.game, []).append(_last_rating(name, rated))
    if not figures:
        raise UserError("There is no run that can be read; name others.")
    tables, charts = [], []
    for game in figures:
        title = games.game(game).title
        ranked = sorted(figures[game], key=lambda it: -math.inf if it.ours is None else it.ours, reverse=True)
        tables.append(Table(title, ranked, "Ratings on the Elo scale, random being 0.", digits=0))
        axes = ("CPU seconds of learning", "rating (random = 0)")
        charts.append(Chart(f"league-{game}", f"{title}: rating by CPU time", *axes, curves[game], log_x=True))
    return Report("League", command, tables, charts)


def _learning_curve(name: str, rated: list[dict[str, Any]]) -> Curve:
    ratings = [row["rating"] for row in rated]
    bounds = [[it[key] for it in ratings] for key in ("elo", "low", "high")]
    return Curve(name, [row["cpu_seconds"] for row in rated], *bounds)


def _last_rating(name: str, rated: list[dict[str, Any]]) -> Figure:
    if not rated:
        return Figure(name, None)
    last = rated[-1]["rating"]
    what = f"{name}, {rated[-1]['games']:,} games, {rated[-1]['cpu_seconds']:,.0f} CPU s"
    if beyond := last.get("extrapolated"):
        what += f", {at_bound('so strong', beyond)}: {beyond} everybody of known strength"
    return Figure(what, last["elo"], (last["low"], last["high"]), games=last["games"])
