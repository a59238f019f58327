"""Actions drawn by lot."""

import numpy as np

from randori.game import Actions, Bools, Floats


def drawn_from(allowed: Bools, rng: np.random.Generator) -> Actions:
    """One of the actions allowed in each row, `[B]`, all with the same chance."""
    return np.where(allowed, rng.random(allowed.shape), -1.0).argmax(axis=1).astype(np.int16)


def drawn_by(weights: Floats, rng: np.random.Generator) -> Actions:
    """One action of each row, `[B]`, with chances in proportion to `weights[b, a]`."""
    marks = rng.random(len(weights)) * weights.sum(axis=1)
    return (np.cumsum(weights, axis=1) > marks[:, None]).argmax(axis=1).astype(np.int16)
