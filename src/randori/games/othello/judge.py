"""Othello's rule of thumb for kernels: weighted squares and mobility, on one word a side."""

import numpy as np

from randori.games.othello.discs import placements
from randori.kernels.bits import popcount
from randori.kernels.compile import inner
from randori.kernels.judges import doubles_at, words_at
from randori.kernels.rules import ahead

# Facts: the size of the board; masks, first two as `placements` takes them, then the squares of each weight; the weights.
SIZE, MASKS, WEIGHTS, N_WEIGHTS = range(4)

_MOVE = 8.0  # what a move is worth beside the squares
_SCALE = 200.0


@inner
def _moves(mine, theirs, size, masks):
    """At least one while the game goes on: a pass is a move."""
    return max(popcount(placements(mine, theirs, size, masks[0], masks[1])), 1)


def squares_and_moves(state, facts):
    masks, weights, size = words_at(facts[MASKS]), doubles_at(facts[WEIGHTS]), facts[SIZE]
    mine, theirs, squares = state[0], state[1], ahead(masks, 2)
    total = _MOVE * (_moves(mine, theirs, size, masks) - _moves(theirs, mine, size, masks))
    for kind in range(facts[N_WEIGHTS]):
        total += weights[kind] * (popcount(mine & squares[kind]) - popcount(theirs & squares[kind]))
    return np.tanh(total / _SCALE)
