"""The symmetries of a board: turns and reflections that change nothing in the rules."""

from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from randori.game import Game, States

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Symmetry:
    """One way to turn or reflect the board.

    `flat_board[..., cells]` is the turned board; `actions[a]` is what action `a` is called on it, so that
    `turned_policy[..., actions] = policy`.
    """

    cells: NDArray[np.intp]
    actions: NDArray[np.intp]

    def turn_boards(self, boards: NDArray[Number]) -> NDArray[Number]:
        """`[..., H, W]` as they look on the turned board, which has the same shape."""
        flat = boards.reshape(*boards.shape[:-2], len(self.cells))
        return flat[..., self.cells].reshape(boards.shape)

    def turn_actions(self, told: NDArray[Number]) -> NDArray[Number]:
        """`[..., A]`, what is told of each action, in the order of the turned board."""
        turned = np.empty_like(told)
        turned[..., self.actions] = told
        return turned


@cache
def symmetries(game: Game) -> tuple[Symmetry, ...]:
    """All of them, the identity first: eight for square boards, two where only left and right are alike."""
    height, width = game.shape
    squares = np.arange(height * width).reshape(height, width)
    if game.symmetry == "mirror":
        boards = [squares, squares[:, ::-1]]
    else:
        boards = [np.rot90(board, turns) for board in (squares, squares[:, ::-1]) for turns in range(4)]
    return tuple(_symmetry(game, board) for board in boards)


def _symmetry(game: Game, turned: NDArray[np.intp]) -> Symmetry:
    cells = turned.reshape(-1)
    if game.n_actions == game.shape[1]:
        return Symmetry(cells, np.argsort(turned[0] % game.shape[1]))
    actions = np.arange(game.n_actions)
    actions[: len(cells)] = np.argsort(cells)
    return Symmetry(cells, actions)


def transform(game: Game, states: States, symmetry: Symmetry) -> States:
    """The states as they look on the turned board."""
    return game.from_cells(symmetry.turn_boards(game.cells(states)))


def canonical_keys(game: Game, states: States) -> NDArray[np.uint64]:
    """`[B]`: keys that are equal for positions that a symmetry carries into each other."""
    keys = [game.keys(transform(game, states, symmetry)) for symmetry in symmetries(game)]
    return np.asarray(np.min(keys, axis=0), np.uint64)
