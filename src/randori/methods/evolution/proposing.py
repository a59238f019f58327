"""A (1 + lambda) strategy whose mutation also makes features: the attributes that the paper leaves to future work."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from randori.methods.evolution.config import EvolutionConfig
from randori.methods.evolution.features import Features
from randori.methods.evolution.made import propose
from randori.methods.evolution.networks import Network, Networks
from randori.methods.evolution.strategies import PlusStrategy


class ProposingStrategy(PlusStrategy):
    """All networks of a generation see the same features: what one has made for itself is a link that others have not.

    A feature to which the parent has no link any more is forgotten.
    """

    def __init__(self, config: EvolutionConfig, features: Features, rng: np.random.Generator) -> None:
        super().__init__(config, len(features.names), rng)
        self._game, self._given = features.game, len(features.names)
        self.names = features.names
        """What the networks see: given features first, then those that were made."""

    def breed(self, rng: np.random.Generator) -> Networks:
        generation = super().breed(rng)
        descendants = 1 + np.arange(len(generation) - 1)
        for row in descendants[rng.random(len(descendants)) < self._config.proposals]:
            name = propose(self._game, self.names, rng)
            if name is not None:
                generation = np.insert(generation, len(self.names), 0.0, axis=2)
                self._link(generation[row], rng)
                self.names += (name,)
        self._parent = generation[0]
        return generation

    def _link(self, network: Network, rng: np.random.Generator) -> None:
        """Links the newest feature to the units that live, in place of another one where there are enough."""
        alive, newest = network[:, -1] != 0, network.shape[1] - 3
        proposed = self._given + np.flatnonzero((network[alive, self._given : newest] != 0).any(axis=0))
        if len(proposed) >= self._config.max_proposals:
            network[:, rng.choice(proposed)] = 0.0
        network[alive, newest] = self._step * rng.normal(size=int(alive.sum()))

    def select(self, generation: Networks, fitness: NDArray[np.float64]) -> None:
        super().select(generation, fitness)
        linked = (self._parent[self._parent[:, -1] != 0, :-2] != 0).any(axis=0)
        linked[: self._given] = True
        self._parent = self._parent[:, np.append(linked, (True, True))]
        self.names = tuple(name for name, kept in zip(self.names, linked, strict=True) if kept)

    def metrics(self) -> dict[str, float]:
        return super().metrics() | {"made": len(self.names) - self._given}

    def state(self) -> dict[str, Any]:
        return super().state() | {"names": list(self.names)}

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.names = tuple(state["names"])
