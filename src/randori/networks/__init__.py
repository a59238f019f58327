"""Trained networks, run without the library that they were trained with."""

from randori.networks.architecture import Architecture, Dense, Residual, residual_for
from randori.networks.evaluator import NEITHER, NetworkEvaluator, board_tells_sides, sides_to_move
from randori.networks.network import Network

__all__ = [
    "NEITHER",
    "Architecture",
    "Dense",
    "Network",
    "NetworkEvaluator",
    "Residual",
    "board_tells_sides",
    "residual_for",
    "sides_to_move",
]
