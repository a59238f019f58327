"""What a league shows, in sentences that follow from intervals and say no more than these allow."""

from collections.abc import Iterator, Sequence

from randori.experiments.league.drawing import called
from randori.experiments.league.plan import POINTS, QUESTIONS, Question
from randori.experiments.league.standing import Plain, Standing, added_by_search, standings

EARLY = 3
"""Halvings of the time at which the fast learners are named: after an eighth of it."""
_BY: dict[Question, str] = {"knowledge": "On knowledge alone", "player": "As players"}


def claims(of_game: Plain, budget: float) -> list[str]:
    """Of one game: who leads early and at the end, what search adds, and who stays behind a rung."""
    return [*_ahead(of_game, budget), *_searching(of_game), *_behind(of_game)]


def _ahead(of_game: Plain, budget: float) -> Iterator[str]:
    early = POINTS - 1 - EARLY
    for point, seconds in ((early, budget / 2**EARLY), (POINTS - 1, budget)):
        for question in QUESTIONS:
            ranked = standings(of_game, question, point)
            if len(ranked) > 1:
                yield f"{_BY[question]}, after {seconds:g} CPU seconds, {_leaders(ranked)}."


def _leaders(ranked: Sequence[Standing]) -> str:
    """A line leads alone if it is clearly ahead of all others, and cannot lead if it is clearly behind one of them."""
    first = [it for it in ranked if it.rank.best == 1]
    if first[0].rank.worst == 1:
        return f"clearly ahead of all others: {first[0].title}"
    if len(first) == len(ranked):
        return "no method is clearly behind another"
    others = [it for it in ranked if it.rank.best > 1]
    return f"{_listed(first, 'or')} may lead; clearly behind: {_listed(others, 'and')}"


def _searching(of_game: Plain) -> Iterator[str]:
    for it in added_by_search(of_game):
        low, high = it.interval
        if low > 0:
            yield f"Search adds {it.elo:.0f} Elo ({low:.0f} .. {high:.0f}) to {it.title}."
        elif high < 0:
            yield f"Search takes {-it.elo:.0f} Elo ({-high:.0f} .. {-low:.0f}) from {it.title}."


def _behind(of_game: Plain) -> Iterator[str]:
    """For each line the lowest rung that is clearly stronger, one sentence per rung. Lines whose rating is only a lower bound
    are left out: how strong they are at most is unknown.
    """
    ranked = [it for it in standings(of_game, "player") if it.extrapolated != "above"]
    lowest: dict[str, list[Standing]] = {}
    for it in ranked:
        above = [rung for rung in of_game["rungs"] if rung["elo"] > it.interval[1]]
        if above:
            rung = min(above, key=lambda rung: float(rung["elo"]))
            lowest.setdefault(called(rung["player"]), []).append(it)
    for rung, lines in lowest.items():
        yield f"Clearly weaker than `{rung}`, even with search: {_listed(lines, 'and')}."


def _listed(lines: Sequence[Standing], conjunction: str) -> str:
    *others, last = [it.title for it in lines]
    return f"{', '.join(others)} {conjunction} {last}" if others else last
