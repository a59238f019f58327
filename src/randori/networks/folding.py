"""Convolutions with the batch norms after them folded into their weights."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

NORM_EPSILON = 1e-5

Tensors = Mapping[str, NDArray[Any]]


def folded(tensors: Tensors, name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Weights and bias that do what the convolution and its batch norm do with their running statistics."""
    scale, shift, mean, variance = (
        np.asarray(tensors[f"{name}.norm.{part}"], np.float64)
        for part in ("weight", "bias", "running_mean", "running_var")
    )
    factor = scale / np.sqrt(variance + NORM_EPSILON)
    weights = np.asarray(tensors[f"{name}.conv.weight"], np.float64) * factor[:, None, None, None]
    return weights.astype(np.float32), (shift - mean * factor).astype(np.float32)
