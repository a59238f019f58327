"""What Kamei and Kakizoe (2017) claim, and what our figures say about it."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from randori.experiments.findings import Claim, Figure, Interval, Verdict, decide, difference, together
from randori.experiments.report import Table

WIN_RATES, NOT_LEARNING = (4, 7), "random moves"
AS_GOOD = 0.02
"""Rates that differ by less are called the same: the paper gives two digits."""


class Question(NamedTuple):
    """A claim, the figures that decide it, and how. Each figure is the name of a line of a table."""

    claim: str
    table: int
    names: tuple[str, ...]
    answer: Callable[..., Verdict]


def _first_is_greatest(first: Figure, *others: Figure) -> Verdict:
    return together(*(decide(difference(first, it)) for it in others))


def _both_firsts_are_greatest(*figures: Figure) -> Verdict:
    half = len(figures) // 2
    return together(_first_is_greatest(*figures[:half]), _first_is_greatest(*figures[half:]))


def _the_same(one: Figure, other: Figure) -> Verdict:
    low, high = difference(one, other)
    if low > -AS_GOOD and high < AS_GOOD:
        return "holds"
    return "does not hold" if low > AS_GOOD or high < -AS_GOOD else "undecided"


def _each_is_less(*figures: Figure) -> Verdict:
    return together(*(decide(difference(a, b)) for a, b in pairwise(figures)))


def _each_is_more(*figures: Figure) -> Verdict:
    return _each_is_less(*reversed(figures))


_THREE, _SEVEN = "IP-SOM", "7 maps and last-4 search"

QUESTIONS = (
    Question(
        "Maps that find their winner by the inner product retrieve more discs than conventional maps with statistical "
        "thresholds.",
        2, ("IP, discs", "statistical, discs"), _first_is_greatest,
    ),
    Question(
        "Thresholds from a genetic algorithm retrieve as many discs as the inner product.",
        2, ("IP, discs", "GA, discs"), _the_same,
    ),
    Question(
        "Statistical thresholds are the best for all squares.",
        2, ("statistical, all squares", "GA, all squares", *(f"fixed {it}, all squares" for it in (0.1, 0.5, 0.8))),
        _first_is_greatest,
    ),
    Question(
        "With three maps of either kind, Monte Carlo wins more often than TD(lambda) and TD(0).",
        4, tuple(f"{maps}, {it}" for maps in (_THREE, "conventional SOM") for it in ("MC", "TD(lambda)", "TD(0)")),
        _both_firsts_are_greatest,
    ),
    Question(
        "With three maps TD(0) does not learn at all: it wins as often as random moves.",
        4, (f"{_THREE}, TD(0)", "random moves"), _the_same,
    ),
    Question(
        "Monte Carlo wins more often on maps by the inner product than on conventional ones.",
        4, (f"{_THREE}, MC", "conventional SOM, MC"), _first_is_greatest,
    ),
    Question(
        "With seven maps, each range of ten moves is remembered worse than the one before, up to move 50.",
        6, tuple(f"moves {it} to {it + 9}" for it in (1, 11, 21, 31, 41)), _each_is_less,
    ),
    Question(
        "TD(lambda) gains from seven maps and the search of the last four moves.",
        7, (f"{_SEVEN}, TD(lambda)", f"{_THREE}, TD(lambda)"), _first_is_greatest,
    ),
    Question(
        "Monte Carlo does not gain from them.",
        7, (f"{_SEVEN}, MC", f"{_THREE}, MC"), _the_same,
    ),
    Question(
        "With seven maps and the search, TD(lambda) wins more often than Monte Carlo.",
        7, (f"{_SEVEN}, TD(lambda)", f"{_SEVEN}, MC"), _first_is_greatest,
    ),
    Question(
        "The agent becomes stronger if it looks ahead at each move.",
        9, tuple(f"{it}, score against 4 plies" for it in ("1 ply", "2 plies", "4 plies", "6 plies")), _each_is_more,
    ),
)  # fmt: skip


def claims(tables: Mapping[int, Sequence[Table]]) -> list[Claim]:
    """Those whose figures are there. Win rates rise with the games learned from, so that agents of unequal numbers of
    games, as a run that is under way has them, decide nothing.
    """
    found = []
    for it in QUESTIONS:
        lines = {figure.what: figure for figure in tables[it.table][0].figures} if tables.get(it.table) else {}
        figures = [lines[name] for name in it.names if name in lines and lines[name].interval is not None]
        if len(figures) == len(it.names) and (it.table not in WIN_RATES or _learned_alike(figures)):
            found.append(Claim(it.claim, it.answer(*figures), _reason(it.table, figures)))
    return found


def _learned_alike(figures: Sequence[Figure]) -> bool:
    return len({it.games for it in figures if it.what != NOT_LEARNING}) == 1


def _reason(table: int, figures: Sequence[Figure]) -> str:
    parts = [f"{it.what} {it.ours:.3f} ({_ends(it.interval)})" for it in figures if it.interval is not None]
    return f"Table {table}: {'; '.join(parts)}."


def _ends(interval: Interval) -> str:
    return " .. ".join(f"{it:.3f}" for it in interval)
