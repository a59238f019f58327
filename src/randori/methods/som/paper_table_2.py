"""Table 2 of Kamei and Kakizoe (2017) by the share of random moves in the games that the maps know."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from randori.chart import Curve
from randori.experiments.intervals import interval_of_few
from randori.experiments.report import Chart, Figure, Table
from randori.methods.som import paper_retrieval
from randori.methods.som.paper_retrieval import PROGRAM, PUBLISHED, PUBLISHED_WRONG, Rates, in_words


def distance(rates: Rates) -> float:
    """From the published rates: the root of the mean square."""
    return math.sqrt(sum((rates[name] - it) ** 2 for name, it in PUBLISHED.items()) / len(PUBLISHED))


def fitting_share(measured: dict[float, list[Rates]]) -> float:
    """The share whose maps of the first seed come nearest to the published rates."""
    return min(measured, key=lambda share: distance(measured[share][0]))


def tables_2(measured: dict[float, list[Rates]]) -> list[Table]:
    """The share that fits first, then how well each fits, then the other shares."""
    fitting = fitting_share(measured)
    reported = {share: measured[share][1:] for share in sorted(measured)}
    note = (
        f"The root of the mean square of the differences from the {len(PUBLISHED)} published rates. Maps of one seed chose "
        f"the share ({distance(measured[fitting][0]):.3f} with {in_words(fitting)}); the figures here are means over "
        f"{len(reported[fitting])} other seeds."
    )
    rows = [Figure(in_words(share), *_mean([distance(it) for it in runs])) for share, runs in reported.items()]
    return [
        _table_2(f"Table 2: retrieval with 3 maps, {in_words(fitting)}", reported, fitting),
        Table("Table 2: distance from the published rates by the games that the maps know", rows, note, digits=3),
        _table_of_passing(reported),
        *(_table_2(f"Table 2 with {in_words(it)}", reported, it, beside=True) for it in reported if it != fitting),
    ]


def _table_of_passing(reported: dict[float, list[Rates]]) -> Table:
    """Where the axis passes each published figure."""
    figures = []
    for name, published in (PUBLISHED | PUBLISHED_WRONG).items():
        passed = _passing(reported, name, published)
        figures.append(Figure(f"{name}, {published:g}", None if passed is None else 100 * passed.share))
    note = (
        "Between two measured shares, the rate is assumed to be linear in the logarithm of the share. A line without a figure: "
        "no share in the range has this rate. A share that fitted them all would stand in every line."
    )
    title = "Table 2: the percentage of random moves at which maps have each published figure"
    return Table(title, figures, note, digits=1)


class Passing(NamedTuple):
    """Where the axis passes a rate: between two shares with these rates."""

    share: float
    shares: tuple[float, float]
    rates: tuple[float, float]


def _passing(reported: dict[float, list[Rates]], name: str, published: float) -> Passing | None:
    """None where no share has the published figure."""
    means = [(share, _average([it[name] for it in runs])) for share, runs in reported.items()]
    for (low, one), (high, other) in pairwise(means):
        if one != other and min(one, other) <= published <= max(one, other):
            part = (published - one) / (other - one)
            return Passing(low * (high / low) ** part, (low, high), (one, other))
    return None


def _table_2(title: str, reported: dict[float, list[Rates]], share: float, beside: bool = False) -> Table:
    """Published figures stand in the first table alone, so that each is compared once."""
    runs, figures = reported[share], []
    for name in runs[0]:
        published = None if beside else {**PUBLISHED, **PUBLISHED_WRONG}.get(name)
        mean, interval = _mean([it[name] for it in runs])
        figure = Figure(name, mean, interval, published, paper_retrieval.N_GAMES * len(runs))
        if figure.standing == "open":
            figure = replace(figure, explained=_explained(reported, share, name, figure.published or 0.0))
        figures.append(figure)
    note = (
        f"Share of squares retrieved correctly, in the positions of {paper_retrieval.N_GAMES} games that the maps have not "
        f"seen, unless the line says otherwise. Means over maps of {len(runs)} seeds, with Student's intervals."
    )
    return Table(title, figures, note, digits=3)


def _explained(reported: dict[float, list[Rates]], share: float, name: str, published: float) -> str | None:
    """Where the rate is passed on the way to the next share on the axis: by how much the true share may differ."""
    passed = _passing(reported, name, published)
    if passed is None or share not in passed.shares:
        return None
    beside = (f"{rate:.3f} with {in_words(it)}" for rate, it in zip(passed.rates, passed.shares, strict=True))
    return f"the next share on the axis lies on the other side: {' and '.join(beside)} (the other tables 2)."


def charts_2(measured: dict[float, list[Rates]]) -> list[Chart]:
    """The rates by the share of random moves, in percent."""
    charts = []
    for what in ("discs", "all squares"):
        curves = []
        for name in (it for it in PUBLISHED if it.endswith(what)):
            runs = [[it[name] for it in rates] for _, rates in sorted(measured.items())]
            label = f"{name.split(',')[0]} (published {PUBLISHED[name]:.2f})"
            shares = [100 * it for it in sorted(measured)]
            curves.append(Curve(label, shares, *([fold(it) for it in runs] for fold in (_average, min, max))))
        title = f"Table 2, {what}: what maps retrieve, by the games that they know"
        axes = (f"random moves in the games of {PROGRAM}, in percent", "share of squares retrieved")
        charts.append(Chart(f"table-2-{what.split()[0]}", title, *axes, curves, log_x=True))
    return charts


def _average(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _mean(values: Sequence[float]) -> tuple[float, tuple[float, float] | None]:
    return _average(values), interval_of_few(values) if len(values) > 1 else None
