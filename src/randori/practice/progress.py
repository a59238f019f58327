"""Progress: when a puzzle comes back, which one is next, and how good somebody is at them."""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from randori.practice.puzzle import Puzzle

_MINUTE, _DAY = 60, 24 * 3600
PAUSES = (10 * _MINUTE, _DAY, 3 * _DAY, 7 * _DAY, 21 * _DAY, 60 * _DAY)
"""Seconds until a puzzle in each of Leitner's boxes comes back."""
_FIRST_BOX = 2
"""Of a puzzle that was solved when it was first met."""
_EASIER = 80.0
"""New puzzles are rated about so much below a person, who then solves three of five."""
_LEAST_DEVIATION = 60.0
_Q = math.log(10) / 400


class Card(NamedTuple):
    """What is kept of one person's puzzle."""

    puzzle: str
    box: int
    due: int
    """In seconds of the clock that was handed in; before, a try does not count."""
    tries: int


class Skill(NamedTuple):
    """How good somebody is at the puzzles of a game, on the scale of their ratings."""

    elo: float
    deviation: float
    tries: int = 0
    solved: int = 0
    streak: int = 0
    """Tries that were right since one was wrong."""


def after_try(card: Card | None, puzzle: str, right: bool, now: int) -> Card:
    """One box up for a right answer, back to the first for a wrong one."""
    higher = _FIRST_BOX if card is None else min(card.box + 1, len(PAUSES) - 1)
    box = higher if right else 0
    return Card(puzzle, box, now + PAUSES[box], 1 if card is None else card.tries + 1)


def counts(card: Card | None, now: int) -> bool:
    """Whether a try counts: a puzzle that is new or due. So one may try again at once, for nothing."""
    return card is None or card.due <= now


def after_result(before: Skill, rating: float | None, right: bool) -> Skill:
    """By Glicko's rule with a puzzle whose rating is certain; without one, what was met before, only counted."""
    counted = before._replace(
        tries=before.tries + 1, solved=before.solved + right, streak=before.streak + 1 if right else 0
    )
    if rating is None:
        return counted
    expected = 1 / (1 + math.exp(-_Q * (before.elo - rating)))
    certainty = 1 / before.deviation**2 + _Q**2 * expected * (1 - expected)
    elo = before.elo + _Q / certainty * (right - expected)
    return counted._replace(elo=elo, deviation=max(_LEAST_DEVIATION, certainty**-0.5))


def next_puzzle(puzzles: Iterable[Puzzle], cards: Mapping[str, Card], elo: float, now: int) -> Puzzle | None:
    """What is due, the longest first; else a new one a little below somebody's rating; else what is due soonest."""
    known = {it.id: it for it in puzzles}
    met = sorted((cards[id] for id in known if id in cards), key=lambda it: (it.due, it.puzzle))
    if met and met[0].due <= now:
        return known[met[0].puzzle]
    new = [it for it in known.values() if it.id not in cards]
    if new:
        return min(new, key=lambda it: (abs((elo if it.rating is None else it.rating) - (elo - _EASIER)), it.id))
    return known[met[0].puzzle] if met else None
