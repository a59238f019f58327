"""Networks in torch, for training: the same arrays, under the same names, as the inference graph reads."""

import ctypes
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from randori.core.game import Game
from randori.networks import Architecture, Dense, Residual
from randori.networks.folding import NORM_EPSILON
from randori.networks.steps import outputs_of_actions

# Two threads on a busy machine wait for each other at every barrier: many times slower than one.
torch.set_num_threads(1)

# The C library hands large blocks back to the system and asks for them again at every step of learning, a fifth of its
# time; set to keep blocks of up to this size, it does not.
_KEPT_BYTES = 1 << 30
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of <malloc.h>
with suppress(AttributeError, OSError, TypeError):  # a C library without this knob
    for _knob in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
        ctypes.CDLL(None).mallopt(_knob, _KEPT_BYTES)

Tensors = dict[str, NDArray[Any]]


class Convolution(nn.Module):
    """A convolution that keeps the size of the board, and a batch norm."""

    def __init__(self, inputs: int, outputs: int, kernel: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=False)
        self.norm = nn.BatchNorm2d(outputs, eps=NORM_EPSILON)
        nn.init.kaiming_normal_(self.conv.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, source: torch.Tensor) -> torch.Tensor:
        normed: torch.Tensor = self.norm(self.conv(source))
        return normed


class Block(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = Convolution(channels, channels, 3)
        self.second = Convolution(channels, channels, 3)

    def forward(self, source: torch.Tensor) -> torch.Tensor:
        return torch.relu_(self.second(torch.relu_(self.first(source))) + source)


class Features(NamedTuple):
    """What the heads of a residual network read."""

    trunk: torch.Tensor  # [B, C, H, W]
    policy: torch.Tensor  # [B, C, H, W]
    value: torch.Tensor  # [B, units]


class ResidualModule(nn.Module):
    """`planes [B, P, H, W] -> policy logits [B, outputs], value [B] in -1 .. 1`; see `by_action`."""

    def __init__(self, shape: Residual) -> None:
        super().__init__()
        self.shape = shape
        channels = shape.channels
        self.stem = Convolution(shape.planes, channels, 3)
        self.blocks = nn.ModuleList(Block(channels) for _ in range(shape.blocks))
        self.policy = Convolution(channels, channels, 1)
        self.policy_map = nn.Conv2d(channels, shape.n_maps, 1)
        if shape.passes:
            self.policy_pass = nn.Linear(channels, 1)
        self.value = Convolution(channels, channels, 1)
        self.value_hidden = nn.Linear(channels, shape.value_units)
        self.value_output = nn.Linear(shape.value_units, 1)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.outputs(self.features(planes))

    def features(self, planes: torch.Tensor) -> Features:
        trunk = torch.relu_(self.stem(planes))
        for block in self.blocks:
            trunk = block(trunk)
        pooled = _mean_over_board(torch.relu_(self.value(trunk)))
        return Features(trunk, torch.relu_(self.policy(trunk)), torch.relu(self.value_hidden(pooled)))

    def outputs(self, features: Features) -> tuple[torch.Tensor, torch.Tensor]:
        value = torch.tanh(self.value_output(features.value))
        passing = self.policy_pass if self.shape.passes else None
        return _logits(self.shape, features.policy, self.policy_map, passing), value[:, 0]


class AuxiliaryHeads(nn.Module):
    """What training alone asks of the features: `owners [B, H, W]` and `margin [B]` in -1 .. 1, and logits of the reply."""

    def __init__(self, shape: Residual) -> None:
        super().__init__()
        self.shape = shape
        self.owner_map = nn.Conv2d(shape.channels, 1, 1)
        self.reply_map = nn.Conv2d(shape.channels, shape.n_maps, 1)
        if shape.passes:
            self.reply_pass = nn.Linear(shape.channels, 1)
        self.margin_output = nn.Linear(shape.value_units, 1)

    def owners(self, features: Features) -> torch.Tensor:
        return torch.tanh(self.owner_map(features.trunk))[:, 0]

    def reply(self, features: Features) -> torch.Tensor:
        passing = self.reply_pass if self.shape.passes else None
        return _logits(self.shape, features.policy, self.reply_map, passing)

    def margin(self, features: Features) -> torch.Tensor:
        return torch.tanh(self.margin_output(features.value))[:, 0]


def _logits(shape: Residual, features: torch.Tensor, to_maps: nn.Module, to_pass: nn.Module | None) -> torch.Tensor:
    maps = to_maps(features)
    if shape.actions == "columns":
        columns: torch.Tensor = maps[:, 0].sum(dim=1)
        return columns
    flat: torch.Tensor = maps.flatten(1)
    if to_pass is None:
        return flat
    return torch.cat([flat, to_pass(_mean_over_board(features))], dim=1)


def _mean_over_board(features: torch.Tensor) -> torch.Tensor:
    """`[B, C]`, by way of squares: so its gradient has channels last, as everything else in training."""
    return features.permute(0, 2, 3, 1).flatten(1, 2).mean(dim=1)


def by_action(game: Game, outputs: torch.Tensor) -> torch.Tensor:
    """`[B, A]`, out of all outputs of a network, as in `networks.steps`."""
    places = outputs_of_actions(game)
    return outputs if places is None else outputs[:, torch.from_numpy(places)]


class DenseModule(nn.Module):
    """`[B, inputs] -> [B, outputs]`, a sigmoid after every layer."""

    def __init__(self, shape: Dense) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(*it) for it in pairwise(shape.widths))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            inputs = torch.sigmoid(layer(inputs))
        return inputs


def make_module(architecture: Architecture, rng: np.random.Generator) -> nn.Module:
    """A network whose initial weights depend on `rng` alone."""
    with _first_weights(rng):
        return ResidualModule(architecture) if isinstance(architecture, Residual) else DenseModule(architecture)


def make_auxiliary_heads(shape: Residual, rng: np.random.Generator) -> AuxiliaryHeads:
    """As `make_module`."""
    with _first_weights(rng):
        return AuxiliaryHeads(shape)


@contextmanager
def _first_weights(rng: np.random.Generator) -> Iterator[None]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(rng.integers(0, 2**63)))
        yield


def fastest_device() -> torch.device:
    """The graphics card, where torch has one. It sums in no fixed order, so no two trainings are the same."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def tensors_of(module: nn.Module) -> Tensors:
    """Copies of its arrays."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in module.state_dict().items()}


def load_tensors(module: nn.Module, tensors: Mapping[str, NDArray[Any]]) -> None:
    """Sets its arrays; RuntimeError where names or shapes are not its own."""
    module.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in tensors.items()})


def optimiser_state(optimiser: torch.optim.Optimizer) -> list[Any]:
    """The state of an optimiser for each parameter, as arrays in the order of the parameters."""
    kept = optimiser.state_dict()["state"]
    return [{key: it.cpu().numpy().copy() for key, it in kept[place].items()} for place in sorted(kept)]


def load_optimiser_state(optimiser: torch.optim.Optimizer, state: list[Any]) -> None:
    whole = optimiser.state_dict()
    parameters = [it for group in optimiser.param_groups for it in group["params"]]
    whole["state"] = {
        place: {key: _laid_out_as(parameters[place], it) for key, it in remembered.items()}
        for place, remembered in enumerate(state)
    }
    optimiser.load_state_dict(whole)


def _laid_out_as(parameter: torch.Tensor, array: NDArray[Any]) -> torch.Tensor:
    """A fused optimiser goes through a parameter and what it remembers of it number by number, as they lie in memory."""
    kept = torch.from_numpy(np.array(array))
    return torch.empty_like(parameter).copy_(kept) if kept.shape == parameter.shape else kept
