"""Hex: the side that begins connects top and bottom, the other left and right. Boards of 5x5, 7x7, 9x9 and 11x11.

The board is a rhombus of hexagons, each row half a hexagon further right than the one above. Bit = cell = action, row by
row from the top left, so that a cell touches two of the row above, two beside it and two of the row below:

    size 5         0   1   2   3   4          a1 = 0, e1 = 4
                     5   6   7   8   9        7 = c2 touches 2 3, 6 8, 11 12
                      10  11  12  13  14      12 = c3 is the centre
                        15  16  17  18  19
                          20  21  22  23  24  a5 = 20, e5 = 24

Each side has `n = ceil(size * size / 64)` words of stones and `n` words of those stones that are *rooted*: connected
with the side's first edge, the top or the left. A rooted stone on the edge opposite has won. Mine come first, then theirs,
then one word with the number of stones, which tells who is to move, and, in bit 0, whether the last stone has won:

    n = 1          word 0     word 1         word 2     word 3         word 4
                   mine       mine, rooted   theirs     theirs, rooted 2 * stones + won

A full board has exactly one winner, so there are no draws. The usual swap of sides after the first stone is left out:
whoever begins has the better of it, which is why measured games come in pairs that begin alike.
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.core.evaluation import Evaluation, values_by
from randori.core.game import Family, Game, States
from randori.core.knowledge import Files, HowTo, Knowledge, Look, bits_in_order
from randori.core.turns import half_turned
from randori.kernels.bits import U0, U1, bit, clear, find_empty, lowest, next_word, on_stack, split, swap_halves
from randori.kernels.compile import inner
from randori.kernels.judges import Judge, judge_with, rules_at
from randori.kernels.rules import LOSS, ONGOING, Rules
from randori.kernels.rules import cell as stone_at

_HEX = Family("hex", "Hex", "hex11")
_AROUND = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))


class _Board(NamedTuple):
    """Cells as bits of `n` words."""

    around: NDArray[np.uint64]  # [size * size, n]  the neighbours of each cell
    near: NDArray[np.uint64]  # [2, n]  the first edge of the side that began, the top, and of the other, the left
    far: NDArray[np.uint64]  # [2, n]  the edges opposite


def _neighbours(size: int, cell: int) -> list[int]:
    row, column = divmod(cell, size)
    beside = ((row + down, column + right) for down, right in _AROUND)
    return [r * size + c for r, c in beside if 0 <= r < size and 0 <= c < size]


def _board(size: int) -> _Board:
    cells = range(size * size)
    edges = (range(size), cells[::size]), (cells[-size:], cells[size - 1 :: size])

    def words(members: list[list[int]]) -> NDArray[np.uint64]:
        found = np.zeros((len(members), (size * size + 63) // 64), np.uint64)
        for row, of in enumerate(members):
            for cell in of:
                found[row, cell >> 6] |= np.uint64(1 << (cell & 63))
        return found

    near, far = (words([list(edge) for edge in both]) for both in edges)
    return _Board(words([_neighbours(size, cell) for cell in cells]), near, far)


@inner
def _root(state, stones, cell, around):
    """Roots a stone and all of its side that it is connected with; `state[stones]` is the first word of its side.

    A stone is rooted once a game, so that all of it costs little. Two words are enough for the largest board.
    """
    n = around.shape[1]
    rooted = stones + n
    low, high = U0, U0
    if cell < 64:
        low = U1 << np.uint64(cell)
    else:
        high = U1 << np.uint64(cell - 64)
    while low | high != U0:
        if low != U0:
            cell = lowest(low)
            low &= low - U1
        else:
            cell = 64 + lowest(high)
            high &= high - U1
        state[rooted + (cell >> 6)] |= U1 << np.uint64(cell & 63)
        low |= around[cell, 0] & state[stones] & ~state[rooted]
        if n > 1:
            high |= around[cell, 1] & state[stones + 1] & ~state[rooted + 1]


@inner
def _touches(state, first, mask):
    """Whether the words from `state[first]` on share a bit with a mask."""
    shared = U0
    for w in range(len(mask)):
        shared |= state[first + w] & mask[w]
    return shared != U0


@inner
def _list_empty(state, theirs, n, last_word, cells):
    """Writes the numbers of the empty cells and returns how many they are; as `find_empty`."""
    count = 0
    for w in range(n):
        word = ~(state[w] | state[theirs + w])
        word &= last_word if w == n - 1 else ~U0
        while word != U0:
            cells[count] = 64 * w + lowest(word)
            word &= word - U1
            count += 1
    return count


def hex_rules(size: int) -> Rules:
    """The rules; they close over numbers and arrays only, so that numba can keep them on disk."""
    n_cells = size * size
    n = (n_cells + 63) // 64
    theirs, status = 2 * n, 4 * n
    around, near, far = _board(size)
    last_word = np.uint64((1 << (n_cells - 64 * (n - 1))) - 1)

    def start(state):
        clear(state, status + 1)

    def legal(state, moves):
        if state[status] & U1:
            clear(moves, n)
            return np.int64(0)
        find_empty(state, theirs, n, last_word, moves)
        return n_cells - np.int64(state[status] >> U1)

    def play(state, action):
        side = np.int64(state[status] >> U1) & 1
        stone = U1 << np.uint64(action & 63)
        state[action >> 6] |= stone
        won = False
        if near[side, action >> 6] & stone != U0 or _touches(state, n, around[action]):
            _root(state, 0, action, around)
            won = _touches(state, n, far[side])
        swap_halves(state, theirs)
        state[status] += np.uint64(3) if won else np.uint64(2)

    def margin(state):
        return LOSS if state[status] & U1 else 0

    def outcome(state):
        return LOSS if state[status] & U1 else ONGOING

    def cell(state, square):
        return np.int64(bit(state, square)) - np.int64(bit(state, 64 * theirs + square))

    def setup(state, cells):
        clear(state, status + 1)
        ahead = 0
        for square in range(n_cells):
            if cells[square] != 0:
                first = 0 if cells[square] == 1 else theirs
                state[first + (square >> 6)] |= U1 << np.uint64(square & 63)
                state[status] += np.uint64(2)
                ahead -= cells[square]
        # With as many stones as the other, the side to move is the one that began.
        for first, side in ((0, ahead), (theirs, 1 - ahead)):
            if side == 0 or side == 1:
                for square in range(n_cells):
                    if bit(state, 64 * first + square) and near[side, square >> 6] >> np.uint64(square & 63) & U1:
                        _root(state, first, square, around)
        if ahead < 0 or ahead > 1 or _touches(state, n, far[ahead]):
            return np.int64(0)
        state[status] += np.uint64(_touches(state, theirs + n, far[1 - ahead]))
        return np.int64(1)

    def finish(state, stream):
        if state[status] & U1:
            return np.int64(0)
        left = on_stack(np.uint8, n_cells)
        n_left = _list_empty(state, theirs, n, last_word, left)
        side, first, plies, won, word = np.int64(state[status] >> U1) & 1, 0, 0, False, U0
        while not won:
            if plies & 3 == 0:  # a word is enough for four cells: 121**4 is small beside 2**64
                word = next_word(stream)
            drawn, word = split(word, n_left)
            cell = np.int64(left[drawn])
            n_left -= 1
            left[drawn] = left[n_left]
            stone = U1 << np.uint64(cell & 63)
            state[first + (cell >> 6)] |= stone
            if near[side, cell >> 6] & stone != U0 or _touches(state, first + n, around[cell]):
                _root(state, first, cell, around)
                won = _touches(state, first + n, far[side])
            side, first = 1 - side, theirs - first
            plies += 1
        if first != 0:
            swap_halves(state, theirs)
        state[status] += np.uint64(2 * plies + 1)
        return np.int64(plies)

    return Rules(start, legal, play, outcome, margin, cell, setup, finish)


def hex_game(size: int) -> Game:
    n_cells = size * size
    return Game(
        name=f"hex{size}",
        title=f"Hex {size}x{size}",
        shape=(size, size),
        max_plies=n_cells,
        opening_plies=2,
        symmetry=half_turned,
        words=4 * ((n_cells + 63) // 64) + 1,
        definition=hex_rules(size),
        kind=_HEX,
        knowledge=_knowledge(size),
    )


def nearness(game: Game) -> NDArray[np.float64]:
    """`[A]`: less the steps from the centre."""
    rows, columns = (np.indices(game.shape) - game.shape[0] // 2).reshape(2, -1)
    return -np.maximum.reduce([abs(rows), abs(columns), abs(rows + columns)]).astype(np.float64)


# The resistance of a stone to its own side; an empty cell's is 1, and stones of the other side do not conduct.
_STONE = 0.05
# Keeps cells that no wire leads to from making the equations singular.
_LEAK = 1e-9


@inner
def _current(resistances, size, band, potentials):
    """The current from the top to the bottom at a tension of 1; cells with a resistance below 0 do not conduct.

    Two neighbours are joined by a wire with the sum of their resistances, an edge and its cells by one with the cell's. The
    equations have no numbers farther than `size` from the diagonal: `band[i, d]` stands in row `i`, column `i - d`.
    """
    n = size * size
    for i in range(n):
        potentials[i] = 0.0
        for d in range(size + 1):
            band[i, d] = 0.0
        band[i, 0] = _LEAK
    for i in range(n):
        own = resistances[i]
        if own < 0.0:
            continue
        row, column = i // size, i % size
        if row == 0:
            band[i, 0] += 1.0 / own
            potentials[i] = 1.0 / own
        if row == size - 1:
            band[i, 0] += 1.0 / own
        # The neighbours that come before it: to the left, above, above to the right.
        for back in (1, size, size - 1):
            if (back == 1 and column == 0) or (back > 1 and row == 0) or (back == size - 1 and column == size - 1):
                continue
            other = resistances[i - back]
            if other >= 0.0:
                wire = 1.0 / (own + other)
                band[i, 0] += wire
                band[i - back, 0] += wire
                band[i, back] -= wire
    _solve(band, potentials, n, size)
    total = 0.0
    for i in range(n - size, n):
        if resistances[i] >= 0.0:
            total += potentials[i] / resistances[i]
    return total


@inner
def _solve(band, values, n, width):
    """Solves the equations of a symmetric band by Cholesky's way, in place; `values` go in as the right side."""
    for i in range(n):
        for d in range(min(i, width), -1, -1):
            j = i - d
            total = band[i, d]
            for e in range(d + 1, min(i, width) + 1):
                total -= band[i, e] * band[j, e - d]
            band[i, d] = np.sqrt(total) if d == 0 else total / band[j, 0]
        for d in range(1, min(i, width) + 1):
            values[i] -= band[i, d] * values[i - d]
        values[i] /= band[i, 0]
    for i in range(n - 1, -1, -1):
        values[i] /= band[i, 0]
        for d in range(1, min(i, width) + 1):
            values[i - d] -= band[i, d] * values[i]


def conducts_better(state, facts):
    """The judge of currents; the facts are the rules and the size of the board."""
    rules, size = rules_at(facts[0]), facts[1]
    band, potentials = np.empty((size * size, size + 1)), np.empty(size * size)
    resistances = np.empty(size * size)
    ahead = 0
    for square in range(size * size):
        ahead -= stone_at(rules, state, square)
    better = 0.0
    for place, side in enumerate((1, -1)):
        for square in range(size * size):
            # The side that began goes down the rows; the board is laid on its side for the other.
            laid = square if place == ahead else square % size * size + square // size
            stone = side * stone_at(rules, state, square)
            resistances[laid] = 1.0 if stone == 0 else _STONE if stone > 0 else -1.0
        better += side * np.log(_current(resistances, size, band, potentials) + 1e-6)
    return np.tanh(better)


@cache
def _judge(game: Game) -> Judge:
    return judge_with(conducts_better, game.rules, game.shape[0])


@dataclass(frozen=True)
class Currents:
    """Shannon's machine: each side's edges under tension, its stones good wires, empty cells bad ones; who conducts better?

    Resistances as by Anshelevich, "A hierarchical approach to computer Hex", Artificial Intelligence 134 (2002).
    """

    game: Game

    @property
    def judge(self) -> Judge:
        return _judge(self.game)

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        return Evaluation(values_by(self.judge, states))


def winning_chain(cells: NDArray[np.int8], square: int) -> list[int]:
    """A shortest chain from edge to edge through a stone, or nothing where its side has none."""
    size, side = len(cells), cells.reshape(-1)[square]
    began = 1 if cells.sum() == 0 else -1
    place = np.arange(size * size) // size if side == began else np.arange(size * size) % size
    before, reached = {square: square}, [square]
    for cell in reached:
        for other in _neighbours(size, cell):
            if other not in before and cells.reshape(-1)[other] == side:
                before[other] = cell
                reached.append(other)
    ends = [next((it for it in reached if place[it] == edge), None) for edge in (0, size - 1)]
    if None in ends:
        return []
    halves = [_way_back(before, end) for end in ends if end is not None]
    return halves[0] + halves[1][-2::-1]


def _way_back(before: dict[int, int], cell: int) -> list[int]:
    way = [cell]
    while before[way[-1]] != way[-1]:
        way.append(before[way[-1]])
    return way


def _how_to_play(size: int) -> HowTo:
    red = [size * row + size // 2 for row in range(size)]
    blue = [it + 1 + row % 2 for row, it in enumerate(red[:-1])]
    return HowTo(
        (
            "You take turns to put a stone on a free hexagon; red begins. Stones stay where they are.",
            "Red wins by a chain of red stones from the top edge to the bottom edge, blue by a chain of blue stones from "
            "the left edge to the right edge.",
            "One of you always succeeds: there are no draws.",
        ),
        example=(*(it for pair in zip(red, blue, strict=False) for it in pair), red[-1]),
        caption="Red has connected top and bottom and wins.",
    )


def _knowledge(size: int) -> Knowledge:
    return Knowledge(
        bits=bits_in_order(size * size, 2 * -(-size * size // 64)),
        places=True,
        preferences=nearness,
        evaluator=Currents,
        reach=16,
        # Random endings of larger boards are decided long before they can be solved.
        exam=(8, 16) if size == 5 else None,
        winning_line=winning_chain,
        how_to_play=_how_to_play(size),
        look=Look("hexagons", ("red", "blue")),
        files=Files(sgf=11, sgf_names=True),
        agents=("red_0", "blue_0"),
    )
