"""UCT: Monte Carlo tree search by playouts."""

from dataclasses import dataclass

import numpy as np

from randori.core.game import Game, States
from randori.core.options import spec_of
from randori.core.player import Choice
from randori.errors import UserError, suggest
from randori.kernels import trees, uct
from randori.search.evaluators import preferences
from randori.search.forest import Searched
from randori.search.limits import check_factor, check_ongoing, check_simulations, memory

# Simulations between two chances to interrupt a search: some hundredths of a second.
_SLICE = 4096

_ROLLOUTS = {"random": uct.UNIFORM, "epsilon": uct.GREEDY, "softmax": uct.WEIGHTED}


@dataclass(frozen=True)
class Uct:
    """UCT with one playout a simulation; it plays the action visited most.

    Preferences, which look at no position, guide it twice: as `priors` in the tree (false: UCT by the book) and in
    playouts. There `rollout=random` takes any action, `epsilon` the most preferred but any with that chance, and
    `softmax` draws by preference with a `temperature`. Results count -1 .. 1, so a `c` for 0 .. 1 is half of one here.
    """

    game: Game
    simulations: int = 1000
    c: float = 2.0
    priors: bool = True
    rollout: str = "softmax"
    epsilon: float = 0.5
    temperature: float = 0.5

    def __post_init__(self) -> None:
        check_simulations(self.game, self.simulations, memory(self.game, self.simulations))
        check_factor("c", self.c)
        if self.rollout not in _ROLLOUTS:
            raise UserError(f"There is no rollout '{self.rollout}'.{suggest(self.rollout, _ROLLOUTS)}")
        if not 0 <= self.epsilon <= 1:
            raise UserError(f"The option epsilon is a chance of 0 to 1, not {self.epsilon}.")
        if not 0.01 <= self.temperature <= 100:
            raise UserError(f"The temperature of playouts is 0.01 to 100, not {self.temperature}.")

    @property
    def name(self) -> str:
        return spec_of("uct", self)

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        found = self.search(states, rng)
        return Choice(found.actions, found.policy)

    def search(self, states: States, rng: np.random.Generator) -> Searched:
        """Grows a tree for each state, one after the other in the same memory."""
        check_ongoing(self.game, self.game.legal(states))
        n, n_actions, simulations = len(states), self.game.n_actions, self.simulations
        room = trees.empty(1, simulations + 1, simulations * n_actions, self.game.words)
        actions, visits, values = np.empty(n, np.int16), np.zeros((n, n_actions), np.int32), np.zeros((n, n_actions))
        rows, streams = np.ascontiguousarray(states), rng.integers(0, 2**64, n, dtype=np.uint64)
        guide, playouts = self._guide(), self._playouts()
        done = np.zeros(2, np.int64)
        while done[0] < n:
            uct.search(
                *(self.game.rules, room, guide, playouts, rows, streams),
                *(simulations, done, _SLICE, actions, visits, values),
            )
        return Searched(actions, visits / simulations, visits, values)

    def _guide(self) -> uct.Guide:
        passes = np.arange(self.simulations + 1)
        priors = np.exp(preferences(self.game))
        if self.priors:
            return uct.Guide(trees.PRIORS, priors, self.c * np.sqrt(1 + passes))
        return uct.Guide(trees.VISITS, priors, self.c * np.sqrt(np.log(np.maximum(passes, 1))))

    def _playouts(self) -> uct.Playouts:
        liked = preferences(self.game)
        weights = np.exp((liked - liked.max()) / self.temperature) if self.rollout == "softmax" else liked
        return uct.Playouts(_ROLLOUTS[self.rollout], self.epsilon, weights)
