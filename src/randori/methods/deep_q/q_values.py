"""What each action is worth by a network: its inputs and the reading of its outputs."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from randori.core.evaluation import Evaluation
from randori.core.game import Actions, Floats, Game, Ints, States
from randori.core.layout import Columns, Steps
from randori.networks import Network
from randori.networks.architecture import Dense
from randori.networks.planes import planes
from randori.networks.steps import by_action

Reading = Literal["action", "board", "dueling", "plain"]
"""`action`: a dense network is asked about one action at a time. `board`: it tells of all squares at once. A residual
network tells of all actions: `dueling` as the value and each action's advantage over the mean, `plain` by its policy head.
"""


def board_inputs(game: Game, states: States) -> NDArray[np.float32]:
    """`[B, squares + 1]`: 1 mine, -1 theirs, 0 empty; and the side to move, which is always 1 in its own eyes."""
    flat = game.cells(states).reshape(len(states), -1)
    return np.hstack([flat, np.ones((len(flat), 1))]).astype(np.float32)


def action_inputs(game: Game, states: States, actions: Actions) -> NDArray[np.float32]:
    """`[B, squares + 3]`: the board, and the row and column of the action as shares of the board; 0 where it has none.

    A step from one square to another has a row and a column where it begins and after them those where it ends:
    `[B, squares + 5]`.
    """
    height, width = game.shape
    shares = [it for rows, columns in _places(game, actions) for it in ((rows + 1) / height, (columns + 1) / width)]
    place = np.stack(shares, axis=1)
    if game.pass_action is not None:
        place[actions == game.pass_action] = 0.0
    return np.hstack([board_inputs(game, states), place]).astype(np.float32)


def n_action_inputs(game: Game) -> int:
    return game.n_squares + (5 if isinstance(game.layout, Steps) else 3)


def _places(game: Game, actions: Actions) -> list[tuple[Ints, Ints]]:
    """Rows and columns of the squares that actions name; of a pass, any."""
    if isinstance(game.layout, Columns):
        return [(np.full_like(actions, -1), actions)]
    if isinstance(game.layout, Steps):
        squares = np.array([*game.layout.pairs, (0, 0)])[actions]
        return [np.divmod(squares[:, end], game.shape[1]) for end in (0, 1)]
    return [np.divmod(actions, game.shape[1])]


def only_passes(game: Game, legal: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """`[B]`: where there is nothing to choose, since passing is all that one can do."""
    return np.zeros(len(legal), np.bool_) if game.pass_action is None else legal[:, game.pass_action]


@dataclass(frozen=True)
class QValues:
    """Values of actions; a position is worth what its best action is."""

    game: Game
    network: Network
    reading: Reading

    def __post_init__(self) -> None:
        architecture = self.network.architecture
        if isinstance(architecture, Dense):
            sizes = {
                "action": (n_action_inputs(self.game), 1),
                "board": (self.game.n_squares + 1, self.game.n_actions - self.game.layout.passes),
            }.get(self.reading)
            fits = (architecture.inputs, architecture.outputs) == sizes
        else:
            fits = self.reading in ("dueling", "plain")
        if not fits:
            raise ValueError(f"this network does not tell of {self.game.title} by {self.reading!r:.40}")

    def actions(self, states: States) -> Floats:
        """`[B, A]`, minus infinity where an action is not legal; passing, which is never a choice, counts 0."""
        legal = self.game.legal(states)
        found = np.full(legal.shape, -np.inf)
        if self.reading == "action":
            rows, actions = np.nonzero(legal)
            inputs = action_inputs(self.game, states[rows], actions.astype(np.int16))
            found[rows, actions] = self.network(inputs)[0][:, 0]
        else:
            found[legal] = self._all(states, legal)[legal]
        found[only_passes(self.game, legal), -1] = 0.0
        return found

    def _all(self, states: States, legal: NDArray[np.bool_]) -> NDArray[Any]:
        if self.reading == "board":
            outputs = self.network(board_inputs(self.game, states))[0]
            # The network has no output for the pass, the last action.
            return np.pad(outputs, ((0, 0), (0, self.game.n_actions - outputs.shape[1])))
        outputs, values = self.network(planes(self.game, states))
        policy = by_action(self.game, outputs)
        if self.reading == "plain":
            return policy
        mean = np.where(legal, policy, 0.0).sum(axis=1, keepdims=True) / legal.sum(axis=1, keepdims=True).clip(1)
        return values[:, None] + policy - mean

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        values = self.actions(states).max(axis=1)
        passing = np.flatnonzero(only_passes(self.game, self.game.legal(states)))
        if len(passing):
            pass_action = np.full(len(passing), self.game.pass_action, np.int16)
            values[passing] = -self.actions(self.game.play(states[passing], pass_action)).max(axis=1)
        return Evaluation(values)
