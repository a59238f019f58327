"""How actions lie on a board: what they are called, where they land, how they turn with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

PASS = "pass"
_SQUARE = r"[a-z]\d{1,2}"


class Layout(Protocol):
    """One kind of actions. Squares count row by row from the top left."""

    @property
    def passes(self) -> bool:
        """Whether the last action is the pass, legal only where no other is."""

    @property
    def token(self) -> str:
        """A pattern for one move in a transcript, passes aside."""

    def names(self, shape: tuple[int, int], squares: Sequence[str]) -> tuple[str, ...]:
        """What people call each action; `squares` are the names of the squares."""

    def turned(self, shape: tuple[int, int], cells: NDArray[np.intp]) -> NDArray[np.intp]:
        """What each action is called on a board turned so that `flat_board[cells]` is the turned one."""

    def landing(self, action: int, cells: NDArray[np.int8]) -> int | None:
        """The square where an action puts a piece, given the board `[H, W]`; None for a pass."""


@dataclass(frozen=True)
class Squares:
    """An action puts a piece on a square."""

    passes: bool = False
    token = _SQUARE

    def names(self, shape: tuple[int, int], squares: Sequence[str]) -> tuple[str, ...]:
        return (*squares, PASS) if self.passes else tuple(squares)

    def turned(self, shape: tuple[int, int], cells: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.append(np.argsort(cells), len(cells)) if self.passes else np.argsort(cells)

    def landing(self, action: int, cells: NDArray[np.int8]) -> int | None:
        return action if action < cells.size else None


@dataclass(frozen=True)
class Columns:
    """An action drops a piece into a column, where it falls on the lowest empty square. Columns are called 1, 2, ..."""

    passes = False
    token = r"\d"

    def names(self, shape: tuple[int, int], squares: Sequence[str]) -> tuple[str, ...]:
        return tuple(str(column + 1) for column in range(shape[1]))

    def turned(self, shape: tuple[int, int], cells: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.argsort(cells[: shape[1]] % shape[1])

    def landing(self, action: int, cells: NDArray[np.int8]) -> int | None:
        free = np.flatnonzero(cells[:, action] == 0)
        return int(free[-1]) * cells.shape[1] + action if len(free) else None


@dataclass(frozen=True)
class Steps:
    """An action moves a piece from one square to another, `pairs[action]`."""

    pairs: tuple[tuple[int, int], ...]
    passes: bool = False
    token = rf"{_SQUARE}\s*[-x]?\s*{_SQUARE}"

    @cached_property
    def _places(self) -> dict[tuple[int, int], int]:
        return {pair: action for action, pair in enumerate(self.pairs)}

    def names(self, shape: tuple[int, int], squares: Sequence[str]) -> tuple[str, ...]:
        steps = tuple(f"{squares[begin]}{squares[end]}" for begin, end in self.pairs)
        return (*steps, PASS) if self.passes else steps

    def turned(self, shape: tuple[int, int], cells: NDArray[np.intp]) -> NDArray[np.intp]:
        to = np.argsort(cells)
        found = [self._places[int(to[begin]), int(to[end])] for begin, end in self.pairs]
        return np.array([*found, len(found)] if self.passes else found, np.intp)

    def landing(self, action: int, cells: NDArray[np.int8]) -> int | None:
        return self.pairs[action][1] if action < len(self.pairs) else None
