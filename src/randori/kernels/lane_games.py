"""Random games of many positions at once, one in each lane, for games whose states are two words: mine and theirs.

Lanes take a step together. A game that is over waits in its lane; when enough of them wait, others take their places.
"""

from typing import Any

import numpy as np
from numba import types

from randori.kernels.bits import GOLDEN, U0, U1, U32, lowest, mix, popcount
from randori.kernels.compile import inner
from randori.kernels.lanes import access, bits_of, where
from randori.kernels.rules import row

# Several registers' width, whatever the machine has: while one of them waits for a result, others work.
_WIDTH = 32
# So many lanes wait before their games are exchanged, which takes about as long as a step.
_PATIENCE = 3

FINISH = types.void(
    types.Array(types.uint64, 2, "C"),
    types.Array(types.uint64, 1, "C"),
    types.Array(types.int8, 1, "C"),
    types.Array(types.int16, 1, "C"),
)
"""finish(states, seeds, outcomes, plies) does what `playouts.random_games` does by the rules."""

_MINE, _THEIRS, _STREAM, _PLIES, _ROWS = range(5)


def finish_with(step: Any, margin: Any, *, passes: bool, width: int = _WIDTH) -> Any:
    """An inner function finish(states, seeds, outcomes, plies, facts), to be compiled into a kernel of the game's own.

    step(mine, theirs, numbers, facts) -> (mine, theirs, stuck): each position after an action that 32 random bits choose,
    seen by the other side, and where there was none. There the sides have changed places if the game `passes`; it is over
    where that happens twice, and otherwise at once.
    margin(mine, theirs) has the sign of the outcome of one position that is over.

    A ply takes one number of splitmix64, which begins with the game's seed: what is played depends neither on `width` nor on
    the other games.
    """
    load, store, mask_of = access(width)
    all_lanes = np.uint64((1 << width) - 1)

    @inner
    def write_down(room, lane, states, outcomes, plies, game):
        mine, theirs, n = room[_MINE, lane], room[_THEIRS, lane], np.int64(room[_PLIES, lane])
        if passes:  # the first of the two passes is none: it was over before
            mine, theirs, n = theirs, mine, n - 1
        states[game, 0], states[game, 1] = mine, theirs
        plies[game] = n
        result = np.sign(margin(mine, theirs))
        outcomes[game] = result if n & 1 == 0 else -result

    @inner
    def exchange(room, games, lanes, taken, states, seeds, outcomes, plies):
        """Writes down the games in some lanes, of which all are over, and lets the next ones in; returns which found one."""
        filled = U0
        while lanes != U0:
            lane = lowest(lanes)
            lanes &= lanes - U1
            if games[lane] >= 0:
                write_down(room, lane, states, outcomes, plies, games[lane])
            games[lane] = -1
            if taken < states.shape[0]:
                games[lane] = taken
                room[_MINE, lane], room[_THEIRS, lane] = states[taken, 0], states[taken, 1]
                room[_STREAM, lane], room[_PLIES, lane] = seeds[taken], U0
                filled |= U1 << np.uint64(lane)
                taken += 1
        return taken, filled

    @inner(forceinline=True)
    def finish(states, seeds, outcomes, plies, facts):
        room = np.zeros((_ROWS, width), np.uint64)
        games = np.full(width, -1)
        taken, busy = exchange(room, games, all_lanes, 0, states, seeds, outcomes, plies)
        stuck_before = U0
        while busy != U0:
            mine, theirs = load(row(room, _MINE)), load(row(room, _THEIRS))
            streams, n_plies = load(row(room, _STREAM)), load(row(room, _PLIES))
            passed = mask_of(stuck_before)
            enough = popcount(busy) if taken == states.shape[0] else min(_PATIENCE, width)
            waiting = U0
            while popcount(waiting) < enough:
                streams += GOLDEN
                next_mine, next_theirs, stuck = step(mine, theirs, mix(streams) >> U32, facts)
                over = stuck & passed if passes else stuck
                passed = stuck
                mine, theirs = where(over, mine, next_mine), where(over, theirs, next_theirs)
                n_plies = where(over, n_plies, n_plies + U1)
                waiting = bits_of(over) & busy
            store(row(room, _MINE), mine)
            store(row(room, _THEIRS), theirs)
            store(row(room, _STREAM), streams)
            store(row(room, _PLIES), n_plies)
            taken, filled = exchange(room, games, waiting, taken, states, seeds, outcomes, plies)
            busy = (busy & ~waiting) | filled
            stuck_before = bits_of(passed) & ~waiting

    return finish
