"""The opinion of random games to the end."""

import math
from dataclasses import dataclass

import numpy as np

from randori.core.game import ONGOING, Game, States
from randori.review.effort import Effort
from randori.review.verdict import Verdict, Worth
from randori.search.threats import find_wins
from randori.search.uct import Uct

_SIGMAS = 2.0


@dataclass(frozen=True)
class ByPlayouts:
    """The opinion of playouts, for games that nobody has learned. What may be chance is taken off the cost of a move."""

    game: Game

    def worth(self, state: States, effort: Effort) -> Worth:
        """The mean of what each side thinks that is to move: before the best move and after it."""
        return Worth(self._look(state, effort)[0])

    def verdict(self, state: States, action: int, effort: Effort) -> Verdict:
        chance, best, left = self._look(state, effort)
        if best == action:
            return Verdict(chance, chance, action, (action,))
        played = self._after(state, action, effort)
        spread = left * (1 - left) + played * (1 - played)
        cost = min(chance, max(0.0, left - played - _SIGMAS * math.sqrt(spread / effort.simulations)))
        return Verdict(chance, chance - cost, best if cost > 0 else action, (best,))

    def _look(self, state: States, effort: Effort) -> tuple[float, int, float]:
        """The chance, the best move, and the chance by a search of the position after it."""
        win = int(find_wins(self.game, state, effort.threats)[0])
        if win >= 0:
            return 1.0, win, 1.0
        best, now = self._search(state, effort)
        left = self._after(state, best, effort)
        return 0.5 * (now + left), best, left

    def _after(self, state: States, action: int, effort: Effort) -> float:
        """The chance that a move leaves to whoever made it."""
        child = self.game.play(state, [action])
        outcome = int(self.game.outcome(child)[0])
        if outcome != ONGOING:
            return 0.5 - 0.5 * outcome
        if find_wins(self.game, child, effort.threats)[0] >= 0:
            return 0.0
        return 1.0 - self._search(child, effort)[1]

    def _search(self, state: States, effort: Effort) -> tuple[int, float]:
        """The move that was tried most, and its chance."""
        found = Uct(self.game, simulations=effort.simulations).search(state, np.random.default_rng(0))
        action = int(found.actions[0])
        return action, 0.5 + 0.5 * float(found.values[0, action])
