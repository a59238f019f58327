"""Threat search: wins that the other side cannot escape, by stones that each make a four or an open three.

The attacker plays threats only, so the other side has few replies: the one square that stops a four; against an open
three the squares of that line, or fours of its own. Whatever it answers, a win that is found is a win; none found
proves nothing.
"""

import numpy as np
from numba import types

from randori.games.rows.patterns import (
    DIRECTIONS,
    FIVE,
    FOUR,
    LINES,
    OPEN_FOUR,
    OPEN_THREE,
    empty_position,
    first_square,
    set_up,
    toggle,
)
from randori.kernels.bits import mix
from randori.kernels.compile import inner, inner_once, kernel

_DEPTH = 24  # plies
_WIDTH = 32  # moves of one ply: there are seldom more threats
_PLAYED = _WIDTH  # column of the move under way
_MEMORY = 1 << 14  # positions where the attack is known to fail
_MOST_NODES = 15_000  # of all searches for one move together, some 30 ms

_LOSES, _OPEN, _WINS = -1, 0, 1


@inner
def _is_on_a_line(lines, place, other):
    """Whether two places are in a row and near enough to be in one chain."""
    wide = lines.size + 2 * (lines.k - 1)
    down, right = abs(place // wide - other // wide), abs(place % wide - other % wide)
    return max(down, right) < lines.k and (down == 0 or right == 0 or down == right)


@inner_once
def _add_threats(lines, board, attacker, wanted, moves, depth, count):
    """Adds the places where a stone makes this class at best, the most promising first; the new number of moves.

    A three, unless it is the first stone, must be in a row with a stone of the attack: what has nothing to do with it
    could have been played before.
    """
    if board.counts[attacker, wanted] == 0:
        return count
    begin = count
    worths = np.empty(_WIDTH, np.int64)
    for square in range(lines.places.size):
        place = lines.places[square]
        if board.best[attacker, place] != wanted or board.cells[place] != 0 or count == _WIDTH:
            continue
        related = wanted != OPEN_THREE or depth == 0
        for ply in range(0, depth, 2):
            related = related or _is_on_a_line(lines, place, moves[ply, _PLAYED])
        if not related:
            continue
        worth = 0
        for direction in range(4):
            worth += 1 << (2 * np.int64(board.classes[attacker, direction, place]))
        i = count
        while i > begin and worths[i - 1] < worth:
            worths[i], moves[depth, i] = worths[i - 1], moves[depth, i - 1]
            i -= 1
        worths[i], moves[depth, i] = worth, place
        count += 1
    return count


@inner_once
def _attack(lines, board, attacker, with_threes, moves, depth):
    """(verdict, number of moves) with the attacker to move; the first move wins where the verdict is that it does."""
    win = first_square(lines, board, attacker, FIVE)
    if win >= 0:
        moves[depth, 0] = lines.places[win]
        return _WINS, 1
    must = first_square(lines, board, 1 - attacker, FIVE)
    if must >= 0:
        if board.counts[1 - attacker, FIVE] > 1:
            return _LOSES, 0
        moves[depth, 0] = lines.places[must]
        return _OPEN, 1
    win = first_square(lines, board, attacker, OPEN_FOUR)
    if win >= 0:
        moves[depth, 0] = lines.places[win]
        return _WINS, 1
    count = _add_threats(lines, board, attacker, FOUR, moves, depth, 0)
    if with_threes:
        count = _add_threats(lines, board, attacker, OPEN_THREE, moves, depth, count)
    return (_OPEN if count > 0 else _LOSES), count


@inner_once
def _stops_of(lines, board, attacker, place, moves, depth):
    """Where an open four at `place` can be stopped before it is made: there, or where it would become five."""
    moves[depth, 0] = place
    count = 1
    wide = lines.size + 2 * (lines.k - 1)
    for direction in range(4):
        if board.classes[attacker, direction, place] == OPEN_FOUR:
            down, right = DIRECTIONS[direction]
            toggle(lines, board, place, attacker)
            for away in range(1 - lines.k, lines.k):
                near = place + away * (down * wide + right)
                if board.cells[near] == 0 and board.classes[attacker, direction, near] == FIVE:
                    moves[depth, count] = near
                    count += 1
            toggle(lines, board, place, attacker)
            break
    return count


@inner_once
def _defend(lines, board, attacker, moves, depth):
    """(verdict for the attacker, number of moves) with the defender to move."""
    defender = 1 - attacker
    if board.counts[defender, FIVE] > 0:
        return _LOSES, 0
    if board.counts[attacker, FIVE] > 0:
        if board.counts[attacker, FIVE] > 1:
            return _WINS, 0
        moves[depth, 0] = lines.places[first_square(lines, board, attacker, FIVE)]
        return _OPEN, 1
    threat = first_square(lines, board, attacker, OPEN_FOUR)
    if threat < 0:
        return _LOSES, 0
    # A reply must spoil this open four or gain time by a four.
    count = _stops_of(lines, board, attacker, lines.places[threat], moves, depth)
    for wanted in (OPEN_FOUR, FOUR):
        if board.counts[defender, wanted] > 0:
            for square in range(lines.places.size):
                place = lines.places[square]
                if board.cells[place] == 0 and board.best[defender, place] == wanted and count < _WIDTH:
                    moves[depth, count] = place
                    count += 1
    # With replies left out nothing would be proved.
    return (_OPEN if count < _WIDTH else _LOSES), count


@inner
def _stone(place, colour):
    return mix(np.uint64(2 * place + colour + 1))


@inner_once
def search(lines, board, attacker, with_threes, deepest, n_nodes, failed, salt):
    """(place of the first stone of a forced win or -1, nodes visited, whether it was cut short); the attacker is to move.

    `failed` remembers positions without a win within the plies that were left, under keys mixed with `salt`.
    """
    moves = np.empty((_DEPTH + 1, _WIDTH + 1), np.int64)
    counts = np.zeros(_DEPTH + 1, np.int64)
    tried = np.zeros(_DEPTH + 1, np.int64)
    keys = np.zeros(_DEPTH + 1, np.uint64)
    keys[0] = salt
    nodes, depth = 0, 0
    entering, verdict, cut = True, _OPEN, False
    while True:
        attacking = depth % 2 == 0
        mover = attacker if attacking else 1 - attacker
        if entering:
            nodes += 1
            slot = np.int64(keys[depth] & np.uint64(_MEMORY - 1))
            if attacking:
                verdict, counts[depth] = _attack(lines, board, attacker, with_threes, moves, depth)
                if verdict == _OPEN and (depth >= deepest or nodes >= n_nodes):
                    verdict, cut = _LOSES, True
                elif verdict == _OPEN and failed[slot] == keys[depth]:
                    verdict = _LOSES
            else:
                verdict, counts[depth] = _defend(lines, board, attacker, moves, depth)
            tried[depth] = 0
        else:
            # A reply has come back with a verdict for the attacker: one win is enough to attack, one loss to defend.
            toggle(lines, board, moves[depth, tried[depth]], mover)
            tried[depth] += 1
            if verdict == (_LOSES if attacking else _WINS) and tried[depth] < counts[depth]:
                verdict = _OPEN
        if verdict == _OPEN:
            place = moves[depth, tried[depth]]
            moves[depth, _PLAYED] = place
            keys[depth + 1] = keys[depth] ^ _stone(place, mover)
            toggle(lines, board, place, mover)
            depth += 1
            entering = True
            continue
        if depth == 0:
            found = moves[0, max(0, tried[0] - 1)] if verdict == _WINS else np.int64(-1)
            return found, nodes, cut
        if attacking and verdict == _LOSES:
            failed[np.int64(keys[depth] & np.uint64(_MEMORY - 1))] = keys[depth]
        depth -= 1
        entering = False


@inner_once
def forced_win(lines, board, attacker, n_nodes, failed):
    """(place of the first stone of a forced win that is found within `n_nodes` or -1, nodes visited).

    Fours alone first, to the end, since they leave one reply each; then threes too, ever deeper.
    """
    salt = mix(np.uint64(attacker + 1))
    found, used, _ = search(lines, board, attacker, False, _DEPTH, n_nodes // 4, failed, salt)
    deepest, cut = 4, True
    while found < 0 and cut and used < n_nodes and deepest <= _DEPTH:
        salt = mix(np.uint64(64 * deepest + attacker + 1))
        found, nodes, cut = search(lines, board, attacker, True, deepest, n_nodes - used, failed, salt)
        used += nodes
        deepest += 2
    failed[:] = np.uint64(0)
    return found, used


@inner
def _next_best(scores):
    """The square with the best score, which it takes off the list; -1 when all are taken."""
    square = np.argmax(scores)
    if scores[square] == -np.inf:
        return -1
    scores[square] = -np.inf
    return square


@inner_once
def _is_safe(lines, board, mover, place, n_nodes, failed):
    """(whether the other side finds no forced win after a stone there, nodes visited)."""
    toggle(lines, board, place, mover)
    reply, nodes = forced_win(lines, board, 1 - mover, n_nodes, failed)
    toggle(lines, board, place, mover)
    return reply < 0, nodes


@inner
def _square_of(lines, place):
    margin = lines.k - 1
    wide = lines.size + 2 * margin
    return (place // wide - margin) * lines.size + place % wide - margin


@kernel(
    types.void(
        LINES, types.Array(types.int8, 3, "C"), types.Array(types.float64, 2, "C"), types.int64, types.int64,
        types.Array(types.int16, 1, "C"),
    )
)  # fmt: skip
def choose_by_threats(lines, boards, scores, n_nodes, n_candidates, actions):
    """A forced win where one is found; else the best scored square that is not known to give the other side one.

    Where all that were tried do, it is the best scored of them.
    """
    board = empty_position(lines)
    failed = np.zeros(_MEMORY, np.uint64)
    for b in range(boards.shape[0]):
        set_up(lines, board, boards[b])
        win, nodes = forced_win(lines, board, 0, n_nodes, failed)
        if win >= 0:
            actions[b] = _square_of(lines, win)
            continue
        left = max(_MOST_NODES, n_nodes + n_nodes // 2) - nodes
        best = _next_best(scores[b])
        actions[b] = best
        if board.best[1, lines.places[best]] == FIVE:
            continue
        candidate, tried = best, 0
        while candidate >= 0 and tried < n_candidates:
            is_safe, nodes = _is_safe(lines, board, 0, lines.places[candidate], min(n_nodes, left), failed)
            left -= nodes
            if is_safe:
                actions[b] = candidate
                break
            candidate, tried = _next_best(scores[b]), tried + 1


@kernel(types.void(LINES, types.Array(types.int8, 3, "C"), types.int64, types.Array(types.int16, 1, "C")))
def find_wins(lines, boards, n_nodes, actions):
    """The first action of a forced win of the side whose stones are 1, or -1."""
    board = empty_position(lines)
    failed = np.zeros(_MEMORY, np.uint64)
    for b in range(boards.shape[0]):
        set_up(lines, board, boards[b])
        win, _ = forced_win(lines, board, 0, n_nodes, failed)
        actions[b] = -1 if win < 0 else _square_of(lines, win)
