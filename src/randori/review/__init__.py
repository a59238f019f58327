"""Review: what every move of a game was worth, beside the best one.

The room is itself what `randori.review(moves, game)` calls, since Python knows one thing by one name.
"""

import sys
from types import ModuleType

from randori.review.course import Judged, Review, progress, review
from randori.review.effort import COARSE, FINE, Effort
from randori.review.marks import PHASES, Accuracy, Mark, accuracy_of, mark_of
from randori.review.moves import review_moves
from randori.review.referee import Referee
from randori.review.verdict import Verdict, Worth

__all__ = [
    "COARSE",
    "FINE",
    "PHASES",
    "Accuracy",
    "Effort",
    "Judged",
    "Mark",
    "Referee",
    "Review",
    "Verdict",
    "Worth",
    "accuracy_of",
    "mark_of",
    "progress",
    "review",
    "review_moves",
]


class _Room(ModuleType):
    __call__ = staticmethod(review_moves)


sys.modules[__name__].__class__ = _Room
