"""What an alpha-beta search keeps: its record, and what it remembers of positions met before."""

from typing import Annotated, NamedTuple

import numpy as np

from randori.kernels.bits import hash_words
from randori.kernels.compile import inner
from randori.kernels.judges import judged
from randori.kernels.records import Float64s, Int16s, Int64s, Words, numba_type
from randori.kernels.rules import ahead

PHASES, PROBED = 3, 64
"""Of the margins of probes: phases of the game, and depths."""

# Columns of a frame, and of its bounds; LINE is the length of the best line.
DEPTH, LEFT, COUNT, TRIED, BEST_ACTION, STAGE, FORCED, LINE, FRAME = range(9)
ALPHA, BETA, BEST, BOUNDS = range(4)
PLY, NODES, ENTRIES, ROW, AT, PROGRESS = range(6)
# What is kept of a position: its value is exact, or a bound.
_EXACT, _AT_LEAST, _AT_MOST = range(3)


class Search(NamedTuple):
    """One search, with its table of positions met before."""

    positions: Annotated[Words, "n_plies, n_words"]  # the line looked at, from the root
    children: Annotated[Words, "n_plies * n_actions, n_words"]  # the positions after each of its moves
    actions: Annotated[Int64s, "n_plies, n_actions"]  # those moves
    order: Annotated[Float64s, "n_plies, n_actions"]  # the greater, the sooner
    frames: Annotated[Int64s, "n_plies, FRAME"]
    bounds: Annotated[Float64s, "n_plies, BOUNDS"]
    keys: Annotated[Words, "n_plies"]
    moves: Annotated[Words, "(n_actions + 63) // 64"]  # bits of the legal moves
    replies: Annotated[Words, "(n_actions + 63) // 64"]  # and of those after one of them
    credits: Annotated[Float64s, "2, n_actions"]  # how much an action of each side has cut off
    table: Annotated[Words, "n_entries, 3"]  # key; value; depth, kind of value, best action
    values: Annotated[Words, "n_values, 2"]  # key; what the judge said
    progress: Annotated[Int64s, "PROGRESS"]  # AT is the depth under way in the position ROW of a batch; 0: none is
    answer: Annotated[Float64s, "1"]  # the root's value
    lines: Annotated[Int16s, "n_plies, n_plies"]  # the best ones, of so many actions as LINE says
    shallow: Annotated[Int64s, "PROBED"]  # how deep to probe at each depth; 0: not at all
    margins: Annotated[Float64s, "PHASES, PROBED"]  # by moves left, the last phase first
    scores: Annotated[Float64s, "n_actions"]  # of the root's moves; a bound where another one is better
    refused: Annotated[Words, "(n_actions + 63) // 64"]  # bits of moves that the root does not make
    opinions: Annotated[Float64s, "n_actions"]  # of the judge, where it judges all moves at once
    end: float
    certain: float
    mobility: float  # what a reply of the opponent's costs where moves are put in order
    n_entries: int  # a power of two
    n_values: int  # likewise; or 0 where a judge is quicker asked again
    n_words: int
    n_actions: int
    most_left: int  # moves at the beginning of a game
    n_plies: int
    passing: int  # the action that fills no square; -1: there is none
    exact: int  # moves left from which a position is searched to its end
    judged_from: int  # the depth from which the judge puts moves in order
    width: int  # so many of the most promising moves are searched, except at the last ply
    candidates: int  # the address of a function that names them; 0: all legal moves are
    judge_of_moves: int  # the address of a function that judges them all at once; 0: one after the other
    by_margin: bool
    all_best: bool  # whether moves as good as the best one are told from worse ones


SEARCH = numba_type(Search)

inlined = inner(forceinline=True)


@inlined
def key_of(line, ply):
    """Of the position at `ply`; a root that refuses moves is another position to the table."""
    key = hash_words(ahead(line.positions, ply * line.n_words), line.n_words)
    if ply == 0:
        for w in range((line.n_actions + 63) // 64):
            key ^= line.refused[w] * np.uint64(0x9E3779B97F4A7C15)
    return key


@inlined
def recall(line, key, depth, frame, bounds):
    """True and the value where the table settles the question; else the best action that it knows of, in the frame."""
    entry = ahead(line.table, 3 * (np.int64(key) & (line.n_entries - 1)))
    frame[BEST_ACTION] = -1
    if entry[0] != key:
        return False, 0.0
    packed = np.int64(entry[2])
    frame[BEST_ACTION] = (packed & 0xFFFF) - 1
    if packed >> 18 != depth:
        return False, 0.0
    value = np.uint64(entry[1]).view(np.float64)
    kind = (packed >> 16) & 3
    if (kind != _AT_MOST and value >= bounds[BETA]) or (kind != _AT_LEAST and value <= bounds[ALPHA]):
        return True, value
    return False, 0.0


@inlined
def keep(line, key, frame, bounds):
    entry = ahead(line.table, 3 * (np.int64(key) & (line.n_entries - 1)))
    value = bounds[BEST]
    kind = _AT_LEAST if value >= bounds[BETA] else _AT_MOST if value <= bounds[ALPHA] else _EXACT
    line.progress[ENTRIES] += entry[0] == np.uint64(0)
    entry[0] = key
    entry[1] = np.float64(value).view(np.uint64)
    entry[2] = np.uint64((frame[DEPTH] << 18) | (kind << 16) | (frame[BEST_ACTION] + 1))


@inlined
def worth_of(judge, line, state):
    """What the judge says, or said."""
    if line.n_values == 0:
        return judged(judge, state)
    key = hash_words(state, line.n_words)
    entry = ahead(line.values, 2 * (np.int64(key) & (line.n_values - 1)))
    if entry[0] != key:
        entry[0] = key
        entry[1] = np.float64(judged(judge, state)).view(np.uint64)
    return np.uint64(entry[1]).view(np.float64)
