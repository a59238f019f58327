"""Deep Q-learning and Deep SARSA."""

from randori.learners.deep_q.config import PAPER, DeepQConfig
from randori.learners.deep_q.learner import DeepQLearner

__all__ = ["PAPER", "DeepQConfig", "DeepQLearner"]
