"""Learning the weights of tuples: temporal coherence (Beal and Smith 1999), one position after the other.

Each weight moves by its share of the error, times how far its errors so far agree: |their sum| / the sum of their sizes.
A weight whose errors all have one sign moves at full speed, one that has arrived hardly moves. There is no rate to choose.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numba import types

from randori.kernels.compile import kernel
from randori.kernels.judges import int32s_at, int64s_at, uint16s_at
from randori.kernels.records import Float32s, Int32s, numba_type
from randori.kernels.rules import row
from randori.methods.ntuple.kernels.indices import indices
from randori.methods.ntuple.kernels.values import N_BYTES, N_PADDED, PLACES, SHARES, STARTS, stage_start


class Learned(NamedTuple):
    """By weight. Patterns that a symmetry of their tuple makes equal share the first one's weight: `twins[i]`."""

    weights: Annotated[Float32s, "n_weights"]
    sums: Annotated[Float32s, "n_weights"]  # of errors
    sizes: Annotated[Float32s, "n_weights"]  # of their absolute values
    twins: Annotated[Int32s, "n_patterns"]  # of one stage


LEARNED = numba_type(Learned)


LEARNING = (
    types.Array(types.int64, 1, "C"),
    LEARNED,
    types.Array(types.uint64, 2, "C"),
    types.Array(types.float32, 1, "C"),
)
"""What every way to learn is handed first: the judge's facts, what has been learned, positions and targets."""


@kernel(types.float64(*LEARNING, types.int64, types.boolean, types.float64))
def learn_all(facts_of, learned, pieces, targets, n_tuples, squashes, rate):
    """Learns each position once, in order; returns the sum of the absolute errors.

    Where `squashes`, values are tanh of the sum, and the error is not multiplied by its derivative.
    """
    facts = row(facts_of, 0)
    starts, weights = int32s_at(facts[STARTS]), learned.weights
    total = 0.0
    for i in range(targets.shape[0]):
        position = row(pieces, i)
        found = indices(position, uint16s_at(facts[SHARES]), int64s_at(facts[PLACES]), facts[N_BYTES], facts[N_PADDED])
        stage = stage_start(position, facts)
        value = np.float32(0)
        for k in range(n_tuples):
            place = stage + learned.twins[starts[k] + np.int64(found[k])]
            value += weights[place]
        if squashes:
            value = np.float32(np.tanh(value))
        error = targets[i] - value
        total += abs(error)
        step = np.float32(rate) * error / np.float32(n_tuples)
        for k in range(n_tuples):
            place = stage + learned.twins[starts[k] + np.int64(found[k])]
            size = learned.sizes[place]
            weights[place] += step * abs(learned.sums[place]) / size if size > 0 else step
            learned.sums[place] += error
            learned.sizes[place] = size + abs(error)
    return total
