"""Comparison training for games of stones in a row: the network compares its moves with better ones.

Two networks can be taught. `chains` is Freisleben's (1995), whose better moves are those of whoever beat it. `patterns`
goes beyond it: it finds the better moves out by playing on, whoever the opponent was.
"""

from randori.learners.comparison.config import FREISLEBEN, ComparisonConfig
from randori.learners.comparison.learner import ComparisonLearner

__all__ = ["FREISLEBEN", "ComparisonConfig", "ComparisonLearner"]
