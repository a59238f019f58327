"""OpenSpiel's games, for rows in which it does the same work."""

from importlib.util import find_spec
from typing import Any

_NAMES = {
    "tictactoe": "tic_tac_toe",
    "connect4": "connect_four",
    "othello8": "othello",
    "gomoku15": "gomoku(size=15)",
}


def has_game(name: str) -> bool:
    return name in _NAMES and find_spec("pyspiel") is not None


def load_game(name: str) -> Any:
    import pyspiel

    return pyspiel.load_game(_NAMES[name])
