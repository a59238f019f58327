"""Steps of temporal coherence over many positions, against a slow, independent loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import foreign
import numpy as np
import pytest
from test_ntuple import drawn, patterns, positions

from randori.games import game
from randori.methods.ntuple.kernels.learning import Learned
from randori.methods.ntuple.network import Network
from randori.methods.ntuple.stones import StonePlan


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    with foreign.registered():
        yield


class Slow:
    def __init__(self, network: Network) -> None:
        self.network, self.by_stones = network, isinstance(network.plan, StonePlan)
        self.weights, self.sums, self.sizes = np.zeros((3, network.weights.size))

    def learn(self, cells: np.ndarray, target: float, rate: float) -> None:
        tuples = self.network.tuples
        first = int(self.network.stages[np.count_nonzero(cells)]) * (tuples.n_patterns + 1)
        found = patterns(self.network, cells)
        if self.by_stones:  # a tuple without a stone adds nothing
            found = [it for it, (number, _) in zip(found, tuples.placed, strict=True) if it != tuples.starts[number]]
        places = [first + int(tuples.twins[it]) for it in found]
        value = sum(self.weights[it] for it in places)
        error = target - (value if self.network.by_margin else np.tanh(value))
        if self.by_stones:
            times = Counter(places)
            steps = [(it, error / (len(times) * times[it])) for it in times]
        else:
            steps = [(it, error / len(places)) for it in places]
        for place, step in steps:
            coherence = abs(self.sums[place]) / self.sizes[place] if self.sizes[place] else 1.0
            self.weights[place] += rate * step * coherence
            self.sums[place] += error
            self.sizes[place] += abs(error)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello6", "gomoku9", "hex5", *foreign.FILES])
def test_steps_are_those_of_temporal_coherence(name: str) -> None:
    it = game(name)
    network, states = drawn(it), positions(it, 60)
    slow, n = Slow(network), network.weights.size
    targets = np.random.default_rng(0).choice([-0.9, -0.3, 0.1, 0.8], len(states)).astype(np.float32)
    twins = np.append(network.tuples.twins, network.tuples.n_patterns).astype(np.int32)
    learned = Learned(*(np.zeros(n, np.float32) for _ in range(3)), twins)
    for rate in (1.0, 0.5):
        network.plan.learn(network.judge, learned, states, targets, rate)
        for cells, target in zip(it.cells(states), targets, strict=True):
            slow.learn(cells, float(target), rate)
    assert (learned.sums < 0).any()
    for ours, theirs in ((learned.weights, slow.weights), (learned.sums, slow.sums), (learned.sizes, slow.sizes)):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=2e-3)
