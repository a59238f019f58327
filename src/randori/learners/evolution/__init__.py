"""Evolved evaluation networks (Handa and Horiuchi 2002)."""

from randori.learners.evolution.config import BEYOND, GROWING, PAPER, PAPER_REVERSI, EvolutionConfig
from randori.learners.evolution.learner import EvolutionLearner
from randori.learners.evolution.standard import standard_program

__all__ = ["BEYOND", "GROWING", "PAPER", "PAPER_REVERSI", "EvolutionConfig", "EvolutionLearner", "standard_program"]
