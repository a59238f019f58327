"""Tree search guided by an evaluator: PUCT and Gumbel."""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from randori.core.chance import drawn_by
from randori.core.evaluation import Evaluator
from randori.core.game import Actions, Game, States
from randori.core.player import Choice
from randori.errors import UserError, suggest
from randori.search.forest import Forest, Gumbel, Puct, Searched, grow
from randori.search.limits import (
    MEMORY_LIMIT,
    check_factor,
    check_seconds,
    check_simulations,
    memory,
    simulations_within,
)

_RULES = ("puct", "gumbel")
_FIRST_SIMULATIONS = 16
_PLANNED = 0.9  # of the time that is left


@dataclass(frozen=True)
class GuidedSearch:
    """Tree search guided by an evaluator: PUCT or Gumbel, all positions of a batch in step.

    `c`, `temperature` and `temperature_plies` are PUCT's; `considered` and `c_scale` are Gumbel's. `noise` at the root
    is for self-play: 0.25 with PUCT, 1 with Gumbel. With a temperature an action is drawn by its visits to the power
    1 / temperature, as long as fewer than `temperature_plies` squares were filled or left; then the best is played.
    With `seconds` for a position the time decides how many simulations there are.
    """

    game: Game
    evaluator: Evaluator
    simulations: int = 100
    kind: str = "puct"
    c: float = 1.25
    noise: float = 0.0
    temperature: float = 0.0
    temperature_plies: int = 30
    considered: int = 16
    c_scale: float = 1.0
    leaves: int = 1
    """Simulations of one tree that wait for the evaluator at a time; 1 is exact, 8 makes batches of a single game."""
    seconds: float | None = None
    name: str = "search"

    def __post_init__(self) -> None:
        check_seconds(self.seconds)
        if self.seconds is None:
            check_simulations(self.game, self.simulations, memory(self.game, self.simulations))
        if self.kind not in _RULES:
            raise UserError(f"There is no search '{self.kind}'.{suggest(self.kind, _RULES)}")
        check_factor("temperature", self.temperature)
        if self.kind == "gumbel" and self.temperature > 0:
            raise UserError("Gumbel search draws moves by its noise: set noise instead of temperature.")
        if self.leaves < 1:
            raise UserError(f"The option leaves must be 1 or more, not {self.leaves}.")
        self._rule()

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        found = self.search(states, rng)
        return Choice(self.drawn(states, found, rng), found.policy, values=found.root_values())

    def search(self, states: States, rng: np.random.Generator) -> Searched:
        """Grows a tree for each state, as many at a time as memory has room for."""
        if self.seconds is not None:
            return self._search_in_time(states, self.seconds * len(states), rng)
        step = max(1, MEMORY_LIMIT // memory(self.game, self.simulations))
        parts = []
        for begin in range(0, max(1, len(states)), step):
            forest = self._forest(states[begin : begin + step], self.simulations, rng)
            parts.append(grow(forest, self.evaluator, rng))
        return Searched(*(np.concatenate(it) for it in zip(*parts, strict=True)))

    def _search_in_time(self, states: States, seconds: float, rng: np.random.Generator) -> Searched:
        """Gumbel's rule must know beforehand how many simulations there will be: ever longer searches measure the speed, and
        the last one is planned to take what is left."""
        began = perf_counter()
        ends = began + seconds
        most, n = simulations_within(self.game, seconds, len(states)), _FIRST_SIMULATIONS
        if self.kind == "puct":
            return grow(self._forest(states, most, rng), self.evaluator, rng, ends)
        while True:
            forest, start = self._forest(states, min(n, most), rng), perf_counter()
            found = grow(forest, self.evaluator, rng, ends)
            now = perf_counter()
            fitting = int(_PLANNED * forest.simulated / (now - start) * (ends - now))
            if n >= most or fitting < n:
                return found
            n = min(8 * n, fitting) if 16 * n < fitting else fitting

    def _forest(self, states: States, simulations: int, rng: np.random.Generator) -> Forest:
        return Forest(self.game, states, simulations, self._rule(), rng, leaves=self.leaves)

    def _rule(self) -> Puct | Gumbel:
        if self.kind == "gumbel":
            return Gumbel(considered=self.considered, c_scale=self.c_scale, noise=self.noise)
        return Puct(c=self.c, noise=self.noise)

    def drawn(self, states: States, found: Searched, rng: np.random.Generator) -> Actions:
        """What is played after a search: the best, or with a temperature early in the game drawn by visits."""
        if self.temperature == 0:
            return found.actions
        occupied, at_first = self.game.cells(states) != 0, self.game.cells(self.game.start(1)) != 0
        early = np.count_nonzero(occupied != at_first, axis=(1, 2)) < self.temperature_plies
        # Visits relative to the most, so that no power overflows.
        weights = (found.visits / found.visits.max(axis=1, keepdims=True)) ** (1 / self.temperature)
        return np.where(early, drawn_by(weights, rng), found.actions)
