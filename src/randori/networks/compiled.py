"""Residual networks prepared for the kernels that run them."""

from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randori.kernels.vectors import aligned
from randori.networks.architecture import Residual
from randori.networks.folding import Tensors, folded
from randori.networks.kernels.products import lay_out, whole_vectors
from randori.networks.kernels.residual import COLUMNS, MAPS, MAPS_AND_PASS, Room, Weights, judge_boards, room_for
from randori.networks.kernels.winograd import Grid, grid_for, lay_out_filters


class CompiledResidual:
    """`[B, P, H, W] -> policy logits [B, outputs], values [B]`, in any number of threads; None where they are not finite."""

    def __init__(self, shape: Residual, tensors: Tensors, height: int, width: int) -> None:
        self.shape, self.grid = shape, grid_for(height, width)
        self.weights = _weights(shape, tensors, self.grid)
        self._rooms = local()

    def __call__(self, planes: NDArray[np.float32]) -> list[NDArray[np.float32]] | None:
        grid, shape = self.grid, self.shape
        if shape.actions == "columns":
            kind, n_outputs = COLUMNS, grid.width
        else:
            kind = MAPS_AND_PASS if shape.passes else MAPS
            n_outputs = shape.n_maps * grid.height * grid.width + shape.passes
        policies = np.empty((len(planes), n_outputs), np.float32)
        values = np.empty(len(planes), np.float32)
        finite = judge_boards(grid, kind, np.ascontiguousarray(planes), self.weights, self._room, policies, values)
        return [policies, values] if finite else None

    @property
    def _room(self) -> Room:
        """Made once per thread: to allocate it takes as long as to judge a board."""
        if not hasattr(self._rooms, "room"):
            self._rooms.room = room_for(self.grid, self.shape.planes, self.shape.channels, self.shape.value_units)
        room: Room = self._rooms.room
        return room


def _weights(shape: Residual, tensors: Tensors, grid: Grid) -> Weights:
    width, units = shape.channels, shape.value_units
    names = [f"blocks.{block}.{part}" for block in range(shape.blocks) for part in ("first", "second")]
    stem, stem_bias = folded(tensors, "stem")
    layers = [folded(tensors, name) for name in names]
    # Every layer of the trunk but the first has as many channels as its vectors have lanes, the last ones zeros.
    wide = whole_vectors(width)
    blocks = [lay_out_filters(_padded(weights, (width, wide, 3, 3)), grid) for weights, _ in layers]
    (policy, policy_bias), (value, value_bias) = (folded(tensors, name) for name in ("policy", "value"))
    both = [_padded(it[:, :, 0, 0], (wide, wide)) for it in (policy, value)]
    map_weights, map_bias = _linear(tensors, "policy_map")
    no_pass = (np.zeros((1, width), np.float32), np.zeros(1, np.float32))
    pass_weights, pass_bias = _linear(tensors, "policy_pass") if shape.passes else no_pass
    hidden, hidden_bias = _linear(tensors, "value_hidden")
    output, output_bias = _linear(tensors, "value_output")
    biases = [_padded(it, (wide,)) for it in (stem_bias, *(bias for _, bias in layers))]
    arrays = (
        lay_out_filters(stem, grid),
        np.array(blocks).reshape(len(blocks), -1) if blocks else np.zeros((0, 1)),
        np.array(biases),
        lay_out(np.concatenate(both)),
        np.concatenate([_padded(it, (wide,)) for it in (policy_bias, value_bias)]),
        _padded(map_weights.reshape(-1, width), (shape.n_maps, wide)),
        map_bias,
        _padded(pass_weights.reshape(-1), (wide,)),
        lay_out(_padded(hidden, (units, wide))),
        _padded(hidden_bias, (whole_vectors(units),)),
        _padded(output.reshape(-1), (whole_vectors(units),)),
        np.array([pass_bias[0], output_bias[0]]),
    )
    return Weights(*(_padded(it, it.shape) for it in arrays))


def _linear(tensors: Tensors, name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    weights, bias = (np.asarray(tensors[f"{name}.{part}"], np.float32) for part in ("weight", "bias"))
    return weights, bias


def _padded(array: NDArray[Any], form: tuple[int, ...]) -> NDArray[np.float32]:
    """The array with zeros after it in every dimension, and its begin on a cache line."""
    whole = aligned(form)
    whole[tuple(slice(n) for n in array.shape)] = array
    return whole
