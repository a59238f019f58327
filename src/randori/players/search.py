"""Players that search a tree before they choose: UCT by playouts, and searches guided by an evaluator."""

from dataclasses import dataclass

import numpy as np

from randori.errors import UserError, suggest
from randori.evaluate import Evaluator
from randori.evaluate.preferences import preferences
from randori.game import Actions, Game, States
from randori.kernels import tree, uct
from randori.players.forest import Forest, Gumbel, Puct, Searched, grow
from randori.players.limits import MEMORY_LIMIT, check_factor, check_ongoing, check_simulations, memory
from randori.players.lots import drawn_by
from randori.players.options import spec_of
from randori.players.player import Choice

# Simulations between two chances to interrupt a search: some hundredths of a second.
_SLICE = 4096

_ROLLOUTS = {"random": uct.UNIFORM, "epsilon": uct.GREEDY, "softmax": uct.WEIGHTED}
_RULES = ("puct", "gumbel")


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
        room = tree.empty(1, simulations + 1, simulations * n_actions, self.game.words)
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
            return uct.Guide(tree.PRIORS, priors, self.c * np.sqrt(1 + passes))
        return uct.Guide(tree.VISITS, priors, self.c * np.sqrt(np.log(np.maximum(passes, 1))))

    def _playouts(self) -> uct.Playouts:
        liked = preferences(self.game)
        weights = np.exp((liked - liked.max()) / self.temperature) if self.rollout == "softmax" else liked
        return uct.Playouts(_ROLLOUTS[self.rollout], self.epsilon, weights)


@dataclass(frozen=True)
class Search:
    """Tree search guided by an evaluator: PUCT or Gumbel, all positions of a batch in step.

    `c`, `temperature` and `temperature_plies` are PUCT's; `considered` and `c_scale` are Gumbel's. `noise` at the root
    is for self-play: .25 with PUCT, 1 with Gumbel. With a temperature an action is drawn by its visits to the power
    1 / temperature, as long as fewer than `temperature_plies` stones were put on the board; then the best is played.
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
    name: str = "search"

    def __post_init__(self) -> None:
        check_simulations(self.game, self.simulations, memory(self.game, self.simulations))
        if self.kind not in _RULES:
            raise UserError(f"There is no search '{self.kind}'.{suggest(self.kind, _RULES)}")
        check_factor("temperature", self.temperature)
        if self.kind == "gumbel" and self.temperature > 0:
            raise UserError("Gumbel search draws by its noise: set noise instead of temperature.")
        if self.leaves < 1:
            raise UserError(f"At least one leaf of a tree waits at a time, not {self.leaves}.")
        self._rule()

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        found = self.search(states, rng)
        return Choice(self.drawn(states, found, rng), found.policy)

    def search(self, states: States, rng: np.random.Generator) -> Searched:
        """Grows a tree for each state, as many at a time as memory has room for."""
        step = max(1, MEMORY_LIMIT // memory(self.game, self.simulations))
        parts = []
        for begin in range(0, max(1, len(states)), step):
            some = states[begin : begin + step]
            forest = Forest(self.game, some, self.simulations, self._rule(), rng, leaves=self.leaves)
            parts.append(grow(forest, self.evaluator, rng))
        return Searched(*(np.concatenate(it) for it in zip(*parts, strict=True)))

    def _rule(self) -> Puct | Gumbel:
        if self.kind == "gumbel":
            return Gumbel(considered=self.considered, c_scale=self.c_scale, noise=self.noise)
        return Puct(c=self.c, noise=self.noise)

    def drawn(self, states: States, found: Searched, rng: np.random.Generator) -> Actions:
        """What is played after a search: the best, or with a temperature early in the game drawn by visits."""
        if self.temperature == 0:
            return found.actions
        stones = np.count_nonzero(self.game.cells(states), axis=(1, 2))
        early = stones - np.count_nonzero(self.game.cells(self.game.start(1))) < self.temperature_plies
        # Visits relative to the most, so that no power overflows.
        weights = (found.visits / found.visits.max(axis=1, keepdims=True)) ** (1 / self.temperature)
        return np.where(early, drawn_by(weights, rng), found.actions)
