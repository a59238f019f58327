"""What several runs prove together."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES = 10_000


def interval_of_mean(runs: ArrayLike) -> tuple[float, float]:
    """The 95 % bootstrap interval of the mean over runs."""
    return _middle(_means(runs, np.random.default_rng(0)))


def interval_of_difference(ours: ArrayLike, theirs: ArrayLike) -> tuple[float, float]:
    """The same for the difference of two means."""
    rng = np.random.default_rng(0)
    return _middle(_means(ours, rng) - _means(theirs, rng))


def _means(runs: ArrayLike, rng: np.random.Generator) -> NDArray[np.float64]:
    values = np.asarray(runs, np.float64)
    return np.asarray(values[rng.integers(0, len(values), (RESAMPLES, len(values)))].mean(axis=1))


def _middle(means: NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)
