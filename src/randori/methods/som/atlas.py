"""Self-organizing maps as memories of positions: which neuron stands for a position, and which position for a neuron.

A *board* is what a map is given: `[squares]`, 1 for the side that has just moved, -1 for the other, 0 empty.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Game, States
from randori.core.symmetry import symmetries
from randori.errors import UserError
from randori.kernels.vectors import LANES, aligned
from randori.methods.som.kernels import maps
from randori.methods.som.kernels.lookup import Maps

Boards = NDArray[np.int8]
Weights = NDArray[np.float32]
Winner = Literal["product", "distance"]
"""Who wins an input: the neuron with the greatest inner product (eq. 6) or the one at the least distance (eq. 5)."""

# Of the paper's 60 moves; other games are divided in the same proportion.
SEVEN_STAGES = (18, 30, 40, 46, 52, 56, 60)
THREE_STAGES = (25, 45, 60)


class Places(NamedTuple):
    """Where the maps have positions: which map, which neuron, and by which symmetry the board was turned, all `[B]`."""

    stages: NDArray[np.int64]
    neurons: NDArray[np.int64]
    turns: NDArray[np.int64]


class Span(NamedTuple):
    """What one map is for: the positions after the moves `first` to `last`; move 0 is the position at the start."""

    first: int
    last: int
    odd: bool | None = None
    """With an odd number of stones alone, or with an even one; None for both."""

    def __str__(self) -> str:
        sides = "" if self.odd is None else f", {'odd' if self.odd else 'even'} numbers of stones"
        return f"moves {self.first} to {self.last}{sides}"


def spans_of(ends: Sequence[int], by_side: bool) -> list[Span]:
    """Of all maps, in their order."""
    stages = zip((0, *(end + 1 for end in ends)), ends, strict=False)
    return [Span(first, last, odd) for first, last in stages for odd in ((False, True) if by_side else (None,))]


def boards_of(game: Game, states: States) -> Boards:
    """`[B, squares]`"""
    return -game.cells(states).reshape(len(states), -1)


def n_moves(game: Game) -> int:
    """How many stones can be placed."""
    return int(np.sum(game.cells(game.start(1)) == 0))


def stage_ends(game: Game, ends: Sequence[int]) -> tuple[int, ...]:
    """The last move of each stage, for a division of 60 moves; as many stages as the game has moves for."""
    moves = n_moves(game)
    return tuple(sorted({max(1, round(end * moves / 60)) for end in ends}))


@dataclass(frozen=True, eq=False)
class Atlas:
    """A map for each stage of a game."""

    game: Game
    shape: tuple[int, int]
    """Rows and columns of each map."""
    ends: tuple[int, ...]
    """The last move of each stage, a move being a stone placed."""
    winner: Winner
    weights: Weights
    """`[stages, neurons, squares]`"""
    thresholds: Weights
    """`[stages, squares]`: weights up to this stand for an empty square, greater ones for a stone."""
    by_side: bool = False
    """Whether each stage has two maps, one for even and one for odd numbers of stones: for games in which the same
    stones mean something else to either side, such as Hex. Each of them then counts as a stage."""

    def __post_init__(self) -> None:
        height, width = self.shape
        if min(height, width) < 1:
            raise UserError(f"A map needs at least one row and one column of neurons, not {height} x {width}.")
        if not self.ends or list(self.ends) != sorted(set(self.ends)) or self.winner not in get_args(Winner):
            raise ValueError(f"maps do not have stages to {self.ends} and {self.winner!r} for a winner")
        squares, n_maps = self.game.shape[0] * self.game.shape[1], len(self.spans)
        if self.weights.shape != (n_maps, height * width, squares) or self.thresholds.shape != (n_maps, squares):
            raise UserError(
                f"Maps of {self.weights.shape} with thresholds of {self.thresholds.shape} are not {n_maps} maps of "
                f"{height} x {width} neurons for {squares} squares; train the maps on {self.game.title}."
            )

    @property
    def spans(self) -> list[Span]:
        return spans_of(self.ends, self.by_side)

    @cached_property
    def stages(self) -> NDArray[np.int64]:
        """`[squares + 1]`: the stage by the number of stones on the board."""
        squares = self.game.shape[0] * self.game.shape[1]
        stones = np.arange(squares + 1)
        moves = stones - (squares - n_moves(self.game))
        stages = np.minimum(np.searchsorted(self.ends, moves), len(self.ends) - 1)
        return 2 * stages + stones % 2 if self.by_side else stages

    @cached_property
    def _laid_out(self) -> list[tuple[Weights, Weights]]:
        """The weights and biases of each map, in the order of the map."""
        return [(maps.lay_out(it), maps.biases_of(it, self.winner == "distance")) for it in self.weights]

    @cached_property
    def joined(self) -> tuple[Weights, Weights]:
        """The weights of all maps, `[stages * blocks, squares * 16]`, and their biases, `[stages, lanes]`."""
        weights, biases = zip(*self._laid_out, strict=True)
        return join_maps(list(weights)), np.stack(biases)

    @cached_property
    def compiled(self) -> Maps:
        """All maps as the kernels that play take them."""
        order = _by_neighbourhood(*self.shape)
        ordered = self.weights[:, order]
        weights = join_maps([maps.lay_out(it) for it in ordered])
        biases = np.stack([maps.biases_of(it, self.winner == "distance") for it in ordered])
        ranges = join_maps([maps.lay_out(_ranges(it)) for it in ordered])
        neurons = np.zeros(biases.shape[1], np.int64)
        neurons[: len(order)] = order
        places = np.stack([np.argsort(it.cells) for it in symmetries(self.game)])
        retrieved = self.retrieved.reshape(-1, self.weights.shape[2])
        return Maps(weights, biases, ranges, neurons, self.stages, places, retrieved)

    @cached_property
    def retrieved(self) -> Boards:
        """The position that each neuron stands for, `[stages, neurons, squares]`."""
        stones = np.abs(self.weights) > self.thresholds[:, None, :]
        return np.asarray(np.sign(self.weights) * stones, np.int8)

    def find(self, boards: Boards) -> Places:
        """The neuron that stands for each board (section 4 of the paper).

        A board is turned until the position that its winner stands for is the same; if it never is, the best of the
        winners counts. Maps whose winner has the greatest product say nothing of empty squares, so these are not compared.
        """
        if boards.ndim != 2 or boards.shape[1] != self.weights.shape[2]:
            raise UserError(
                f"These maps know boards of {self.weights.shape[2]} squares, not an array of {boards.shape}."
            )
        stages = self.stages[np.count_nonzero(boards, axis=1)]
        found = Places(stages, np.zeros(len(boards), np.int64), np.zeros(len(boards), np.int64))
        for stage in np.unique(stages):
            rows = np.flatnonzero(stages == stage)
            found.neurons[rows], found.turns[rows] = self._find_in(
                int(stage), np.ascontiguousarray(boards[rows], np.int8)
            )
        return found

    def _find_in(self, stage: int, boards: Boards) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        weights, biases = self._laid_out[stage]
        best = np.full(len(boards), -np.inf)
        neurons, turns = np.zeros((2, len(boards)), np.int64)
        searching = np.arange(len(boards))
        for turn, symmetry in enumerate(symmetries(self.game)):
            turned = np.ascontiguousarray(boards[searching][:, symmetry.cells])
            winners, tops = np.empty(len(turned), np.int64), np.empty(len(turned), np.float32)
            maps.find_winners(weights, biases, turned, winners, tops)
            matching = self._match(self.retrieved[stage, winners], turned)
            better = matching | (tops > best[searching])
            rows = searching[better]
            best[rows], neurons[rows], turns[rows] = tops[better], winners[better], turn
            searching = searching[~matching]
        return neurons, turns

    def _match(self, retrieved: Boards, boards: Boards) -> NDArray[np.bool_]:
        ignored = (boards == 0) & (self.winner == "product")
        return np.all((retrieved == boards) | ignored, axis=1)

    def turned(self, boards: Boards, places: Places) -> Boards:
        """The boards as the maps see them."""
        cells = np.stack([it.cells for it in symmetries(self.game)])
        return np.take_along_axis(boards, cells[places.turns], axis=1)


def _by_neighbourhood(height: int, width: int) -> NDArray[np.int64]:
    """The neurons of a map in an order that keeps 16 after each other in a square (Morton's, by mixing the bits)."""
    rows, columns = np.divmod(np.arange(height * width), width)
    codes = np.zeros(height * width, np.int64)
    for place in range(max(height, width).bit_length()):
        codes |= ((columns >> place) & 1) << (2 * place) | ((rows >> place) & 1) << (2 * place + 1)
    return np.argsort(codes)


def _ranges(weights: Weights) -> Weights:
    """The greatest and the least weight of each 16 neurons for each square, `[blocks, 2 * squares]`."""
    starts = np.arange(0, len(weights), LANES)
    return np.hstack([np.maximum.reduceat(weights, starts), np.minimum.reduceat(weights, starts)])


def join_maps(maps: list[Weights]) -> Weights:
    """Maps one after the other, `[stages * blocks, squares * 16]`."""
    joined = aligned((len(maps) * len(maps[0]), maps[0].shape[1]))
    joined[:] = np.concatenate(maps)
    return joined


def retrieved_rightly(atlas: Atlas, boards: Boards) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many squares of each board the maps give back as they were, `[B]`: of all, and of those with a stone."""
    places = atlas.find(boards)
    turned = atlas.turned(boards, places)
    right = atlas.retrieved[places.stages, places.neurons] == turned
    return right.sum(axis=1), (right & (turned != 0)).sum(axis=1)
