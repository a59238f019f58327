"""Othello played at random to the end.

Each ply waits for the one before, so what counts is the time from a position to the next. Plain words are quicker there than
vectors, whose results have to be gathered from their lanes, and a call would take nearly as long as what it does.
"""

import numpy as np

from randori.kernels.bits import U0, U1, highest, lowest, next_word, nth_bit, popcount, split
from randori.kernels.compile import inlined


@inlined
def _ends_below(mine, between, step):
    """Squares that end a run of `between` begun at one of `mine`, towards lower bits; a run is at most six long."""
    run = (mine >> step) & between
    run |= (run >> step) & between
    pairs = between & (between >> step)
    run |= (run >> (step + step)) & pairs
    run |= (run >> (step + step)) & pairs
    return run >> step


@inlined
def _ends_above(mine, between, step):
    run = (mine << step) & between
    run |= (run << step) & between
    pairs = between & (between << step)
    run |= (run << (step + step)) & pairs
    run |= (run << (step + step)) & pairs
    return run << step


@inlined
def _ends_beside(mine, between):
    """Towards the next bit a carry runs through the whole run."""
    return (between + ((mine << U1) & between)) & ~between


@inlined
def _placements(mine, theirs, size, inside, board):
    between, step = theirs & inside, np.uint64(size)
    ends = _ends_beside(mine, between) | _ends_below(mine, between, U1)
    ends |= _ends_above(mine, theirs, step) | _ends_below(mine, theirs, step)
    ends |= _ends_above(mine, between, step - U1) | _ends_below(mine, between, step - U1)
    ends |= _ends_above(mine, between, step + U1) | _ends_below(mine, between, step + U1)
    return ends & board & ~(mine | theirs)


@inlined
def _flips(mine, theirs, square, rays):
    """A carry runs upwards through theirs to the first square of a line that is not; downwards the highest such is looked up."""
    turned = U0
    for direction in range(4):
        line = rays[square, direction]
        stop = ((theirs | ~line) + U1) & line & mine
        turned |= (stop - np.uint64(stop != U0)) & line
        line = rays[square, direction + 4]
        stop = (np.uint64(1 << 63) >> np.uint64(highest((line & ~theirs) | U1))) & line & mine
        turned |= (U0 - (stop << U1)) & line
    return turned


@inlined
def play_to_the_end(state, stream, size, inside, board, rays):
    """Plays random legal actions in place until the game is over; returns the plies. Arguments as those of `discs`."""
    mine, theirs = state[0], state[1]
    plies, drawn, passed, word = 0, 0, False, U0
    while True:
        squares = _placements(mine, theirs, size, inside, board)
        if squares != U0:
            if drawn & 3 == 0:  # a word is enough for four squares: 64**4 is small beside 2**64
                word = next_word(stream)
            drawn += 1
            rank, word = split(word, popcount(squares))
            disc = nth_bit(squares, rank)
            turned = _flips(mine, theirs, lowest(disc), rays)
            mine, theirs, passed = theirs ^ turned, mine ^ (turned | disc), False
        else:
            mine, theirs = theirs, mine
            if passed:
                break
            passed = True
        plies += 1
    state[0] = mine
    state[1] = theirs
    return plies - 1  # where neither side can move, nobody passes
