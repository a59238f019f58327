"""The Monte Carlo tree search of Humphreys et al., kept as they describe it to compare others with.

As in the paper: expansion adds a child for every pair of a move and a reply; a playout is random; the reward, +1 for a
win, 0.5 for a draw, -1 for a loss, is added to every node above; among children the greatest w / n + 2 sqrt(ln t / n)
is selected. The paper leaves open, and here is decided:

- whose rewards: those of the side that searches, in every node, since it is to move in all of them;
- t: the number of the simulation. The paper's "sum of wins over all nodes" can be negative, where it has no logarithm;
  `t=wins` takes it at its word, but for 1 as the least, and `t=visits` is UCT by the book, the visits of the parent;
- a childless node is rolled out on its first visit and expanded on the second; the root, which must have children
  to choose from, is expanded at once;
- children without a visit come first, drawn by lot: in a fixed order five simulations would try one move only;
- a move that ends the game is a pair without a reply; a forced pass is a move or a reply like any other;
- the move played is that of the visited pair with the greatest win rate w / n, equals drawn by lot.
"""

from dataclasses import dataclass

import numpy as np

from randori.core.game import Game, States
from randori.core.options import spec_of
from randori.core.player import Choice
from randori.errors import UserError, suggest
from randori.kernels import trees
from randori.methods.deep_q.kernels import pair_search as kernel
from randori.search.limits import check_ongoing, check_simulations

_READINGS = {"simulations": kernel.SIMULATIONS, "visits": kernel.VISITS_OF_PARENT, "wins": kernel.WINS}


@dataclass(frozen=True)
class Humphreys:
    """Few simulations over pairs of a move and a reply; `t` of its UCT score is `simulations`, `visits` or `wins`."""

    game: Game
    simulations: int = 5
    t: str = "simulations"

    def __post_init__(self) -> None:
        if self.t not in _READINGS:
            raise UserError(f"The option t cannot be '{self.t}'.{suggest(self.t, _READINGS)}")
        check_simulations(self.game, self.simulations, self._memory())

    @property
    def name(self) -> str:
        return spec_of("mcts-humphreys", self)

    def _n_pairs(self) -> int:
        return self.simulations * self.game.n_actions**2

    def _memory(self) -> int:
        return trees.n_bytes(self._n_pairs() + 1, self._n_pairs(), self.game.words)

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        check_ongoing(self.game, states)
        room = trees.empty(1, self._n_pairs() + 1, self._n_pairs(), self.game.words)
        actions = np.empty(len(states), np.int16)
        visits = np.zeros((len(states), self.game.n_actions), np.int32)
        streams = rng.integers(0, 2**64, (len(states), 1), dtype=np.uint64)
        for i, state in enumerate(np.ascontiguousarray(states)):
            actions[i] = kernel.search_pairs(
                *(self.game.rules, room, state, streams[i]), *(self.simulations, _READINGS[self.t], visits[i])
            )
        return Choice(actions, visits / self.simulations)
