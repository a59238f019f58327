"""Which moves decided a game: threat search looks through it from its end."""

import numpy as np
from numba import types

from randori.kernels.compile import inner, kernel
from randori.kernels.pattern_weights import WEIGHTS, score_position
from randori.kernels.patterns import LINES, empty_position, toggle
from randori.kernels.threats import MEMORY, forced_win, is_safe, next_best, square_of


@inner
def _safe_square(lines, weights, board, mover, other_than, n_nodes, n_candidates, failed):
    """The first of the network's candidates, but for one, that gives the other side no forced win; -1: none does."""
    scores = np.empty(lines.places.size)
    score_position(lines, weights, board, mover, scores)
    for _ in range(n_candidates):
        square = next_best(scores)
        if square < 0:
            return -1
        if square != other_than and is_safe(lines, board, mover, lines.places[square], n_nodes, failed):
            return square
    return -1


@kernel(
    types.void(
        LINES, WEIGHTS, types.Array(types.int16, 1, "C"), types.int64, types.int64, types.int64,
        types.Array(types.int16, 1, "C"), types.Array(types.float64, 1, "C"),
    )
)  # fmt: skip
def judge_game(lines, weights, actions, opening_plies, n_nodes, n_candidates, targets, worths):
    """Finds out which moves decided a game: `targets[ply]`, and `worths[ply]` 1 where it is proved, else 0.

    Where a win could be forced, its first stone is the target. Where the move played let the other side force one, it
    is the first of the network's own candidates that does not; and where there is none, the move before was decisive.
    """
    board = empty_position(lines)
    failed = np.zeros(MEMORY, np.uint64)
    wins = np.full(actions.size, -1, np.int64)
    for ply in range(actions.size):
        targets[ply], worths[ply] = actions[ply], 0.0
        if ply >= opening_plies:
            wins[ply] = forced_win(lines, board, ply % 2, n_nodes, failed)
        toggle(lines, board, lines.places[actions[ply]], ply % 2)
    for ply in range(actions.size - 1, opening_plies - 1, -1):
        mover = ply % 2
        toggle(lines, board, lines.places[actions[ply]], mover)
        if wins[ply] >= 0:
            targets[ply], worths[ply] = square_of(lines, wins[ply]), 1.0
        elif ply + 1 < actions.size and wins[ply + 1] >= 0:
            safe = _safe_square(lines, weights, board, mover, actions[ply], n_nodes, n_candidates, failed)
            if safe >= 0:
                targets[ply], worths[ply] = safe, 1.0
            elif ply > opening_plies:
                worths[ply - 1] = 1.0
