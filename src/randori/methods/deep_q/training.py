"""The network while it learns: values of actions with gradients, and the error of a batch."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from randori.core.game import Bools, Game, States
from randori.core.layout import Steps
from randori.core.symmetry import Symmetry
from randori.errors import UserError
from randori.methods.deep_q.config import DeepQConfig
from randori.methods.deep_q.q_values import Reading, action_inputs, board_inputs, n_action_inputs
from randori.methods.deep_q.transitions import Transitions
from randori.networks import Architecture, Dense, residual_for
from randori.networks.modules import by_action
from randori.networks.planes import planes


def architecture_of(game: Game, config: DeepQConfig) -> Architecture:
    """Raises UserError where such a network cannot tell of the game's actions."""
    if config.network == "action":
        return Dense(n_action_inputs(game), config.hidden, 1)
    if config.network == "board":
        if isinstance(game.layout, Steps):
            raise UserError(
                f"The network 'board' has one output per square, but a move of {game.title} joins two squares; set "
                "--network residual or --network action."
            )
        return Dense(game.n_squares + 1, config.hidden, game.n_actions - game.layout.passes)
    return residual_for(game, config.channels, config.blocks)


def reading_of(config: DeepQConfig) -> Reading:
    if config.network != "residual":
        return config.network
    return "dueling" if config.dueling else "plain"


@dataclass(frozen=True)
class ActionValues:
    """Values of actions by a module in torch; the same as `QValues` reads out of the finished network."""

    game: Game
    module: nn.Module
    reading: Reading

    def all(self, states: States, legal: Bools) -> torch.Tensor:
        """`[B, A]` (`[B, squares]` with `board`), minus infinity where not legal."""
        mask = torch.from_numpy(legal)
        if self.reading == "action":
            rows, actions = np.nonzero(legal)
            inputs = torch.from_numpy(action_inputs(self.game, states[rows], actions.astype(np.int16)))
            return torch.full(legal.shape, -torch.inf).index_put(
                torch.nonzero(mask, as_tuple=True), self.module(inputs)[:, 0]
            )
        if self.reading == "board":
            outputs = self.module(torch.from_numpy(board_inputs(self.game, states)))
            return outputs.masked_fill(~mask[:, : outputs.shape[1]], -torch.inf)
        return self.on_planes(torch.from_numpy(planes(self.game, states)), mask).masked_fill(~mask, -torch.inf)

    def on_planes(self, inputs: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        outputs, values = self.module(inputs)
        policy = by_action(self.game, outputs)
        if self.reading == "plain":
            return policy
        mean = (policy * mask).sum(dim=1, keepdim=True) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return values[:, None] + policy - mean


def targets(
    batch: Transitions, game: Game, older: ActionValues, newer: ActionValues | None, method: str
) -> NDArray[np.float32]:
    """What the actions of a batch should be worth; `newer` chooses in the next position where it is given."""
    found = batch.rewards.copy()
    rows = np.flatnonzero(batch.factors != 0)
    if not len(rows):
        return found
    states, legal = batch.next_states[rows], game.legal(batch.next_states[rows])
    with torch.no_grad():
        next_values = older.all(states, legal)
        if method == "sarsa":
            chosen = torch.from_numpy(batch.next_actions[rows].astype(np.int64))
        else:
            chosen = (next_values if newer is None else newer.all(states, legal)).argmax(dim=1)
        worth = next_values.gather(1, chosen[:, None])[:, 0].numpy()
    found[rows] += batch.factors[rows] * worth
    return found


def error_of(
    values: ActionValues,
    batch: Transitions,
    wanted: NDArray[np.float32],
    turned: Symmetry | None,
    suppress_unplayed: bool,
) -> torch.Tensor:
    """The mean squared error of a batch, seen on a turned board where a symmetry is given."""
    aim, actions = torch.from_numpy(wanted), torch.from_numpy(batch.actions.astype(np.int64))
    if suppress_unplayed:
        outputs = values.module(torch.from_numpy(board_inputs(values.game, batch.states)))
        return nn.functional.mse_loss(outputs, torch.zeros_like(outputs).scatter(1, actions[:, None], aim[:, None]))
    if values.reading == "action":
        inputs = action_inputs(values.game, batch.states, batch.actions)
        return nn.functional.mse_loss(values.module(torch.from_numpy(inputs))[:, 0], aim)
    legal = values.game.legal(batch.states)
    if values.reading == "board":
        return nn.functional.mse_loss(_played(values.all(batch.states, legal), actions), aim)
    boards, mask = planes(values.game, batch.states), legal
    if turned is not None:
        boards, mask = turned.turn_boards(boards), turned.turn_actions(legal)
        actions = torch.from_numpy(turned.actions)[actions]
    outputs = values.on_planes(torch.from_numpy(boards), torch.from_numpy(mask))
    return nn.functional.mse_loss(_played(outputs, actions), aim)


def _played(outputs: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
    return outputs.gather(1, actions[:, None])[:, 0]
