"""Self-organizing maps as judges: what a position is worth by its place on them, one position at a time."""

import numpy as np

from randori.kernels.bits import U0, U1, bit, lowest
from randori.kernels.compile import inner
from randori.kernels.judges import doubles_at, floats_at, int8s_at, int64s_at, rules_at, words_at
from randori.kernels.rules import CELLS, ahead, cell
from randori.kernels.vectors import LANES, floats_on_stack, ints_on_stack
from randori.methods.som.kernels.blocks import TOGETHER, first_from, score_blocks
from randori.methods.som.kernels.sparring import PlaneReader, Planes, Room, value_listed

# Facts of both judges: arrays as `sparring.Planes` and `maps` have them; TURNED, `[turns, squares]`, is the square that each
# turn of the board shows in a square's place.
# BITS are the game's, where it tells them. Where those of a square are as many words apart in all squares, THEIRS is how
# many; the first N_WORDS are mine, BOARD has the bits of squares, and PLACES, `[turns, 64 * N_WORDS]`, where each turn of the
# board puts a bit's square. Elsewhere N_WORDS is 0.
TABLE, BITS, TELLS_BITS, BOARD, PLACES, N_WORDS, THEIRS, TURNED, N_TURNS, WEIGHTS, BIASES, STAGES, N_LANES = range(13)
# Of planes; STEEPNESS is an array of one.
LEVELS, SLOPES, STEEPNESS = range(13, 16)
# Of tables of values, `[rows, neurons]`, which are shares of the GREATEST, an array of one; ROWS is the row by the number of
# stones, RETRIEVED what each neuron stands for.
VALUES, GREATEST, ROWS, RETRIEVED, N_NEURONS, OCCUPIED_ONLY = range(13, 19)


@inner
def _stone(facts, rules, state, square):
    """1 for the side that has just moved, -1 for the other."""
    if facts[TELLS_BITS]:
        bits = int64s_at(facts[BITS])
        return np.int64(bit(state, bits[rules[CELLS] + square])) - np.int64(bit(state, bits[square]))
    return -cell(rules, state, square)


@inner
def _list_stones(facts, rules, state, turn, offsets, values):
    """Lists the stones of a turned board as the side that has just moved sees them; returns how many these are."""
    n, n_words = 0, facts[N_WORDS]
    for w in range(n_words):
        theirs, places = state[facts[THEIRS] + w], ahead(int64s_at(facts[PLACES]), 64 * (turn * n_words + w))
        stones = (state[w] | theirs) & words_at(facts[BOARD])[w]
        while stones != U0:
            place = lowest(stones)
            offsets[n] = places[place] * LANES
            values[n] = 2 * np.int64((theirs >> np.uint64(place)) & U1) - 1
            stones &= stones - U1
            n += 1
    if n_words > 0:
        return n
    turned = ahead(int64s_at(facts[TURNED]), turn * rules[CELLS])
    for square in range(rules[CELLS]):
        stone = _stone(facts, rules, state, turned[square])
        offsets[n] = square * LANES
        values[n] = stone
        n += stone != 0
    return n


def by_planes(state, facts):
    """The mean over the turns of what all planes say."""
    rules, n_lanes = rules_at(facts[TABLE]), facts[N_LANES]
    n_squares = rules[CELLS]
    # One more than there are squares: a stone may be written before it counts.
    offsets, values = ints_on_stack(n_squares + 1), floats_on_stack(n_squares + 1)
    scores, heights, sums = floats_on_stack(n_lanes), floats_on_stack(n_lanes), floats_on_stack(3)
    room = Room(offsets, values, scores, heights, sums, sums)  # nothing is learned, so there are no shares
    planes = Planes(
        floats_at(facts[WEIGHTS]),
        floats_at(facts[BIASES]),
        int64s_at(facts[STAGES]),
        floats_at(facts[LEVELS]),
        floats_at(facts[SLOPES]),
        floats_at(facts[STEEPNESS])[0],
    )
    reader = PlaneReader(planes, room, n_squares, n_lanes // LANES)
    total = 0.0
    for turn in range(facts[N_TURNS]):
        total += value_listed(reader, _list_stones(facts, rules, state, turn, room.offsets, room.values))[0]
    return min(max(-total / facts[N_TURNS], -1.0), 1.0)


@inner
def _matches(facts, rules, state, turned, retrieved):
    for square in range(rules[CELLS]):
        stone = _stone(facts, rules, state, turned[square])
        if retrieved[square] != stone and not (facts[OCCUPIED_ONLY] and stone == 0):
            return False
    return True


@inner
def _winner(facts, stage, size, offsets, values, n, scores):
    """The neuron with the greatest score, and this."""
    n_lanes, top = facts[N_LANES], np.float32(-np.inf)
    weights, biases = floats_at(facts[WEIGHTS]), ahead(floats_at(facts[BIASES]), stage * n_lanes)
    for start in range(0, n_lanes, TOGETHER * LANES):
        part = ahead(weights, (stage * n_lanes + start) // LANES * size)
        top = max(top, score_blocks(part, size, offsets, values, n, ahead(biases, start), ahead(scores, start)))
    return first_from(scores, top), top


def by_table(state, facts):
    """The value of the neuron that stands for the position, as `Atlas.find` finds it."""
    rules, n_lanes = rules_at(facts[TABLE]), facts[N_LANES]
    n_squares = rules[CELLS]
    offsets, values = ints_on_stack(n_squares + 1), floats_on_stack(n_squares + 1)
    scores = floats_on_stack(n_lanes)
    place, best, stones = 0, np.float32(-np.inf), 0
    for turn in range(facts[N_TURNS]):
        turned = ahead(int64s_at(facts[TURNED]), turn * n_squares)
        stones = _list_stones(facts, rules, state, turn, offsets, values)
        stage = int64s_at(facts[STAGES])[stones]
        winner, top = _winner(facts, stage, n_squares * LANES, offsets, values, stones, scores)
        retrieved = ahead(int8s_at(facts[RETRIEVED]), (stage * facts[N_NEURONS] + winner) * n_squares)
        matches = _matches(facts, rules, state, turned, retrieved)
        if matches or top > best:
            best, place = top, winner
        if matches:
            break
    value = floats_at(facts[VALUES])[int64s_at(facts[ROWS])[stones] * facts[N_NEURONS] + place]
    return -np.float64(value) / doubles_at(facts[GREATEST])[0]
