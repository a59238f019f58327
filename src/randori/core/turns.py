"""Groups of turns and reflections: which of them a game's board has is the game's own to say.

A group lists boards of square numbers, the board as it is first: on a turned board the square at (r, c) is the one whose
number stands there.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Group = Callable[[tuple[int, int]], list[NDArray[np.intp]]]


def _board(shape: tuple[int, int]) -> NDArray[np.intp]:
    return np.arange(shape[0] * shape[1]).reshape(shape)


def unturned(shape: tuple[int, int]) -> list[NDArray[np.intp]]:
    """No symmetry but the board itself."""
    return [_board(shape)]


def mirrored(shape: tuple[int, int]) -> list[NDArray[np.intp]]:
    """Left and right are alike."""
    return [_board(shape), _board(shape)[:, ::-1]]


def half_turned(shape: tuple[int, int]) -> list[NDArray[np.intp]]:
    """Both ends are alike."""
    return [_board(shape), _board(shape)[::-1, ::-1]]


def turned_as_rectangle(shape: tuple[int, int]) -> list[NDArray[np.intp]]:
    """The four ways to lay down a sheet of paper."""
    board = _board(shape)
    return [board, board[:, ::-1], board[::-1], board[::-1, ::-1]]


def turned_as_square(shape: tuple[int, int]) -> list[NDArray[np.intp]]:
    """All eight turns and reflections of a square board."""
    board = _board(shape)
    return [np.rot90(it, turns) for it in (board, board[:, ::-1]) for turns in range(4)]
