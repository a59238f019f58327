"""Sets of squares whose patterns matter on any board: lines, windows in the corners."""

from collections.abc import Iterable

import numpy as np

from randori.core.game import Game
from randori.core.symmetry import symmetries

Squares = tuple[int, ...]
MOST_SQUARES = 10
"""Of a tuple: 3^10 patterns fit into 16 bits."""


def lines(game: Game, least: int = 4) -> list[Squares]:
    """Every whole row, column and diagonal of at least so many squares."""
    height, width = game.shape
    square = np.arange(height * width).reshape(height, width)
    found = [*square, *square.T]
    for board in (square, square[:, ::-1]):
        found += [np.diagonal(board, k) for k in range(-height + 1, width)]
    return [tuple(int(it) for it in line) for line in found if least <= len(line) <= MOST_SQUARES]


def windows(game: Game, length: int) -> tuple[Squares, Squares]:
    """So many squares in a row, straight and aslant: those in the corner, of a game where they can be shifted."""
    width = game.shape[1]
    return tuple(range(length)), tuple(i * (width + 1) for i in range(length))


def corners(game: Game, rows: int, columns: int) -> list[Squares]:
    """Windows of this size in the four corners, as far as the board is large enough."""
    height, width = game.shape
    if rows > height or columns > width:
        return []
    square = np.arange(height * width).reshape(height, width)
    boards = (square, square[:, ::-1], square[::-1], square[::-1, ::-1])
    return [tuple(int(it) for it in board[:rows, :columns].ravel()) for board in boards]


def distinct(game: Game, shapes: Iterable[Squares]) -> tuple[Squares, ...]:
    """One of those that a symmetry carries into each other."""
    kept: dict[frozenset[int], Squares] = {}
    for squares in shapes:
        turned = [frozenset(int(symmetry.cells[it]) for it in squares) for symmetry in symmetries(game)]
        if not any(it in kept for it in turned):
            kept[frozenset(squares)] = squares
    return tuple(kept.values())


def automatic(game: Game) -> tuple[Squares, ...]:
    """For a game that names none: lines, and windows of 3x3 and 2x5 in the corners; on a small board all of it."""
    least = min(4, *game.shape)
    shapes = [*lines(game, least), *corners(game, 3, 3), *corners(game, 2, 5), *corners(game, 5, 2)]
    return distinct(game, shapes)
