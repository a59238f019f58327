"""Game: the rules of one board game for batches of positions."""

import string
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.core.knowledge import Knowledge
from randori.core.layout import Layout, Squares
from randori.core.turns import Group, unturned
from randori.errors import UserError
from randori.kernels import batches, lane_games, playouts
from randori.kernels.rules import DRAW, LOSS, ONGOING, WIN, Rules, table
from randori.registry import load

__all__ = [
    "DRAW",
    "LOSS",
    "ONGOING",
    "WIN",
    "Actions",
    "Bools",
    "Children",
    "Family",
    "Finished",
    "Floats",
    "Game",
    "Ints",
    "States",
]

States = NDArray[np.uint64]
Actions = NDArray[np.int16]
Bools = NDArray[np.bool_]
Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]


class Children(NamedTuple):
    """All successors of a batch, flat and in order: `actions[i]` leads from row `parents[i]` to `states[i]`."""

    states: States
    actions: Actions
    parents: NDArray[np.int64]


class Finished(NamedTuple):
    """Games played to their end, `[B]` each."""

    states: States
    """The last positions."""
    outcomes: NDArray[np.int8]
    """For the side to move in the positions that the games were played on from."""
    plies: NDArray[np.int16]


class Family(NamedTuple):
    """A game whatever the size of its board."""

    name: str
    title: str
    usual: str
    """The name of the game on the board that is meant where none is named."""
    aliases: tuple[str, ...] = ()
    """What else people call it, in small letters without spaces."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Game:
    """One game. States are opaque rows of words seen by the side to move; B, the batch, comes first everywhere.

    Sides alternate strictly: where a side cannot move, passing is its one legal action.
    """

    name: str
    title: str
    shape: tuple[int, int]
    max_plies: int
    words: int
    definition: Rules = field(repr=False)
    layout: Layout = field(default_factory=Squares, repr=False)
    """What actions are: squares, columns, or steps from one square to another."""
    opening_plies: int = 4
    """How many random plies a measured game begins with unless told otherwise."""
    symmetry: Group = field(default=unturned, repr=False)
    """The turns and reflections of the board that change nothing in the rules."""
    counts: str | None = None
    """What is counted in the end, such as discs; None: only who wins."""
    fills: bool = True
    """Whether pieces stay where they are put, so that there are no more moves left than empty squares."""
    cells_suffice: bool = True
    """Whether a state follows from its cells, so that a position can be set up from them."""
    rows_from: Literal["top", "bottom"] = "top"
    """Where the move names count rows from."""
    kind: Family | None = field(default=None, repr=False)
    knowledge: Knowledge = field(default_factory=Knowledge, repr=False)
    """What is known of it beyond the rules."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """Compiled rules are addresses in this process: a game travels to another process by its name, and one that others
        have registered goes ahead of it as what it was made of."""
        return load("randori.games:game"), (self.name,)

    @property
    def family(self) -> Family:
        return self.kind or Family(self.name, self.title, self.name)

    @property
    def n_squares(self) -> int:
        return self.shape[0] * self.shape[1]

    @cached_property
    def n_actions(self) -> int:
        return len(self.move_names)

    @cached_property
    def pass_action(self) -> int | None:
        """The last action, where there is a pass."""
        return self.n_actions - 1 if self.layout.passes else None

    @cached_property
    def rules(self) -> NDArray[np.int64]:
        """The table that kernels take; compiled, or loaded from disk, when first asked for."""
        return table(
            self.definition,
            words=self.words,
            n_actions=self.n_actions,
            n_cells=self.n_squares,
            max_plies=self.max_plies,
        )

    @cached_property
    def square_names(self) -> tuple[str, ...]:
        """Such as `f5`, row by row from the top left."""
        height, width = self.shape
        rows = range(1, height + 1) if self.rows_from == "top" else range(height, 0, -1)
        return tuple(f"{string.ascii_lowercase[column]}{row}" for row in rows for column in range(width))

    @cached_property
    def move_names(self) -> tuple[str, ...]:
        """What people call each action: `4` for a column, `f5` for a square, `a1b2` for a step, `pass`."""
        return self.layout.names(self.shape, self.square_names)

    def start(self, n: int) -> States:
        """`n` times the first position."""
        states = np.zeros((n, self.words), np.uint64)
        batches.start_all(self.rules, states)
        return states

    def legal(self, states: States) -> Bools:
        """`[B, A]`; a row without any legal action is a game that is over."""
        mask = np.zeros((len(states), self.n_actions), np.bool_)
        batches.legal_all(self.rules, self._rows(states), mask)
        return mask

    def play(self, states: States, actions: Actions | Sequence[int]) -> States:
        """The successors, a new array. Raises ValueError where an action is not legal."""
        after = self._rows(states).copy()
        given = np.asarray(actions)
        if given.shape != (len(after),):
            raise ValueError(f"{len(after)} states need as many actions, not an array of shape {given.shape}.")
        played = np.ascontiguousarray(given, np.int16)
        # Cut down to 16 bits, or to a whole number, a wrong action could look like a legal one.
        played[played != given] = -1
        wrong = batches.play_all(self.rules, after, played)
        if wrong >= 0:
            raise ValueError(f"Action {given[wrong]} in row {wrong} is not legal in this position of {self.name}.")
        return after

    def outcome(self, states: States) -> NDArray[np.int8]:
        """`[B]`: WIN, DRAW or LOSS for the side to move, or ONGOING."""
        outcomes = np.empty(len(states), np.int8)
        batches.outcome_all(self.rules, self._rows(states), outcomes)
        return outcomes

    def margin(self, states: States) -> NDArray[np.int16]:
        """`[B]`: what the side to move has less what the other has where that counts, else the outcome (0: ongoing)."""
        margins = np.empty(len(states), np.int16)
        batches.margin_all(self.rules, self._rows(states), margins)
        return margins

    def cells(self, states: States) -> NDArray[np.int8]:
        """`[B, H, W]`: 1 for the side to move, -1 for the other, 0 empty."""
        cells = np.empty((len(states), self.n_squares), np.int8)
        batches.cells_all(self.rules, self._rows(states), cells)
        return cells.reshape(-1, *self.shape)

    def from_cells(self, cells: NDArray[np.int8]) -> States:
        """The states with these cells, `[B, H, W]`; the inverse of `cells`."""
        if not self.cells_suffice:
            raise UserError(f"A position of {self.title} cannot be set up from its pieces alone.")
        if np.shape(cells)[1:] != self.shape:
            raise UserError(f"{self.title} needs boards of {self.shape}, not {np.shape(cells)[1:]}.")
        given = np.asarray(cells)
        if not ((given == 0) | (given == 1) | (given == -1)).all():
            raise UserError("A cell is 1 for the side to move, -1 for the other or 0 for neither.")
        flat = np.ascontiguousarray(cells, np.int8).reshape(len(cells), self.n_squares)
        states = np.zeros((len(flat), self.words), np.uint64)
        wrong = batches.setup_all(self.rules, states, flat)
        if wrong >= 0:
            which = "This" if len(flat) == 1 else f"Board {wrong}"
            raise UserError(f"{which} is no position of {self.title}: check the number and the place of its stones.")
        return states

    def keys(self, states: States) -> NDArray[np.uint64]:
        """`[B]`: a 64-bit hash, equal for equal positions."""
        keys = np.empty(len(states), np.uint64)
        batches.key_all(self._rows(states), keys)
        return keys

    def children(self, states: States) -> Children:
        """Every legal successor of every state."""
        rows = self._rows(states)
        counts = np.empty(len(rows), np.int64)
        batches.count_all(self.rules, rows, counts)
        n = int(counts.sum())
        found = Children(np.empty((n, self.words), np.uint64), np.empty(n, np.int16), np.empty(n, np.int64))
        batches.children_all(self.rules, rows, *found)
        return found

    def moves_left(self, states: States) -> Ints:
        """`[B]`: how many moves are left at most, passes aside."""
        if not self.fills:
            return np.full(len(states), self.max_plies)
        return np.asarray((self.cells(states) == 0).sum(axis=(1, 2)))

    def pick(self, states: States, quantiles: NDArray[np.float64]) -> Actions:
        """The legal action at each quantile of [0, 1), `[B]`: uniform quantiles give uniform actions."""
        actions = np.empty(len(states), np.int16)
        batches.pick_all(self.rules, self._rows(states), np.ascontiguousarray(quantiles, np.float64), actions)
        return actions

    def finish(self, states: States, rng: np.random.Generator) -> Finished:
        """Plays every position to its end, by legal actions drawn evenly."""
        ends = self._rows(states).copy()
        finished = Finished(ends, np.empty(len(ends), np.int8), np.empty(len(ends), np.int16))
        seeds = rng.integers(0, 2**63, len(ends), dtype=np.uint64)
        if self.knowledge.lanes is None:
            playouts.random_games(self.rules, ends, seeds, finished.outcomes, finished.plies)
        else:
            lanes = lane_games.address_of(self.knowledge.lanes)
            lane_games.finish_all(lanes, ends, seeds, finished.outcomes, finished.plies)
        return finished

    def _rows(self, states: States) -> States:
        """States as the kernels need them; a row of another width would be read past its end."""
        rows = np.ascontiguousarray(states, np.uint64)
        if rows.ndim != 2 or rows.shape[1] != self.words:
            raise ValueError(f"States of {self.name} have the shape [B, {self.words}], not {rows.shape}.")
        return rows
