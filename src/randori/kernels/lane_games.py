"""Random games of many positions at once, one in each lane, for games whose states are two words: mine and theirs.

Lanes take a step together. A game that is over waits in its lane; when enough of them wait, others take their places.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from randori.kernels.bits import GOLDEN, U0, U1, U32, lowest, mix, popcount
from randori.kernels.compile import callback, inner, kernel
from randori.kernels.lanes import access, bits_of, where
from randori.kernels.rules import WORDS_POINTER, ahead, call_at, row
from randori.kernels.vectors import ints_on_stack, words_on_stack

# Several registers' width, whatever the machine has: while one of them waits for a result, others work.
_WIDTH = 32
# So many lanes wait before their games are exchanged, which takes about as long as a step.
_PATIENCE = 3

FINISH = types.void(WORDS_POINTER, types.int64, WORDS_POINTER, types.CPointer(types.int8), types.CPointer(types.int16))
"""finish(states, n, streams, outcomes, plies) plays `n` states to their ends, in place; outcomes are for the side to move in
the states given. A ply takes one number of the game's stream, as `random_below` does, so that the games are those that
`playouts.random_games` plays by the rules, whatever is played beside them."""

_MINE, _THEIRS, _STREAM, _PLIES, _ROWS = range(5)


def finish_with(step: Any, margin: Any, *, passes: bool, width: int = _WIDTH) -> Any:
    """An inner function finish(states, n, streams, outcomes, plies, facts), to be compiled into a `FINISH` of the game's own.

    step(mine, theirs, numbers, facts) -> (mine, theirs, stuck): each position after an action that 32 random bits choose,
    seen by the other side, and where there was none. There the sides have changed places if the game `passes`; it is over
    where that happens twice, and otherwise at once.
    margin(mine, theirs) has the sign of the outcome of one position that is over.
    """
    load, store, mask_of = access(width)
    all_lanes = np.uint64((1 << width) - 1)

    @inner
    def write_down(room, lane, game, states, streams, outcomes, plies):
        mine, theirs, made = (
            room[_MINE * width + lane],
            room[_THEIRS * width + lane],
            np.int64(room[_PLIES * width + lane]),
        )
        if passes:  # the first of the two passes is none: it was over before
            mine, theirs, made = theirs, mine, made - 1
        states[2 * game], states[2 * game + 1] = mine, theirs
        streams[game] += GOLDEN * np.uint64(made)
        plies[game] = made
        result = np.sign(margin(mine, theirs))
        outcomes[game] = result if made & 1 == 0 else -result

    @inner
    def exchange(room, games, lanes, taken, states, n, streams, outcomes, plies):
        """Writes down the games in some lanes, of which all are over, and lets the next ones in.

        Returns how many have been let in by now, and which of the lanes have one.
        """
        filled = U0
        while lanes != U0:
            lane = lowest(lanes)
            lanes &= lanes - U1
            if games[lane] >= 0:
                write_down(room, lane, games[lane], states, streams, outcomes, plies)
            games[lane] = -1
            if taken < n:
                games[lane] = taken
                room[_MINE * width + lane], room[_THEIRS * width + lane] = states[2 * taken], states[2 * taken + 1]
                room[_STREAM * width + lane], room[_PLIES * width + lane] = streams[taken], U0
                filled |= U1 << np.uint64(lane)
                taken += 1
        return taken, filled

    @inner(forceinline=True)
    def finish(states, n, streams, outcomes, plies, facts):
        room, games = words_on_stack(_ROWS * width), ints_on_stack(width)
        for lane in range(width):
            games[lane] = -1
        taken, busy = exchange(room, games, all_lanes, 0, states, n, streams, outcomes, plies)
        stuck_before = U0
        while busy != U0:
            mine, theirs = load(ahead(room, _MINE * width)), load(ahead(room, _THEIRS * width))
            stream, made = load(ahead(room, _STREAM * width)), load(ahead(room, _PLIES * width))
            passed = mask_of(stuck_before)
            enough = popcount(busy) if taken == n else min(_PATIENCE, width)
            waiting = U0
            while popcount(waiting) < enough:
                stream += GOLDEN
                next_mine, next_theirs, stuck = step(mine, theirs, mix(stream) >> U32, facts)
                over = stuck & passed if passes else stuck
                passed = stuck
                mine, theirs = where(over, mine, next_mine), where(over, theirs, next_theirs)
                made = where(over, made, made + U1)
                waiting = bits_of(over) & busy
            store(ahead(room, _MINE * width), mine)
            store(ahead(room, _THEIRS * width), theirs)
            store(ahead(room, _STREAM * width), stream)
            store(ahead(room, _PLIES * width), made)
            taken, filled = exchange(room, games, waiting, taken, states, n, streams, outcomes, plies)
            busy = (busy & ~waiting) | filled
            stuck_before = bits_of(passed) & ~waiting

    return finish


@cache
def address_of(finish: Callable[..., None]) -> int:
    """Of a game's own function, compiled when first asked for."""
    return int(callback(FINISH, finish).address)


@intrinsic
def finish_at(_context: Any, _address: Any, _states: Any, _n: Any, _streams: Any, _outcomes: Any, _plies: Any) -> Any:
    """Calls the `FINISH` at an address."""

    def generate(context: Any, builder: Any, typed: Any, args: Any) -> Any:
        return call_at(context, builder, FINISH, args[0], args[1:])

    return types.void(types.int64, *FINISH.args), generate


@kernel(
    types.void(
        *(types.int64, types.Array(types.uint64, 2, "C"), types.Array(types.uint64, 1, "C")),
        *(types.Array(types.int8, 1, "C"), types.Array(types.int16, 1, "C")),
    )
)
def finish_all(address, states, streams, outcomes, plies):
    n = states.shape[0]
    finish_at(address, row(states, 0), n, row(streams, 0), row(outcomes, 0), row(plies, 0))
