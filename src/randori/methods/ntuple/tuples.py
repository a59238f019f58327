"""Tuples of squares: which there are, where they lie after turning the board, and how kernels see them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Game, States
from randori.core.symmetry import symmetries
from randori.core.tuples import MOST_SQUARES, Squares
from randori.kernels.judges import Judge, judge_with
from randori.methods.ntuple.kernels.indices import LANES, MOST_TUPLES
from randori.methods.ntuple.kernels.learning import Learned, learn_all
from randori.methods.ntuple.kernels.values import MOST_WORDS, tell_all_pieces, value_by_cells, value_by_words


@dataclass(frozen=True, eq=False)
class Tuples:
    """The tuples of a game: some are given, and each of them lies on the board in every way that a symmetry turns it.

    Where they are `shifted`, it also lies wherever it can be shifted to. All the places of one tuple share a table of
    weights.
    """

    game: Game
    given: tuple[Squares, ...]
    shifted: bool = False

    def __post_init__(self) -> None:
        board = range(self.game.n_squares)
        for squares in self.given:
            if not 1 <= len(squares) <= MOST_SQUARES or len(set(squares)) < len(squares):
                raise ValueError(f"A tuple is 1 to {MOST_SQUARES} different squares, not {squares!r:.80}.")
            if not all(type(it) is int and it in board for it in squares):
                raise ValueError(f"{squares!r:.80} are not squares of {self.game.title}.")
        if not self.given or len(self.placed) > MOST_TUPLES:
            raise ValueError(f"{len(self.given)} tuples are none, or more than {MOST_TUPLES} on a turned board.")

    @cached_property
    def placed(self) -> tuple[tuple[int, Squares], ...]:
        """Number of the given tuple, and the squares it covers; each set of squares is there once."""
        found: dict[tuple[int, frozenset[int]], tuple[int, Squares]] = {}
        for number, squares in enumerate(self.given):
            for turned in self._turned(squares):
                for places in self._shifts(turned):
                    found.setdefault((number, frozenset(places)), (number, places))
            if len(found) > MOST_TUPLES:
                break  # too many to be used, and a file may name any number of them
        return tuple(found.values())

    def _turned(self, squares: Squares) -> Iterator[Squares]:
        """As each symmetry turns it; where tuples are shifted, in the corner of the board."""
        for symmetry in symmetries(self.game):
            turned = tuple(int(symmetry.cells[it]) for it in squares)
            yield next(self._shifts(turned))

    def _shifts(self, squares: Squares) -> Iterator[Squares]:
        """Wherever it lies, the first as near to the top left as can be."""
        if not self.shifted:
            yield squares
            return
        height, width = self.game.shape
        rows, columns = np.divmod(squares, width)
        rows, columns = rows - rows.min(), columns - columns.min()
        for down in range(height - rows.max()):
            for right in range(width - columns.max()):
                yield tuple(((rows + down) * width + columns + right).tolist())

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """`[given + 1]`: where the table of each begins, and their end."""
        return np.cumsum([0, *(3 ** len(it) for it in self.given)])

    @property
    def n_patterns(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def twins(self) -> NDArray[np.int32]:
        """`[patterns]`: the first of those patterns that a symmetry of their tuple makes equal."""
        first = np.arange(self.n_patterns, dtype=np.int32)
        for number, squares in enumerate(self.given):
            n = len(squares)
            patterns = np.arange(3**n)
            digits = patterns[:, None] // 3 ** np.arange(n) % 3
            least = patterns.copy()
            here = next(self._shifts(squares))
            for turned in self._turned(squares):
                if set(turned) == set(here):
                    places = [here.index(it) for it in turned]
                    least = np.minimum(least, digits[:, places] @ 3 ** np.arange(n))
            # The least over all maps of a group is the same for all patterns that they carry into each other.
            first[self.starts[number] : self.starts[number + 1]] = self.starts[number] + least
        return first


class Plan:
    """Tuples as kernels take them. `bits` are those of the state's words, `[2, squares]`, or None: the rules are asked."""

    def __init__(self, tuples: Tuples, stages: NDArray[np.int64]) -> None:
        """`stages` is the stage for each number of pieces on the board."""
        self.tuples, self.game = tuples, tuples.game
        placed = tuples.placed
        self.n_tuples = len(placed)
        n_padded = -(-len(placed) // LANES) * LANES
        bits = self.game.knowledge.bits
        if bits is None:
            squares = np.arange(self.game.n_squares)
            mine, theirs = squares, 64 * MOST_WORDS + squares
        else:
            mine, theirs = bits
        self._by_words = bits is not None
        first = int(mine.min()) // 64 * 64
        offset = int(theirs[0] - mine[0])
        used = sorted({int(bit) // 8 for bit in mine})
        rows = {byte: row for row, byte in enumerate(used)}
        shares = np.zeros((len(used), 256, n_padded), np.uint16)
        patterns = np.arange(256)
        for column, (_, covered) in enumerate(placed):
            for power, square in enumerate(covered):
                byte, place = divmod(int(mine[square]), 8)
                shares[rows[byte], :, column] += ((patterns >> place & 1) * 3**power).astype(np.uint16)
        places = np.array([[8 * byte, 8 * byte + offset] for byte in used], np.int64)
        n_words = int(mine.max()) // 64 - first // 64 + 1
        # Padding looks at a pattern of no tuple, whose weight is 0.
        starts = np.full(n_padded, tuples.n_patterns, np.int32)
        starts[: len(placed)] = [tuples.starts[number] for number, _ in placed]
        self.stride = tuples.n_patterns + 1
        self._arrays = shares, places, starts, np.asarray(stages * self.stride, np.int64)
        self._sizes = len(used), n_padded, -(-len(placed) // 4) * 4, n_words
        self.n_stages = int(stages.max()) + 1

    def judge(self, weights: NDArray[np.float32]) -> Judge:
        """`weights` are `[stages, stride]`, the last of each stage 0."""
        value = value_by_words if self._by_words else value_by_cells
        return judge_with(value, *self._arrays, weights, self.game.rules, *self._sizes)

    def learn(self, judge: Judge, learned: Learned, states: States, targets: NDArray[np.float32], rate: float) -> float:
        """Each position once, in order; the sum of the absolute errors."""
        squashes = self.game.counts is None
        pieces = self._pieces(states)
        return float(learn_all(judge.table[1:], learned, pieces, targets, self.n_tuples, squashes, rate))

    def _pieces(self, states: States) -> States:
        if self._by_words:
            return states
        pieces = np.empty((len(states), 2 * MOST_WORDS), np.uint64)
        tell_all_pieces(self.game.rules, states, pieces)
        return pieces
