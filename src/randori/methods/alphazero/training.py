"""The network learns from lessons: policies by cross entropy, values by squared error."""

import math

import numpy as np
import torch
from torch import nn

from randori.core.game import Game
from randori.core.symmetry import Symmetry, symmetries
from randori.methods.alphazero.config import AlphaZeroConfig
from randori.methods.alphazero.selfplay import Lessons, taken
from randori.networks.modules import ResidualModule, by_action, fastest_device, tensors_of
from randori.networks.planes import planes

# Channels beside each other in memory: about a quarter more positions a second than squares beside each other.
_LAYOUT = torch.channels_last

# The mean of the weights goes over no more than this share of all steps so far, so that it leaves the first weights behind.
_LAST_SHARE = 0.1


class Training:
    """A module, its optimiser, what of it is to learn, and the mean of its weights over the last steps.

    It is the mean that plays: steps are so large that the weights themselves jump about what they have learned.
    """

    def __init__(self, game: Game, module: ResidualModule, config: AlphaZeroConfig) -> None:
        self._game, self._module, self._config = game, module, config
        device = fastest_device() if config.asynchronous else torch.device("cpu")  # rounds are to be the same again
        module.to(device, memory_format=_LAYOUT)  # type: ignore[call-overload]
        self._trunk = [module.stem, *module.blocks] if config.freeze else []
        for part in self._trunk:
            part.requires_grad_(False)
        learned = [it for it in module.parameters() if it.requires_grad]
        self.optimiser = torch.optim.AdamW(learned, config.rate, weight_decay=config.weight_decay)
        self.n_steps, self.mean = 0, tensors_of(module)

    def fit(self, lessons: Lessons, steps: int, rate: float, rng: np.random.Generator) -> dict[str, float]:
        """Steps over samples of the lessons; returns the mean losses. Raises RuntimeError where it diverges."""
        self.optimiser.param_groups[0]["lr"] = rate
        turns = symmetries(self._game) if self._config.symmetric else symmetries(self._game)[:1]
        step_losses = []
        self._module.train()
        for part in self._trunk:
            part.eval()  # the statistics of a frozen trunk stay too
        for _ in range(steps):
            places = rng.integers(0, len(lessons.states), self._config.batch)
            sample = taken(lessons, places)
            policy_loss, value_loss = losses(self._game, self._module, sample, turns[rng.integers(len(turns))])
            self.optimiser.zero_grad()
            (policy_loss + value_loss).backward()  # type: ignore[no-untyped-call]
            self.optimiser.step()
            self._average()
            step_losses.append((float(policy_loss.detach()), float(value_loss.detach())))
        self._module.eval()
        policy, value = np.mean(step_losses, axis=0)
        if not math.isfinite(policy + value):
            raise RuntimeError(
                "Learning went out of bounds: its loss is no finite number any more. The last checkpoint is kept; start "
                f"again in another folder with a smaller step, such as --rate {self._config.rate / 3:.2g}."
            )
        return {"loss/policy": float(policy), "loss/value": float(value), "rate": rate}

    def _average(self) -> None:
        self.n_steps += 1
        length = min(self._config.averaged, max(1.0, _LAST_SHARE * self.n_steps))
        for name, tensor in self._module.state_dict().items():
            now, mean = tensor.cpu().numpy(), self.mean[name]
            mean[...] = now if length == 1 else mean + (now - mean) / length


def losses(game: Game, module: ResidualModule, sample: Lessons, turned: Symmetry) -> tuple[torch.Tensor, torch.Tensor]:
    """-pi . log p over the legal actions, and (z - v)^2, on the turned board."""
    device = next(module.parameters()).device
    boards = torch.from_numpy(turned.turn_boards(planes(game, sample.states, sample.roles)))
    outputs, values = module(boards.contiguous(memory_format=_LAYOUT).to(device))
    legal = torch.from_numpy(turned.turn_actions(game.legal(sample.states))).to(device)
    logits = by_action(game, outputs).masked_fill(~legal, -1e9)
    wanted = torch.from_numpy(turned.turn_actions(sample.policies.astype(np.float32))).to(device)
    policy_loss = -(wanted * torch.log_softmax(logits, dim=1)).sum(dim=1).mean()
    return policy_loss, nn.functional.mse_loss(values, torch.from_numpy(sample.values).to(device))
