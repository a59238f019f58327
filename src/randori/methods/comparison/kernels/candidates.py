"""What the moves of a game were worth: from its positions the network plays on against itself, many times."""

import numpy as np
from numba import types

from randori.games.rows.patterns import (
    DIRECTIONS,
    FIVE,
    LINES,
    OPEN_FOUR,
    LinePosition,
    empty_position,
    first_square,
    toggle,
)
from randori.kernels.bits import random_unit
from randori.kernels.compile import inner, kernel
from randori.methods.comparison.kernels.pattern_weights import WEIGHTS, add_features, score_place

_LONGEST = 60  # plies of a game that is played on: what is open then counts as a draw
_STEEPEST = 300.0  # exponents of odds, far from what a float cannot hold


@inner
def _weigh(lines, weights, board, place, temperature, odds):
    for mover in range(2):
        score = score_place(lines, weights, board, mover, place) / temperature
        odds[mover, place] = np.exp(min(max(score, -_STEEPEST), _STEEPEST))


@inner
def _put_stone(lines, weights, board, place, mover, temperature, odds):
    """Toggles a stone and weighs the squares again that see it."""
    toggle(lines, board, place, mover)
    odds[:, place] = 0.0
    wide = lines.size + 2 * (lines.k - 1)
    for direction in range(4):
        down, right = DIRECTIONS[direction]
        for away in range(1 - lines.k, lines.k):
            near = place + away * (down * wide + right)
            if board.cells[near] == 0:
                _weigh(lines, weights, board, near, temperature, odds)


@inner
def _draw_place(lines, odds, mover, stream):
    """A place by lot, each as likely as its odds; -1 where the board is full."""
    total = 0.0
    for square in range(lines.places.size):
        total += odds[mover, lines.places[square]]
    rest = random_unit(stream) * total
    last = -1
    for square in range(lines.places.size):
        share = odds[mover, lines.places[square]]
        if share > 0.0:
            last = lines.places[square]
            rest -= share
            if rest < 0.0:
                break
    return last


@inner
def _play_on(lines, weights, board, odds, mover, temperature, stream):
    """1, 0 or -1 for the mover; it ends as soon as a side has an open four or cannot stop all fives."""
    sign = 1.0
    for _ in range(_LONGEST):
        other = 1 - mover
        if board.counts[mover, FIVE] > 0:
            return sign
        if board.counts[other, FIVE] > 1:
            return -sign
        if board.counts[other, FIVE] == 1:
            place = lines.places[first_square(lines, board, other, FIVE)]
        elif board.counts[mover, OPEN_FOUR] > 0:
            return sign
        else:
            place = _draw_place(lines, odds, mover, stream)
            if place < 0:
                return 0.0
        _put_stone(lines, weights, board, place, mover, temperature, odds)
        mover, sign = other, -sign
    return 0.0


@inner
def _copy(board):
    return LinePosition(
        board.cells.copy(), board.keys.copy(), board.classes.copy(), board.best.copy(), board.counts.copy()
    )


@inner
def _candidates(lines, odds, mover, places):
    """Fills `places` with the likeliest ones; how many there are."""
    count = 0
    for square in range(lines.places.size):
        place = lines.places[square]
        share = odds[mover, place]
        if share == 0.0:
            continue
        i = min(count, places.size - 1)
        if count == places.size and share <= odds[mover, places[i]]:
            continue
        while i > 0 and odds[mover, places[i - 1]] < share:
            places[i] = places[i - 1]
            i -= 1
        places[i] = place
        count = min(count + 1, places.size)
    return count


@inner
def _compare(lines, weights, board, odds, mover, n_playouts, temperature, trust, places, stream, gradient):
    """Adds what makes candidates as likely as they proved good; how far that is, from 0 to 1."""
    count = _candidates(lines, odds, mover, places)
    if count < 2:
        return 0.0
    shares, wanted = np.empty(count), np.empty(count)
    for i in range(count):
        shares[i] = odds[mover, places[i]]
        result = 0.0
        for _ in range(n_playouts):
            played, their_odds = _copy(board), odds.copy()
            _put_stone(lines, weights, played, places[i], mover, temperature, their_odds)
            result -= _play_on(lines, weights, played, their_odds, 1 - mover, temperature, stream)
        wanted[i] = shares[i] * np.exp(trust * result / n_playouts)
    shares /= shares.sum()
    wanted /= wanted.sum()
    for i in range(count):
        add_features(lines, board, mover, places[i], wanted[i] - shares[i], gradient)
    return 0.5 * np.abs(wanted - shares).sum()


@kernel(
    types.UniTuple(types.float64, 2)(
        LINES, WEIGHTS, types.Array(types.int16, 1, "C"), types.int64, types.float64, types.int64, types.int64,
        types.float64, types.float64, types.Array(types.uint64, 1, "C"), WEIGHTS,
    )
)  # fmt: skip
def judge_game(
    lines, weights, actions, opening_plies, share, n_candidates, n_playouts, temperature, trust, stream, gradient
):
    """Adds to the gradient what a `share` of a game's positions teach; how many that were, and the sum of changes.

    Nothing is learned where a five can be made or must be stopped.
    """
    board = empty_position(lines)
    odds = np.zeros((2, board.cells.size))
    for square in range(lines.places.size):
        _weigh(lines, weights, board, lines.places[square], temperature, odds)
    places = np.empty(n_candidates, np.int64)
    n_judged, change = 0.0, 0.0
    for ply in range(actions.size):
        mover = ply % 2
        decided = board.counts[0, FIVE] + board.counts[1, FIVE] > 0
        if ply >= opening_plies and not decided and random_unit(stream) < share:
            n_judged += 1
            change += _compare(
                lines, weights, board, odds, mover, n_playouts, temperature, trust, places, stream, gradient
            )
        _put_stone(lines, weights, board, lines.places[actions[ply]], mover, temperature, odds)
    return n_judged, change
