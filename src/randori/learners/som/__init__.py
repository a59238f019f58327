"""Self-organizing maps with reinforcement learning (Kamei and Kakizoe 2017)."""

from randori.learners.som.config import PAPER, PAPER_THREE, SomConfig
from randori.learners.som.learner import SomLearner, play_chance

__all__ = ["PAPER", "PAPER_THREE", "SomConfig", "SomLearner", "play_chance"]
