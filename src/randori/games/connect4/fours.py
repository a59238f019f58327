"""Four in a row, on a word with the columns of `randori.games.connect4.rules`."""

import numpy as np

from randori.kernels.bits import U0, U1
from randori.kernels.compile import inner


@inner
def _pairs(side, step):
    """Non-zero where four bits of a side stand `step` apart."""
    pairs = side & (side >> step)
    return pairs & (pairs >> (step + step))


@inner
def four(side):
    """Whether a side has four in a row: upwards, across, and along both diagonals."""
    up, across = _pairs(side, U1), _pairs(side, np.uint64(7))
    falling, rising = _pairs(side, np.uint64(6)), _pairs(side, np.uint64(8))
    return (up | across | falling | rising) != U0
