"""The network learns from lessons: policies by cross entropy, values by squared error, and what else it is to foresee."""

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from randori.core.game import Game
from randori.core.symmetry import Symmetry, symmetries
from randori.methods.alphazero.config import AlphaZeroConfig
from randori.methods.alphazero.selfplay import Lessons, taken
from randori.networks.modules import AuxiliaryHeads, Features, ResidualModule, by_action, fastest_device, tensors_of
from randori.networks.planes import planes

# Channels beside each other in memory: about a quarter more positions per second than squares beside each other.
_LAYOUT = torch.channels_last

# The mean of the weights goes over no more than this share of all steps so far, so that it leaves the first weights behind.
_LAST_SHARE = 0.1


def learned_besides(game: Game, config: AlphaZeroConfig) -> dict[str, float]:
    """What the network predicts besides policy and value, with the weight of each."""
    margin = 0.0 if game.counts is None else config.margin
    weights = {"owners": config.owners, "reply": config.reply, "margin": margin}
    return {name: weight for name, weight in weights.items() if weight}


def computes_with_bfloat16() -> bool:
    """Whether the processor has instructions for them; without, they are slower than longer numbers."""
    capabilities = torch.cpu.get_capabilities()
    return any(capabilities.get(name, False) for name in ("avx512_bf16", "amx_bf16"))


class Training:
    """A module, its optimiser, what of it is to learn, and the mean of its weights over the last steps.

    It is the mean that plays: steps are so large that the weights themselves jump about what they have learned.
    """

    def __init__(
        self, game: Game, module: ResidualModule, config: AlphaZeroConfig, heads: AuxiliaryHeads | None = None
    ) -> None:
        """The heads are needed where something is `learned_besides`."""
        self._game, self._module, self._config, self._heads = game, module, config, heads
        self._besides = learned_besides(game, config)
        self._is_short = computes_with_bfloat16() if config.precision is None else config.precision == "bfloat16"
        # On a graphics card rounds would not be the same again.
        self._device = fastest_device() if config.asynchronous else torch.device("cpu")
        module.to(self._device, memory_format=_LAYOUT)  # type: ignore[call-overload]
        if heads is not None:
            heads.to(self._device)
        self._trunk = [module.stem, *module.blocks] if config.freeze else []
        for part in self._trunk:
            part.requires_grad_(False)
        learned = [it for it in module.parameters() if it.requires_grad]
        learned += [] if heads is None else heads.parameters()
        self.optimiser = torch.optim.AdamW(learned, config.rate, weight_decay=config.weight_decay, fused=True)
        self.n_steps, self.mean = 0, tensors_of(module)

    def fit(self, lessons: Lessons, steps: int, rate: float, rng: np.random.Generator) -> dict[str, float]:
        """Steps over samples of the lessons; returns the mean losses. Raises RuntimeError where it diverges."""
        self.optimiser.param_groups[0]["lr"] = rate
        turns = symmetries(self._game) if self._config.symmetric else symmetries(self._game)[:1]
        totals = dict.fromkeys(("policy", "value", *self._besides), 0.0)
        self._module.train()
        for part in self._trunk:
            part.eval()  # the statistics of a frozen trunk stay too
        for _ in range(steps):
            places = rng.integers(0, len(lessons.states), self._config.batch)
            found = self._losses(taken(lessons, places), turns[rng.integers(len(turns))])
            self.optimiser.zero_grad()
            torch.stack([self._besides.get(name, 1.0) * loss for name, loss in found.items()]).sum().backward()  # type: ignore[no-untyped-call]
            self.optimiser.step()
            self._average()
            for name, loss in found.items():
                totals[name] += float(loss.detach()) / steps
        self._module.eval()
        if not math.isfinite(sum(totals.values())):
            raise RuntimeError(
                "Learning went out of bounds: its loss is no finite number any more. The last checkpoint is kept; start "
                f"again in another folder with a smaller step, such as --rate {self._config.rate / 3:.2g}."
            )
        return {f"loss/{name}": total for name, total in totals.items()} | {"rate": rate}

    def _losses(self, sample: Lessons, turned: Symmetry) -> dict[str, torch.Tensor]:
        boards = boards_of(self._game, sample, turned).to(self._device)
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._is_short):
            features = self._module.features(boards)
        # Heads take little time, and what they say is to be exact.
        features = Features(*(it.float() for it in features))
        found = losses(self._game, self._module, features, sample, turned)
        if self._heads is None:
            return found
        return found | {
            name: _BESIDES[name](self._game, self._heads, features, sample, turned) for name in self._besides
        }

    def _average(self) -> None:
        self.n_steps += 1
        length = min(self._config.averaged, max(1.0, _LAST_SHARE * self.n_steps))
        for name, tensor in self._module.state_dict().items():
            now, mean = tensor.cpu().numpy(), self.mean[name]
            mean[...] = now if length == 1 else mean + (now - mean) / length


def boards_of(game: Game, sample: Lessons, turned: Symmetry) -> torch.Tensor:
    boards = torch.from_numpy(turned.turn_boards(planes(game, sample.states, sample.roles)))
    return boards.contiguous(memory_format=_LAYOUT)


def _beside(tensor: torch.Tensor, array: NDArray[Any]) -> torch.Tensor:
    """The array on the device of the tensor."""
    return torch.from_numpy(array).to(tensor.device)


def losses(
    game: Game, module: ResidualModule, features: Features, sample: Lessons, turned: Symmetry
) -> dict[str, torch.Tensor]:
    """-pi . log p over the legal actions, where there is a policy to learn, and (z - v)^2, on the turned board."""
    outputs, values = module.outputs(features)
    legal = _beside(outputs, turned.turn_actions(game.legal(sample.states)))
    logits = by_action(game, outputs).masked_fill(~legal, -1e9)
    wanted = _beside(outputs, turned.turn_actions(sample.policies.astype(np.float32)))
    n_wanted = max(1, int(torch.count_nonzero(wanted.any(dim=1))))
    policy = -(wanted * torch.log_softmax(logits, dim=1)).sum() / n_wanted
    return {"policy": policy, "value": nn.functional.mse_loss(values, _beside(values, sample.values))}


def owners_loss(
    game: Game, heads: AuxiliaryHeads, features: Features, sample: Lessons, turned: Symmetry
) -> torch.Tensor:
    """The mean squared error over the squares."""
    wanted = turned.turn_boards(sample.owners.astype(np.float32).reshape(-1, *game.shape))
    return nn.functional.mse_loss(heads.owners(features), _beside(features.trunk, wanted))


def reply_loss(
    game: Game, heads: AuxiliaryHeads, features: Features, sample: Lessons, turned: Symmetry
) -> torch.Tensor:
    """-log p of what the other side did, over all actions: which are legal then, nobody knows before the move."""
    replied = sample.replies >= 0
    logits = by_action(game, heads.reply(features))
    wanted = _beside(logits, np.where(replied, turned.actions[sample.replies], -1))
    total = nn.functional.cross_entropy(logits, wanted, ignore_index=-1, reduction="sum")
    return total / max(1, int(np.count_nonzero(replied)))


def margin_loss(
    game: Game, heads: AuxiliaryHeads, features: Features, sample: Lessons, turned: Symmetry
) -> torch.Tensor:
    return nn.functional.mse_loss(heads.margin(features), _beside(features.value, sample.margins))


_BESIDES = {"owners": owners_loss, "reply": reply_loss, "margin": margin_loss}
