"""A review as plain values, for programs."""

from typing import Any

from randori.review.course import Judged, Review
from randori.review.marks import PHASES, Accuracy
from randori.review.words import line_of, sentences


def summary(review: Review) -> dict[str, Any]:
    """Chances before each move and at the end are those of the side that began; a move's chances are those of the side
    that made it.
    """
    sides = [it.capitalize() for it in review.game.knowledge.look.sides]
    return {
        "game": review.game.name,
        "complete": review.complete,
        "chances": [None if it is None else round(it, 4) for it in review.chances],
        "accuracy": [_accuracy(review.accuracy(seat)) for seat in (0, 1)],
        "moves": [None if it is None else _move(review, it, sides[it.seat]) for it in review.moves],
    }


def _accuracy(found: Accuracy) -> dict[str, float | None]:
    shares = {"overall": found.overall, **dict(zip(PHASES, found.phases, strict=True))}
    return {key: None if it is None else round(it, 4) for key, it in shares.items()}


def _move(review: Review, it: Judged, who: str) -> dict[str, Any]:
    names, verdict = review.game.move_names, it.verdict
    return {
        "ply": it.ply,
        "move": names[it.action],
        "best": names[verdict.action],
        "chance": round(verdict.best, 4),
        "cost": round(verdict.cost, 4),
        "discs": None if verdict.discs is None else round(verdict.discs, 1),
        "exact": verdict.exact,
        "mark": it.mark,
        "line": line_of(review.game, it).split(),
        "words": sentences(review.game, it, who),
    }
