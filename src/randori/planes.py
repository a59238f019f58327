"""Positions as the input of networks: the same three planes for every game."""

import numpy as np
from numpy.typing import NDArray

from randori.game import Game, States

N_PLANES = 3


def planes(game: Game, states: States) -> NDArray[np.float32]:
    """`[B, 3, H, W]`: mine, theirs, and ones on the board (zeros appear where a convolution pads)."""
    cells = game.cells(states)
    stacked = np.ones((len(cells), N_PLANES, *game.shape), np.float32)
    stacked[:, 0] = cells == 1
    stacked[:, 1] = cells == -1
    return stacked
