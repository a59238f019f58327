"""How networks breed: the paper's (1 + lambda) strategy, with structure that shrinks and grows, and CMA-ES."""

import warnings
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from randori.errors import UserError
from randori.methods.evolution.config import EvolutionConfig
from randori.methods.evolution.networks import Network, Networks


class Strategy(Protocol):
    """Breeds a generation, then gets the fitness of each individual."""

    @property
    def elite(self) -> Network:
        """The best so far."""

    def breed(self, rng: np.random.Generator) -> Networks:
        """The generation to be judged, `[config.descendants + 1, H, F + 2]`."""

    def select(self, generation: Networks, fitness: NDArray[np.float64]) -> None:
        """Takes the fitness of the generation that was bred last."""

    def metrics(self) -> dict[str, float]: ...

    def state(self) -> dict[str, Any]: ...

    def restore(self, state: dict[str, Any]) -> None: ...


def first_network(config: EvolutionConfig, n_features: int, rng: np.random.Generator) -> Network:
    """Weights by chance; hidden units beyond `config.hidden` have all their links cut until they are born."""
    network = np.zeros((max(config.hidden, config.max_hidden), n_features + 2))
    network[: config.hidden] = rng.normal(0.0, config.first_weights, (config.hidden, n_features + 2))
    return network


class PlusStrategy:
    """(1 + lambda): a parent and its descendants compete to be the next parent.

    The parent is judged again in every generation, since opponents change and games have chance, unless the config keeps the
    fitness that it was chosen by. That fitness was lucky, which makes successes rare; without it, luck alone makes them frequent.
    """

    CHANGE = 0.85  # of the step, each time that the 1/5 rule is applied (Schwefel 1981)
    PERIOD = 10  # generations over which the rule counts successes
    LEAST_STEP = 1e-3  # a step that has died out would never come back: 0 successes of 0 differences

    def __init__(self, config: EvolutionConfig, n_features: int, rng: np.random.Generator) -> None:
        self._config = config
        self._parent = first_network(config, n_features, rng)
        self._step = np.sqrt(config.variance)
        self._steps = np.full(1 + config.descendants, self._step)  # of the generation bred last
        self._successes, self._generations = 0, 0
        self._fitness: float | None = None  # of the parent when it was chosen

    @property
    def elite(self) -> Network:
        return self._parent

    def breed(self, rng: np.random.Generator) -> Networks:
        n = self._config.descendants
        if self._config.strategy == "self-adaptive":
            # The usual rate for one step size: 1 / sqrt(number of weights).
            rate = 1.0 / np.sqrt(np.count_nonzero(self._parent) or 1)
            steps = np.maximum(self._step * np.exp(rate * rng.normal(size=n)), self.LEAST_STEP)
        else:
            steps = np.full(n, self._step)
        self._steps = np.concatenate([[self._step], steps])
        descendants = mutate(self._parent, steps, self._config, rng)
        return np.concatenate([self._parent[None], descendants])

    def select(self, generation: Networks, fitness: NDArray[np.float64]) -> None:
        best = 1 + int(np.argmax(fitness[1:]))
        bar = self._fitness if self._config.keep_fitness and self._fitness is not None else float(fitness[0])
        self._successes += int(np.sum(fitness[1:] > bar))
        self._generations += 1
        self._fitness = bar
        if fitness[best] > bar or (fitness[best] == bar and not self._config.keep_parent):
            self._parent, self._fitness = generation[best], float(fitness[best])
            if self._config.strategy == "self-adaptive":
                self._step = float(self._steps[best])
        if self._config.strategy == "one-fifth" and self._generations == self.PERIOD:
            share = self._successes / (self.PERIOD * self._config.descendants)
            factor = 1 / self.CHANGE if share > 0.2 else self.CHANGE if share < 0.2 else 1.0
            self._step = max(self._step * factor, self.LEAST_STEP)
            self._successes, self._generations = 0, 0

    def metrics(self) -> dict[str, float]:
        return {"step": float(self._step)}

    def state(self) -> dict[str, Any]:
        return {
            "parent": self._parent,
            "step": float(self._step),
            "successes": self._successes,
            "generations": self._generations,
            "fitness": self._fitness,
        }

    def restore(self, state: dict[str, Any]) -> None:
        self._parent, self._step = state["parent"], state["step"]
        self._successes, self._generations = state["successes"], state["generations"]
        self._fitness = state.get("fitness")


def mutate(parent: Network, steps: NDArray[np.float64], config: EvolutionConfig, rng: np.random.Generator) -> Networks:
    """A descendant for each step. Links that are cut stay cut, unless the config lets them grow again."""
    shape = (len(steps), *parent.shape)
    noise = steps[:, None, None] * rng.normal(size=shape)
    chance = rng.random((3, *shape))
    there = np.broadcast_to(parent != 0, shape)
    changed = parent + np.where(there & (chance[0] < config.mutation), noise, 0.0)
    if config.regrowth:
        # A link needs both of its ends: units without an output link are not alive.
        alive = (parent[:, -1] != 0)[None, :, None]
        changed = np.where(~there & alive & (chance[1] < config.regrowth), noise, changed)
    if config.births:
        _give_birth(changed, parent, config, rng)
    return np.where(chance[2] < config.pruning, 0.0, changed)


def _give_birth(networks: Networks, parent: Network, config: EvolutionConfig, rng: np.random.Generator) -> None:
    """With `config.births`, a hidden unit that has no output link gets new weights for all its links, in place."""
    dormant = np.flatnonzero(parent[:, -1] == 0)
    born = np.flatnonzero(rng.random(len(networks)) < config.births)
    weights = rng.normal(0.0, config.first_weights, (len(networks), parent.shape[1]))
    if len(dormant):
        networks[born, dormant[0]] = weights[born]


class CovarianceStrategy:
    """CMA-ES by the library `cma`; the elite is the centre of its search.

    The library's own state cannot be kept without pickling it. It follows, though, from the seed and the fitness of all
    generations so far: these are kept, and a restored search lives through them again.
    """

    def __init__(self, config: EvolutionConfig, n_features: int, rng: np.random.Generator) -> None:
        self._config = config
        self._first = first_network(config, n_features, rng)
        self._seed = int(rng.integers(2**62))
        self._history: list[NDArray[np.float64]] = []
        self._search = self._begin()

    def _begin(self) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it asks for a plotting library that nobody needs here
                import cma
        except ImportError:
            raise UserError(
                "CMA-ES needs the package cma: install `randori[evolution]`, or take another strategy."
            ) from None
        own = np.random.default_rng(self._seed)
        options = {
            "popsize": self._config.descendants + 1,
            "randn": lambda *shape: own.standard_normal(shape),
            "seed": np.nan,  # keeps the library from seeding numpy's global generator
            "verbose": -9,
            "CMA_stds": None,
        }
        return cma.CMAEvolutionStrategy(self._first.ravel(), float(np.sqrt(self._config.variance)), options)

    @property
    def elite(self) -> Network:
        return np.asarray(self._search.mean, np.float64).reshape(self._first.shape)

    def breed(self, rng: np.random.Generator) -> Networks:
        return np.asarray(self._search.ask()).reshape(-1, *self._first.shape)

    def select(self, generation: Networks, fitness: NDArray[np.float64]) -> None:
        self._search.tell(list(generation.reshape(len(generation), -1)), (-fitness).tolist())
        self._history.append(fitness)

    def metrics(self) -> dict[str, float]:
        return {"step": float(self._search.sigma)}

    def state(self) -> dict[str, Any]:
        history = np.array(self._history).reshape(-1, self._config.descendants + 1)
        return {"first": self._first, "seed": self._seed, "history": history}

    def restore(self, state: dict[str, Any]) -> None:
        self._first, self._seed = state["first"], state["seed"]
        self._history, self._search = [], self._begin()
        for fitness in state["history"]:
            self.select(np.asarray(self._search.ask()), fitness)
