"""Review: what every move of a game was worth, beside the best one."""

from randori.review.course import Judged, Review, progress, review
from randori.review.effort import COARSE, FINE, Effort
from randori.review.marks import PHASES, Accuracy, Mark, accuracy_of, mark_of
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
]
