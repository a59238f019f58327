"""What can be counted on a board, and features made of the counts, for every game.

A position is first turned into whole numbers, its *tallies*: stones in regions of the board, moves, discs at the
border, open lines, groups of squares that one side holds. A feature is a little arithmetic on one or two of them, or the
product of two features. Which tallies are wanted, which region a square belongs to, and the arithmetic are data (a
`Plan`), so that one compiled kernel serves every game and every set of features.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numba import types

from randori.kernels.bits import bit
from randori.kernels.compile import inner, kernel
from randori.kernels.records import Float64s, Int8s, Int64s, Words, numba_type
from randori.kernels.rules import CELLS, MOVE_WORDS, RULES, WORDS, cell, legal, row, setup

# Groups of tallies, as bits of `board[WANTED]`; stones are always counted.
MOVES, BORDERS, ANCHORS, LINES = 1, 2, 4, 8

# Tallies of the side to move; the other side's stand one place further on.
STONES, MOVES_ANYWHERE, MOVES_TO_CORNERS, BORDER, ANCHORED, THREATS, THREATS_ODD = range(0, 14, 2)
LINES_START = 14
"""First of the windows: with n stones of mine at `LINES_START + 2 * n`, of theirs one further on."""

# Arithmetic on tallies a and b with a scale s; of a product, a and b are features that come before it.
SHARE, SUM, DIFFERENCE, RATIO, SATURATED, PRODUCT = range(6)
"""a * s, (a + b) * s, (a - b) * s, (a - b) / (a + b) or 0 where both are 0, a / (a + s), a * b."""

GROUP = 3
"""Squares that a group has at most."""

HEIGHT, WIDTH, LINE, FALLS, WANTED, TALLIES = range(6)


class Plan(NamedTuple):
    """What the kernel needs to know of a game and of the features wanted."""

    board: Annotated[Int64s, "6"]
    """Height, width, length of a line (0: no lines), whether stones fall, groups wanted, number of tallies."""
    regions: Annotated[Int64s, "H * W"]  # the tally of the region that each square belongs to
    corners: Annotated[Int64s, "corners"]  # squares to which moves are counted apart
    groups: Annotated[Int64s, "groups, 1 + GROUP"]
    """Squares that count where one side holds all of them: the tally, and the squares, filled up with -1."""
    terms: Annotated[Int64s, "F, 3"]  # arithmetic, tally or feature a, tally or feature b
    scales: Annotated[Float64s, "F"]


PLAN = numba_type(Plan)
_STATES = types.Array(types.uint64, 2, "C")


class Scratch(NamedTuple):
    """Room for one position at a time, made once a call of a kernel by `scratch`."""

    cells: Annotated[Int8s, "H * W"]
    negated: Annotated[Int8s, "H * W"]
    marks: Annotated[Int8s, "H * W"]
    swapped: Annotated[Words, "words"]
    moves: Annotated[Words, "move_words"]
    tallies: Annotated[Int64s, "tallies"]


@inner
def scratch(rules, plan):
    return Scratch(
        np.zeros(rules[CELLS], np.int8),
        np.zeros(rules[CELLS], np.int8),
        np.zeros(rules[CELLS], np.int8),
        np.zeros(rules[WORDS], np.uint64),
        np.zeros(rules[MOVE_WORDS], np.uint64),
        np.zeros(plan.board[TALLIES], np.int64),
    )


@inner
def _count_stones(rules, plan, state, room):
    tallies = room.tallies
    mine, theirs = 0, 0
    for square in range(rules[CELLS]):
        stone = cell(rules, state, square)
        room.cells[square] = stone
        room.negated[square] = -stone
        # Without a branch: stones lie as if by chance, and a wrong guess costs more than adding nothing.
        tallies[plan.regions[square] + (stone < 0)] += stone != 0
        mine += stone > 0
        theirs += stone < 0
    tallies[STONES], tallies[STONES + 1] = mine, theirs


@inner
def _count_moves(rules, plan, state, side, room):
    room.tallies[MOVES_ANYWHERE + side] = legal(rules, state, row(room.moves, 0))
    for square in plan.corners:
        room.tallies[MOVES_TO_CORNERS + side] += bit(room.moves, square)


@inner
def _count_borders(plan, room):
    """Stones that touch an empty square: what the other side could turn some day."""
    height, width = plan.board[HEIGHT], plan.board[WIDTH]
    for r in range(height):
        for c in range(width):
            stone = room.cells[r * width + c]
            if stone == 0:
                continue
            touches = False
            for near_r in range(max(r - 1, 0), min(r + 2, height)):
                for near_c in range(max(c - 1, 0), min(c + 2, width)):
                    touches |= room.cells[near_r * width + near_c] == 0
            room.tallies[BORDER + np.int64(stone < 0)] += touches


@inner
def _count_anchors(plan, room):
    """Stones in unbroken rows of their colour along the rim from a corner: in Othello nothing can turn these."""
    height, width = plan.board[HEIGHT], plan.board[WIDTH]
    room.marks[:] = 0
    for corner in range(4):
        low, right = corner >> 1, corner & 1
        start = low * (height - 1) * width + right * (width - 1)
        for length, step in ((width, 1 - 2 * right), (height, (1 - 2 * low) * width)):
            run = 0
            while run < length and room.cells[start + run * step] == room.cells[start]:
                room.marks[start + run * step] = 1
                run += 1
    for square in range(height * width):
        if room.marks[square] and room.cells[square] != 0:
            room.tallies[ANCHORED + np.int64(room.cells[square] < 0)] += 1


@inner
def _count_line(board, cells, tallies, r, c, down, right):
    """Tallies the windows of one whole line of the board that begins at (r, c), by a sum that slides along it."""
    height, width, k = board[HEIGHT], board[WIDTH], board[LINE]
    rows = height - r if down else height
    columns = width - c if right > 0 else c + 1 if right < 0 else width
    length = columns if down == 0 else rows if right == 0 else min(rows, columns)
    mine, theirs, empties = 0, 0, 0
    step = down * width + right
    square = r * width + c
    for n in range(length if length >= k else 0):
        stone = cells[square]
        mine += stone == 1
        theirs += stone == -1
        # The sum of the empty squares' numbers: where one alone is empty, its number.
        empties += square if stone == 0 else 0
        if n >= k:
            left = square - k * step
            stone = cells[left]
            mine -= stone == 1
            theirs -= stone == -1
            empties -= left if stone == 0 else 0
        if n >= k - 1:
            if theirs == 0:
                tallies[LINES_START + 2 * mine] += 1
            if mine == 0:
                tallies[LINES_START + 1 + 2 * theirs] += 1
            if mine + theirs == k - 1 and (mine == 0 or theirs == 0):
                _count_threat(board, cells, tallies, empties, np.int64(mine == 0))
        square += step


@inner
def _count_threat(board, cells, tallies, hole, side):
    """A window that lacks one stone: a threat now where the hole can be filled, a lasting one if in an odd row."""
    height, width = board[HEIGHT], board[WIDTH]
    below = hole + width
    if board[FALLS] == 0 or below >= height * width or cells[below] != 0:
        tallies[THREATS + side] += 1
    if (height - hole // width) % 2 == 1:
        tallies[THREATS_ODD + side] += 1


@inner
def _count_lines(plan, room):
    # Handed on one by one: a tuple of arrays is unpacked and packed at each of many calls.
    board, cells, tallies = plan.board, room.cells, room.tallies
    height, width = board[HEIGHT], board[WIDTH]
    for r in range(height):
        _count_line(board, cells, tallies, r, 0, 0, 1)
        _count_line(board, cells, tallies, r, 0, 1, 1)
        _count_line(board, cells, tallies, r, width - 1, 1, -1)
    for c in range(width):
        _count_line(board, cells, tallies, 0, c, 1, 0)
        if c > 0:
            _count_line(board, cells, tallies, 0, c, 1, 1)
        if c < width - 1:
            _count_line(board, cells, tallies, 0, c, 1, -1)


@inner
def _count_groups(plan, room):
    """Groups that one side holds."""
    cells, groups = room.cells, plan.groups
    for g in range(groups.shape[0]):
        holder = cells[groups[g, 1]]
        if holder == 0:
            continue
        whole = True
        for i in range(2, 1 + GROUP):
            if groups[g, i] >= 0:
                whole &= cells[groups[g, i]] == holder
        room.tallies[groups[g, 0] + (holder < 0)] += whole


@inner
def _combine(kind, a, b, scale):
    if kind == SHARE:
        return a * scale
    if kind == SUM:
        return (a + b) * scale
    if kind == DIFFERENCE:
        return (a - b) * scale
    if kind == RATIO:
        return (a - b) / (a + b) if a + b > 0 else 0.0
    return a / (a + scale)


@inner
def measure(rules, plan, state, room, out):
    """Writes the features of one position for the side to move."""
    tallies, wanted = room.tallies, plan.board[WANTED]
    tallies[:] = 0
    _count_stones(rules, plan, state, room)
    if wanted & MOVES:
        _count_moves(rules, plan, state, 0, room)
        if setup(rules, row(room.swapped, 0), row(room.negated, 0)) == 1:
            _count_moves(rules, plan, row(room.swapped, 0), 1, room)
    if wanted & BORDERS:
        _count_borders(plan, room)
    if wanted & ANCHORS:
        _count_anchors(plan, room)
    if wanted & LINES:
        _count_lines(plan, room)
    _count_groups(plan, room)
    for f in range(len(plan.scales)):
        kind, a, b = plan.terms[f, 0], plan.terms[f, 1], plan.terms[f, 2]
        out[f] = out[a] * out[b] if kind == PRODUCT else _combine(kind, tallies[a], tallies[b], plan.scales[f])


@kernel(types.void(RULES, PLAN, _STATES, types.Array(types.float64, 2, "C")))
def measure_all(rules, plan, states, features):
    """The features of every position, `[B, F]`."""
    room = scratch(rules, plan)
    for i in range(states.shape[0]):
        measure(rules, plan, row(states, i), room, features[i])
