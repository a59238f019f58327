"""The moves of positions that a search need look at."""

import numpy as np

from randori.core.game import Bools, Game, States
from randori.kernels.candidate_moves import candidates_all
from randori.kernels.candidates import address_of


def candidates(game: Game, states: States) -> Bools:
    """`[B, A]`: as the game names them, or every legal move where it names none."""
    named = game.knowledge.candidates
    if named is None:
        return game.legal(states)
    mask = np.zeros((len(states), game.n_actions), np.bool_)
    candidates_all(game.rules, address_of(named), np.ascontiguousarray(states, np.uint64), mask)
    return mask
