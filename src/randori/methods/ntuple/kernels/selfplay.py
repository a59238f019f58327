"""Games of a player against itself, inside one kernel, and what is to be learned from them.

A game begins with some random plies. Then the best move by a search is played, now and then a random one instead, until
so few moves are left that positions are solved. What is to be learned of each position is worked out backwards, by
TD(lambda) on the values of the searches: the trace is cut where a random move was played, and what is solved is known.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numba import types

from randori.kernels.alphabeta import ask, search_on
from randori.kernels.bits import nth_set_bit, random_below, random_unit
from randori.kernels.candidates import moves_by
from randori.kernels.compile import inner, kernel
from randori.kernels.expanding import TO_THE_END
from randori.kernels.judges import JUDGE
from randori.kernels.records import Float32s, Words, numba_type
from randori.kernels.rules import CELLS, MOVE_WORDS, RULES, cell, legal, play, row, start
from randori.kernels.searches import BEST_ACTION, SEARCH

_NO_LIMIT = 1 << 62


class Lessons(NamedTuple):
    """Positions and what they should be worth to the side to move, those of each game after each other."""

    states: Annotated[Words, "n_positions, n_words"]
    targets: Annotated[Float32s, "n_positions"]
    shares: Annotated[
        Float32s, "n_positions"
    ]  # of the next position's target in this one's: lambda, or 0 where it is cut


class Schooling(NamedTuple):
    """How games are played and what is made of them."""

    depth: int
    exact: int  # with at most so many moves left a position is solved; 0: never
    random_plies: int  # at most, at the beginning
    exploration: float  # the share of random moves afterwards
    trace: float  # lambda


LESSONS, SCHOOLING = numba_type(Lessons), numba_type(Schooling)


@inner
def squashed(search, value):
    """A search's value as it is learned: in margins, or as a chance between -1 and 1."""
    if search.by_margin:
        return value
    if abs(value) >= search.certain:
        return 1.0 if value > 0 else -1.0
    return np.tanh(value)


@inner
def _random_move(rules, candidates, state, moves, stream):
    """Plays one, of the game's candidates where it has such; -1 where the game is over."""
    found = row(moves, 0)
    count = moves_by(candidates, state, found) if candidates != 0 else legal(rules, state, found)
    if count == 0:
        return -1
    action = nth_set_bit(moves, random_below(stream, count))
    play(rules, state, action)
    return action


@inner
def _empty_squares(rules, state):
    n = 0
    for square in range(rules[CELLS]):
        n += cell(rules, state, square) == 0
    return n


@inner
def _play_game(rules, judge, search, schooling, stream, lessons, first, room, moves):
    """Plays one game and writes its lessons from place `first` on; returns the place after them."""
    state = row(room, 0)
    start(rules, state)
    for _ in range(random_below(stream, schooling.random_plies + 1)):
        if _random_move(rules, search.candidates, state, moves, stream) < 0:
            return first
    n, solved, value = first, False, 0.0
    left = _empty_squares(rules, state) if schooling.exact > 0 else _NO_LIMIT
    while legal(rules, state, row(moves, 0)) > 0:
        ending = left <= schooling.exact
        if ending and solved:
            # After the best move the value is known; any move that keeps it will do.
            value = -value
            ask(search, state, TO_THE_END, left, value - 0.6, value - 0.4)
            search_on(rules, judge, search, _NO_LIMIT)
        else:
            ask(search, state, TO_THE_END if ending else schooling.depth, left, -np.inf, np.inf)
            search_on(rules, judge, search, _NO_LIMIT)
            value, solved = search.answer[0], ending
        for w in range(search.n_words):
            lessons.states[n, w] = state[w]
        lessons.targets[n] = squashed(search, value)
        explores = not ending and random_unit(stream) < schooling.exploration
        lessons.shares[n] = 0.0 if ending or explores else schooling.trace
        n += 1
        if explores:
            action = _random_move(rules, search.candidates, state, moves, stream)
        else:
            action = search.frames[0, BEST_ACTION]
            play(rules, state, action)
        left -= action != search.passing
        search.progress[1] = 0
    if n > first:
        lessons.shares[n - 1] = 0.0
    return n


@kernel(types.int64(RULES, JUDGE, SEARCH, SCHOOLING, types.Array(types.uint64, 1, "C"), LESSONS))
def play_games(rules, judge, search, schooling, seeds, lessons):
    """A game for each seed; returns how many positions are to be learned. Targets are what the searches say: see `trace_back`."""
    room, moves = np.empty(search.n_words, np.uint64), np.zeros(rules[MOVE_WORDS], np.uint64)
    stream = np.empty(1, np.uint64)
    n = 0
    for game in range(seeds.shape[0]):
        stream[0] = seeds[game]
        n = _play_game(rules, judge, search, schooling, stream, lessons, n, room, moves)
    return n


@kernel(types.void(LESSONS, types.int64))
def trace_back(lessons, n):
    """Makes targets of what the searches say, from the last position back to the first: TD(lambda)."""
    for i in range(n - 2, -1, -1):
        share = lessons.shares[i]
        lessons.targets[i] = (1.0 - share) * lessons.targets[i] - share * lessons.targets[i + 1]
