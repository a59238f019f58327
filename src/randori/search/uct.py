"""UCT: Monte Carlo tree search by playouts."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Game, States
from randori.core.options import spec_of
from randori.core.player import Choice
from randori.errors import UserError, suggest
from randori.kernels import trees, uct, weighted
from randori.search.evaluators import preferences
from randori.search.forest import Searched
from randori.search.limits import (
    check_factor,
    check_ongoing,
    check_seconds,
    check_simulations,
    memory,
    simulations_within,
)

# Simulations between two chances to interrupt a search: some hundredths of a second.
_SLICE = 4096
_FIRST_SLICE = 16  # until the speed is known
_USED = 0.92  # of the time: giving back so much memory takes some, too

_NOTHING = np.empty(0, np.uint64)
_ROLLOUTS = {"random": uct.UNIFORM, "epsilon": uct.GREEDY, "softmax": uct.WEIGHTED, "favourites": uct.GREEDY}


@dataclass(frozen=True)
class Uct:
    """UCT with one playout a simulation; it plays the action visited most.

    Preferences, which look at no position, guide it twice: as `priors` in the tree (false: UCT by the book) and in
    playouts. There `rollout=random` takes any action, `epsilon` the most preferred but any with that chance, `softmax`
    draws by preference with a `temperature`, and `favourites` takes one of those that the game prefers to all others, such
    as Othello's corners, where it can, else any. Results count -1 .. 1, so a `c` for 0 .. 1 is half of one here.
    With `seconds` for a position the time decides how many simulations there are, as far as memory has room for them.
    """

    game: Game
    simulations: int = 1000
    c: float = 2.0
    priors: bool = True
    rollout: str = "softmax"
    epsilon: float = 0.5
    temperature: float = 0.5
    seconds: float | None = None

    def __post_init__(self) -> None:
        check_seconds(self.seconds)
        if self.seconds is None:
            check_simulations(self.game, self.simulations, memory(self.game, self.simulations))
        check_factor("c", self.c)
        if self.rollout not in _ROLLOUTS:
            raise UserError(f"There is no rollout '{self.rollout}'.{suggest(self.rollout, _ROLLOUTS)}")
        if not 0 <= self.epsilon <= 1:
            raise UserError(f"The option epsilon must be 0 to 1, not {self.epsilon}.")
        if not 0.01 <= self.temperature <= 100:
            raise UserError(f"The temperature of playouts must be 0.01 to 100, not {self.temperature}.")

    @property
    def name(self) -> str:
        return spec_of("uct", self)

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        found = self.search(states, rng)
        return Choice(found.actions, found.policy)

    def search(self, states: States, rng: np.random.Generator) -> Searched:
        """Grows a tree for each state, one after the other in the same memory."""
        check_ongoing(self.game, states)
        n, n_actions = len(states), self.game.n_actions
        simulations = self.simulations if self.seconds is None else simulations_within(self.game, self.seconds)
        actions, visits, values = np.empty(n, np.int16), np.zeros((n, n_actions), np.int32), np.zeros((n, n_actions))
        rows, streams = np.ascontiguousarray(states), rng.integers(0, 2**64, n, dtype=np.uint64)
        guide, playouts = self._guide(simulations), _playouts(self.game, self.rollout, self.epsilon, self.temperature)
        done = np.zeros(2, np.int64)

        with trees.lent(simulations + 1, simulations * n_actions, self.game.words) as room:

            def go_on(budget: int, simulations: int) -> None:
                uct.search(
                    *(self.game.rules, room, guide, playouts, rows, streams),
                    *(simulations, done, budget, actions, visits, values),
                )

            if self.seconds is None:
                while done[0] < n:
                    go_on(_SLICE, simulations)
            else:
                self._in_time(go_on, done, simulations, n)
        return Searched(actions, visits / visits.sum(axis=1, keepdims=True), visits, values)

    def _in_time(self, go_on: Callable[[int, int], None], done: NDArray[np.int64], most: int, n: int) -> None:
        """Looks at the clock between slices, which become shorter towards the end."""
        assert self.seconds is not None
        seconds = _USED * self.seconds
        go_on(0, most)  # compiles, or loads from disk, before the clock runs
        for position in range(n):
            began, step = perf_counter(), _FIRST_SLICE
            while done[0] == position:
                go_on(min(step, most - int(done[1])), most)
                spent = perf_counter() - began
                if done[0] == position and spent >= seconds:
                    go_on(1, int(done[1]))  # no more than there were
                elif spent < seconds:
                    step = max(1, min(_SLICE, int(0.5 * done[1] / spent * (seconds - spent))))

    def _guide(self, simulations: int) -> uct.Guide:
        kind = trees.PRIORS if self.priors else trees.VISITS
        return uct.Guide(kind, _priors(self.game), _explore(kind, self.c, simulations))


# What follows from options alone is made once a process, not once a search; a player itself keeps nothing, as it travels to
# other processes, where the addresses of compiled functions mean nothing.


@cache
def _priors(game: Game) -> NDArray[np.float64]:
    return np.asarray(np.exp(preferences(game)))


@lru_cache(maxsize=4)
def _explore(kind: int, c: float, simulations: int) -> NDArray[np.float64]:
    """The factor of the bonus by passes, `[simulations + 1]`."""
    passes = np.arange(simulations + 1)
    return np.asarray(c * np.sqrt(1 + passes if kind == trees.PRIORS else np.log(np.maximum(passes, 1))))


@lru_cache(maxsize=64)
def _playouts(game: Game, rollout: str, epsilon: float, temperature: float) -> uct.Playouts:
    style, liked = _ROLLOUTS[rollout], preferences(game)
    if rollout == "favourites":
        return uct.Playouts(style, 0.0, np.where(liked == liked.max(), 1.0, 0.0), 0, _NOTHING, _NOTHING)
    if style != uct.WEIGHTED:
        return uct.Playouts(style, epsilon, liked, 0, _NOTHING, _NOTHING)
    weights = np.exp((liked - liked.max()) / temperature)
    classes = weighted.classes_of(liked)
    if not weighted.suits(weights, classes):
        return uct.Playouts(style, epsilon, weights, 0, _NOTHING, _NOTHING)
    numbers = weighted.whole(weights)
    return uct.Playouts(style, epsilon, weights, _finishing(game), numbers[classes.members], numbers)


@cache
def _finishing(game: Game) -> int:
    return weighted.finishing(game.definition, game.n_actions, weighted.classes_of(preferences(game)))
