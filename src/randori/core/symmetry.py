"""The symmetries of a board: turns and reflections that change nothing in the rules."""

from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Game, States

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

    def turn_actions(self, per_action: NDArray[Number]) -> NDArray[Number]:
        """`[..., A]`: one entry for each action, put in the order of the turned board."""
        turned = np.empty_like(per_action)
        turned[..., self.actions] = per_action
        return turned


@cache
def symmetries(game: Game) -> tuple[Symmetry, ...]:
    """All that the game says it has, the identity first."""
    boards = [turned.reshape(-1) for turned in game.symmetry(game.shape)]
    return tuple(Symmetry(cells, game.layout.turned(game.shape, cells)) for cells in boards)


def transform(game: Game, states: States, symmetry: Symmetry) -> States:
    """The states as they look on the turned board."""
    return game.from_cells(symmetry.turn_boards(game.cells(states)))


def canonical(game: Game, states: States) -> tuple[States, NDArray[np.intp]]:
    """The turned images whose words come first, and the numbers of the symmetries that lead to them, `[B]`."""
    first, numbers = states.copy(), np.zeros(len(states), np.intp)
    for number, symmetry in enumerate(symmetries(game)[1:] if game.cells_suffice else (), 1):
        turned = transform(game, states, symmetry)
        rows, deciding = np.arange(len(states)), (turned != first).argmax(axis=1)
        sooner = turned[rows, deciding] < first[rows, deciding]
        first[sooner], numbers[sooner] = turned[sooner], number
    return first, numbers


def canonical_keys(game: Game, states: States) -> NDArray[np.uint64]:
    """`[B]`: keys that are equal for positions that a symmetry carries into each other."""
    if not game.cells_suffice:
        return game.keys(states)
    keys = [game.keys(transform(game, states, symmetry)) for symmetry in symmetries(game)]
    return np.asarray(np.min(keys, axis=0), np.uint64)
