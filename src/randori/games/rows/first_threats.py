"""Which first moves win by threats, and which are proved not to: for questions that have one answer.

Threats are those of `threats.py`: fours and open threes, a three after the first in a row with a stone of the attack, no more
than 24 plies. A move after which there is no threat, or after which such a search comes to its end without a win, does not win
by them.
"""

import numpy as np
from numba import types

from randori.games.rows.patterns import FIVE, LINES, empty_position, set_up, toggle
from randori.games.rows.threats import _DEPTH, _LOSES, _MEMORY, _WIDTH, _WINS, _defend, search
from randori.kernels.bits import mix
from randori.kernels.compile import inner, kernel

WINS, FAILS, OPEN = 1, 0, -1
"""Verdicts on a first move; open where the nodes were not enough."""


@inner
def _goes_on_to_win(lines, board, attacker, n_nodes, failed):
    """Whether the attacker, who is to move, wins by threats: a verdict."""
    verdict, deepest, used = OPEN, 4, 0
    while verdict == OPEN and used < n_nodes and deepest <= _DEPTH:
        salt = mix(np.uint64(64 * deepest + attacker + 1))
        found, nodes, cut = search(lines, board, attacker, True, deepest, n_nodes - used, failed, salt)
        used += nodes
        deepest += 2
        if found >= 0:
            verdict = WINS
        elif not cut:
            verdict = FAILS
    failed[:] = np.uint64(0)
    return verdict


@inner
def _judge_first(lines, board, place, n_nodes, failed, replies):
    """The verdict on a stone of the side to move there; one reply that holds is enough to fail."""
    if board.best[0, place] == FIVE:
        return WINS
    if board.counts[1, FIVE] > (1 if board.best[1, place] == FIVE else 0):
        return FAILS
    toggle(lines, board, place, 0)
    told, count = _defend(lines, board, 0, replies, 0)
    verdict = OPEN if told == _LOSES and count >= _WIDTH else FAILS if told == _LOSES else WINS
    if told != _LOSES and told != _WINS:
        for i in range(count):
            toggle(lines, board, replies[0, i], 1)
            after = _goes_on_to_win(lines, board, 0, n_nodes, failed)
            toggle(lines, board, replies[0, i], 1)
            if after == FAILS:
                verdict = FAILS
                break
            if after == OPEN:
                verdict = OPEN
    toggle(lines, board, place, 0)
    return verdict


@kernel(
    types.void(
        LINES, types.Array(types.int8, 2, "C"), types.int64, types.int64, types.boolean, types.Array(types.int8, 1, "C")
    )
)  # fmt: skip
def judge_firsts(lines, cells, n_nodes, most_wins, all_or_none, verdicts):
    """Judges the squares that are still open for the side whose stones are 1, by so many nodes for each reply.

    The rest is left open once `most_wins` moves win; with `all_or_none` also once a move stays open.
    """
    board = empty_position(lines)
    failed = np.zeros(_MEMORY, np.uint64)
    replies = np.empty((1, _WIDTH + 1), np.int64)
    set_up(lines, board, cells)
    wins = np.sum(verdicts == WINS)
    for square in range(lines.places.size):
        place = lines.places[square]
        if board.cells[place] != 0:
            verdicts[square] = FAILS
        elif verdicts[square] == OPEN:
            verdicts[square] = _judge_first(lines, board, place, n_nodes, failed, replies)
            wins += verdicts[square] == WINS
            if wins >= most_wins or (all_or_none and verdicts[square] == OPEN):
                return
