"""What a position is worth."""

from randori.evaluate.evaluator import Evaluation, Evaluator
from randori.evaluate.heuristic import Margin, OpenLines, Territory, heuristic_evaluator
from randori.evaluate.rollouts import Rollouts

__all__ = ["Evaluation", "Evaluator", "Margin", "OpenLines", "Rollouts", "Territory", "heuristic_evaluator"]
