"""Networks in torch, for training: the same arrays, under the same names, as the inference graph reads."""

import ctypes
from collections.abc import Mapping
from contextlib import suppress
from itertools import pairwise
from typing import Any

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
# time; told to keep blocks of up to this size, it does not.
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
        return torch.relu(self.second(torch.relu(self.first(source))) + source)


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
        trunk = torch.relu(self.stem(planes))
        for block in self.blocks:
            trunk = block(trunk)
        pooled = torch.relu(self.value(trunk)).mean(dim=(2, 3))
        value = torch.tanh(self.value_output(torch.relu(self.value_hidden(pooled))))
        return self._policy(torch.relu(self.policy(trunk))), value[:, 0]

    def _policy(self, features: torch.Tensor) -> torch.Tensor:
        maps = self.policy_map(features)
        if self.shape.actions == "columns":
            columns: torch.Tensor = maps[:, 0].sum(dim=1)
            return columns
        flat: torch.Tensor = maps.flatten(1)
        if not self.shape.passes:
            return flat
        return torch.cat([flat, self.policy_pass(features.mean(dim=(2, 3)))], dim=1)


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
    """A network with first weights out of `rng` alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(rng.integers(0, 2**63)))
        return ResidualModule(architecture) if isinstance(architecture, Residual) else DenseModule(architecture)


def fastest_device() -> torch.device:
    """The graphics card, where torch has one. It sums in no fixed order: what it learns is never twice the same."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def tensors_of(module: nn.Module) -> Tensors:
    """Copies of its arrays."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in module.state_dict().items()}


def load_tensors(module: nn.Module, tensors: Mapping[str, NDArray[Any]]) -> None:
    """Sets its arrays; RuntimeError where names or shapes are not its own."""
    module.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in tensors.items()})


def optimiser_state(optimiser: torch.optim.Optimizer) -> list[Any]:
    """What an optimiser remembers of each parameter, as arrays and in their order."""
    kept = optimiser.state_dict()["state"]
    return [{key: it.cpu().numpy().copy() for key, it in kept[place].items()} for place in sorted(kept)]


def load_optimiser_state(optimiser: torch.optim.Optimizer, state: list[Any]) -> None:
    whole = optimiser.state_dict()
    whole["state"] = {
        place: {key: torch.from_numpy(np.array(it)) for key, it in remembered.items()}
        for place, remembered in enumerate(state)
    }
    optimiser.load_state_dict(whole)
