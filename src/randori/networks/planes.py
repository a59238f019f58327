"""Positions as the input of networks: the same three planes for every game."""

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Game, States

N_PLANES = 3


def planes(game: Game, states: States, roles: NDArray[np.int8] | int = 0) -> NDArray[np.float32]:
    """`[B, 3, H, W]`: mine, theirs, and ones on the board (zeros appear where a convolution pads).

    Roles, `[B]`, are 1 where the other side is a sparring partner, -1 where the side to move is; half of that is added
    to the ones.
    """
    cells = game.cells(states)
    stacked = np.ones((len(cells), N_PLANES, *game.shape), np.float32)
    stacked[:, 0] = cells == 1
    stacked[:, 1] = cells == -1
    stacked[:, 2] += 0.5 * np.reshape(roles, (-1, 1, 1))
    return stacked
