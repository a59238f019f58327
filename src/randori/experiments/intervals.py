"""Intervals for means over several runs."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES = 10_000

# Student's t with 1, 2, ... degrees of freedom, the quantile of .975.
_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


def interval_of_mean(runs: ArrayLike) -> tuple[float, float]:
    """The 95% bootstrap interval of the mean over runs."""
    return _middle(_means(runs, np.random.default_rng(0)))


def interval_of_few(runs: ArrayLike) -> tuple[float, float]:
    """The 95% interval of the mean over 2 to 10 runs by Student's t: a bootstrap of so few would look surer than it
    is.
    """
    values = np.asarray(runs, np.float64)
    mean, width = values.mean(), _T[len(values) - 2] * values.std(ddof=1) / np.sqrt(len(values))
    return float(mean - width), float(mean + width)


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
