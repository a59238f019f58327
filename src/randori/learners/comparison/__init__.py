"""Comparison training for games of stones in a row: a network learns from the moves that beat it.

Two networks can be taught. `chains` is Freisleben's (1995), with its learning rule. `patterns` goes beyond it: games
are judged by threat search, so that the moves that decided them get the credit, whoever the opponent was.
"""

from randori.learners.comparison.config import FREISLEBEN, ComparisonConfig
from randori.learners.comparison.learner import ComparisonLearner

__all__ = ["FREISLEBEN", "ComparisonConfig", "ComparisonLearner"]
