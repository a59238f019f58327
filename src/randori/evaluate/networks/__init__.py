"""Trained networks, run without the library that they were trained with."""

from randori.evaluate.networks.architecture import Architecture, Dense, Residual, residual_for
from randori.evaluate.networks.evaluator import NEITHER, NetworkEvaluator, sides_to_move
from randori.evaluate.networks.network import Network

__all__ = [
    "NEITHER",
    "Architecture",
    "Dense",
    "Network",
    "NetworkEvaluator",
    "Residual",
    "residual_for",
    "sides_to_move",
]
