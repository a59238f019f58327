"""Another author's Gomoku program: pygomoku by Rui He (MIT licence), asked for moves where it is installed."""

import os
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from randori.core.game import Game, Ints, States
from randori.players import Choice

PACKAGE = "pygomoku"
INSTALL = "pip install pygomoku==1.0.0"


def is_installed() -> bool:
    return find_spec(PACKAGE) is not None


@dataclass(frozen=True)
class PygomokuProgram:
    """Its `AlphaBetaHeuristic`, which looks at every square `depth` plies deep and counts rows with open ends.

    Its own depth of 3 takes many minutes per move on a 15x15 board, being plain Python.
    """

    game: Game
    depth: int

    @property
    def name(self) -> str:
        return f"pygomoku 1.0.0, depth {self.depth}"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return Choice(np.array([self._ask(board) for board in self.game.cells(states)], np.int16))

    def _ask(self, board: Ints) -> int:
        # It draws its page with pygame, which greets on stdout.
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        sides: Any = import_module("pygomoku.score").Player
        size = self.game.shape[0]
        stones = {1: sides.MAX, -1: sides.MIN, 0: sides.EMPTY}
        cells = {(row, column): stones[int(board[row, column])] for row in range(size) for column in range(size)}
        program = import_module("pygomoku.board.heuristic").AlphaBetaHeuristic(
            grid_size=size, max_depth=self.depth, board=cells, next_player=sides.MAX
        )
        row, column = program.calculate_next_move()
        return int(row) * size + int(column)
