"""The score of a square as a sum of learned weights, for the patterns of its lines and for pairs of lines that cross."""

from typing import Annotated, NamedTuple

import numpy as np
from numba import types

from randori.games.rows.patterns import FIVE, LINES, empty_position, set_up
from randori.kernels.compile import inner, kernel
from randori.kernels.records import Float64s, numba_type

# A square that wins, or that must be taken lest the other side wins, stands above anything that weights can give.
WINNING, SAVING = 1e200, 1e100


class Weights(NamedTuple):
    """What is learned, by role: 0 what a stone there does for the side to move, 1 what it would do for the other."""

    lines: Annotated[Float64s, "2, patterns"]
    pairs: Annotated[Float64s, "2, classes, classes"]  # for two lines that cross, the better class first


WEIGHTS = numba_type(Weights)


@inner
def add_features(lines, board, mover, place, amount, gradient):
    """Adds `amount` to the gradient of every weight that the score of the place is a sum of."""
    for role in range(2):
        colour = mover if role == 0 else 1 - mover
        for d in range(4):
            gradient.lines[role, lines.patterns[colour, board.keys[d, place]]] += amount
            for e in range(d):
                a, b = board.classes[colour, d, place], board.classes[colour, e, place]
                gradient.pairs[role, max(a, b), min(a, b)] += amount


@inner
def score_place(lines, weights, board, mover, place):
    """What an empty place is worth to the mover."""
    if board.best[mover, place] == FIVE:
        return WINNING
    if board.best[1 - mover, place] == FIVE:
        return SAVING
    total = 0.0
    for role in range(2):
        colour = mover if role == 0 else 1 - mover
        for d in range(4):
            total += weights.lines[role, lines.patterns[colour, board.keys[d, place]]]
            for e in range(d):
                a, b = board.classes[colour, d, place], board.classes[colour, e, place]
                total += weights.pairs[role, max(a, b), min(a, b)]
    return total


@inner
def score_position(lines, weights, board, mover, scores):
    """Scores of every square; occupied ones get -inf."""
    for square in range(lines.places.size):
        place = lines.places[square]
        empty = board.cells[place] == 0
        scores[square] = score_place(lines, weights, board, mover, place) if empty else -np.inf


@kernel(types.void(LINES, WEIGHTS, types.Array(types.int8, 3, "C"), types.Array(types.float64, 2, "C")))
def score_patterns(lines, weights, boards, scores):
    """`scores[b, square]` for the side whose stones are 1."""
    board = empty_position(lines)
    for b in range(boards.shape[0]):
        set_up(lines, board, boards[b])
        score_position(lines, weights, board, 0, scores[b])
