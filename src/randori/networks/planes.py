"""Positions as the input of networks: the same three planes for every game."""

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Game, States
from randori.networks.kernels.positions import planes_all

N_PLANES = 3


def planes(game: Game, states: States, roles: NDArray[np.int8] | int = 0) -> NDArray[np.float32]:
    """`[B, 3, H, W]`: mine, theirs, and ones on the board (zeros appear where a convolution pads).

    Roles, `[B]`, are 1 where the other side is a sparring partner, -1 where the side to move is; half of that is added
    to the ones.
    """
    stacked = np.empty((len(states), N_PLANES, game.n_squares), np.float32)
    last = np.full(len(states), 1 + 0.5 * np.asarray(roles), np.float32)
    planes_all(game.rules, np.ascontiguousarray(states, np.uint64), last, stacked)
    return stacked.reshape(-1, N_PLANES, *game.shape)
