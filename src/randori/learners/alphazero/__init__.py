"""AlphaZero, and transfer between games."""

from randori.learners.alphazero.config import HONGCHAROEN, AlphaZeroConfig
from randori.learners.alphazero.learner import AlphaZeroLearner

__all__ = ["HONGCHAROEN", "AlphaZeroConfig", "AlphaZeroLearner"]
