"""What several runs prove together."""

import numpy as np
from numpy.typing import ArrayLike

RESAMPLES = 10_000


def interval_of_mean(values: ArrayLike) -> tuple[float, float]:
    """The 95 % bootstrap interval of the mean over runs."""
    runs = np.asarray(values, np.float64)
    rng = np.random.default_rng(0)
    means = runs[rng.integers(0, len(runs), (RESAMPLES, len(runs)))].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)
