"""What the four lines through a square are worth to each side, kept up to date stone by stone.

A *line* is the `2 (k - 1)` squares around a square in one direction. Its *key* has two bits for each of them, from one
end to the other: 0 empty, 1 a stone of colour 0, 2 one of colour 1, 3 off the board. For one colour a key comes down
to a *pattern*, the number whose ternary digits are 0 empty, 1 own, 2 barred, and to the *class* of what a stone on the
square would make of the line; classes have the names of five in a row, whatever `k` is.

Squares have a *place* on a wider board with a margin of `k - 1` squares on every side.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numba import types

from randori.kernels.compile import inner, kernel
from randori.kernels.records import Bytes, Int8s, Int16s, Int64s, numba_type

DEAD, ONE, OPEN_ONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(10)
N_CLASSES = 10
OFF_BOARD = 3
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))

_BYTES = types.Array(types.uint8, 1, "C")


class Lines(NamedTuple):
    """The tables for one board."""

    size: int
    k: int
    places: Annotated[Int64s, "squares"]
    patterns: Annotated[Int16s, "2, keys"]  # by colour, the smaller number of the pattern and its mirror image
    classes: Annotated[Bytes, "2, keys"]  # by colour


class LinePosition(NamedTuple):
    """One position as its lines; made inside kernels by `empty_position`."""

    cells: Annotated[Int8s, "places"]
    keys: Annotated[Int64s, "4, places"]  # of each line through each place
    classes: Annotated[Bytes, "2, 4, places"]  # by colour and direction; of empty places only
    best: Annotated[Bytes, "2, places"]  # the best class of the four
    counts: Annotated[Int64s, "2, N_CLASSES"]  # how many empty places have this best class


LINES = numba_type(Lines)


@kernel(types.void(types.int64, _BYTES))
def classify_patterns(k, classes):
    """Fills `classes[pattern]`: a stone more gives a greater number, so that all continuations are known before."""
    n = 2 * (k - 1)
    digits = np.zeros(n, np.int64)
    powers = 3 ** np.arange(n)
    for pattern in range(classes.size - 1, -1, -1):
        rest = pattern
        for j in range(n):
            digits[j] = rest % 3
            rest //= 3
        run, j = 1, k - 2
        while j >= 0 and digits[j] == 1:
            run, j = run + 1, j - 1
        j = k - 1
        while j < n and digits[j] == 1:
            run, j = run + 1, j + 1
        if run >= k:
            classes[pattern] = FIVE
            continue
        found = np.zeros(N_CLASSES, np.int64)
        for j in range(n):
            if digits[j] == 0:
                found[classes[pattern + powers[j]]] += 1
        if found[FIVE] > 0:
            classes[pattern] = OPEN_FOUR if found[FIVE] > 1 else FOUR
            continue
        # What the best continuation makes is one stone further on: an open three is what can become an open four.
        classes[pattern] = DEAD
        for better in range(OPEN_FOUR, OPEN_ONE, -1):
            if found[better] > 0:
                classes[pattern] = better - 2
                break


@kernel(types.void(types.int64, _BYTES, types.Array(types.int16, 2, "C"), types.Array(types.uint8, 2, "C")))
def tabulate_keys(k, class_of, patterns, classes):
    """Fills `patterns[colour, key]` and `classes[colour, key]`."""
    n = 2 * (k - 1)
    for colour in range(2):
        for key in range(patterns.shape[1]):
            pattern, mirrored = 0, 0
            for j in range(n):
                cell = (key >> (2 * j)) & 3
                digit = 0 if cell == 0 else 1 if cell == colour + 1 else 2
                pattern += digit * 3**j
                mirrored += digit * 3 ** (n - 1 - j)
            patterns[colour, key] = min(pattern, mirrored)
            classes[colour, key] = class_of[pattern]


@inner
def empty_position(lines):
    """A board without stones."""
    wide = lines.size + 2 * (lines.k - 1)
    n = 2 * (lines.k - 1)
    cells = np.full(wide * wide, OFF_BOARD, np.int8)
    for square in range(lines.places.size):
        cells[lines.places[square]] = 0
    keys = np.zeros((4, wide * wide), np.int64)
    classes = np.zeros((2, 4, wide * wide), np.uint8)
    best = np.zeros((2, wide * wide), np.uint8)
    board = LinePosition(cells, keys, classes, best, np.zeros((2, N_CLASSES), np.int64))
    for square in range(lines.places.size):
        place = lines.places[square]
        for direction in range(4):
            down, right = DIRECTIONS[direction]
            step = down * wide + right
            for j in range(n):
                away = j - (lines.k - 1) + (j >= lines.k - 1)
                keys[direction, place] |= np.int64(cells[place + away * step]) << (2 * j)
        _count_in(lines, board, place)
    return board


@inner
def _best_class(board, colour, place):
    return max(
        max(board.classes[colour, 0, place], board.classes[colour, 1, place]),
        max(board.classes[colour, 2, place], board.classes[colour, 3, place]),
    )


@inner
def _count_in(lines, board, place):
    """Looks at all lines of a place that has become empty."""
    for colour in range(2):
        for direction in range(4):
            board.classes[colour, direction, place] = lines.classes[colour, board.keys[direction, place]]
        board.best[colour, place] = _best_class(board, colour, place)
        board.counts[colour, board.best[colour, place]] += 1


@inner
def _look_again(lines, board, direction, place):
    """Looks at one line of an empty place, where a stone has come or gone."""
    key = board.keys[direction, place]
    for colour in range(2):
        found = lines.classes[colour, key]
        if found != board.classes[colour, direction, place]:
            board.classes[colour, direction, place] = found
            best = _best_class(board, colour, place)
            board.counts[colour, board.best[colour, place]] -= 1
            board.counts[colour, best] += 1
            board.best[colour, place] = best


@inner
def toggle(lines, board, place, colour):
    """Puts a stone on an empty place, or takes the same stone away."""
    wide = lines.size + 2 * (lines.k - 1)
    board.cells[place] ^= colour + 1
    if board.cells[place] == 0:
        _count_in(lines, board, place)
    else:
        for side in range(2):
            board.counts[side, board.best[side, place]] -= 1
    for direction in range(4):
        down, right = DIRECTIONS[direction]
        step = down * wide + right
        for distance in range(1, lines.k):
            for end in range(2):
                near = place + distance * step if end == 0 else place - distance * step
                # Seen from there, the stone is `distance` behind or ahead.
                j = lines.k - 1 - distance if end == 0 else lines.k - 2 + distance
                board.keys[direction, near] ^= (colour + 1) << (2 * j)
                if board.cells[near] == 0:
                    _look_again(lines, board, direction, near)


@inner
def set_up(lines, board, cells):
    """Changes the stones to those of `cells`, `[H, W]`: 1 becomes colour 0, -1 colour 1."""
    for square in range(lines.places.size):
        place = lines.places[square]
        stone = cells[square // lines.size, square % lines.size]
        wanted = 0 if stone == 0 else 1 if stone == 1 else 2
        if board.cells[place] != wanted:
            if board.cells[place] != 0:
                toggle(lines, board, place, board.cells[place] - 1)
            if wanted != 0:
                toggle(lines, board, place, wanted - 1)


@inner
def first_square(lines, board, colour, wanted):
    """The first empty square where a stone makes this class at best; -1 where there is none."""
    if board.counts[colour, wanted] > 0:
        for square in range(lines.places.size):
            place = lines.places[square]
            if board.best[colour, place] == wanted and board.cells[place] == 0:
                return square
    return -1
