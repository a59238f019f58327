"""The opinion of a player that searches by alpha-beta."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from randori.core.game import ONGOING, Game, States
from randori.review.effort import Effort
from randori.review.verdict import Verdict, Worth
from randori.search.alphabeta import Found, Limits, most_plies
from randori.search.insight import Insight
from randori.search.threats import find_wins

_LONGEST_LINE = 8
_MOST_TRIES = 6
"""Moves that are looked at where threats refute one after the other."""
_MORE_NODES = 8
"""The played move may take so many times the nodes of the best one until it is searched as deeply."""
_CERTAIN = 1e9
"""Beyond all estimates of searches that do not count."""
_NO_ACTIONS = np.zeros(0, np.int16)


class Looked(NamedTuple):
    """What a search has found of a position at growing depths, on its own scale."""

    values: dict[int, float]
    last: Found
    settled: bool
    """Whether deeper searches would say the same."""

    def at(self, depth: int) -> float | None:
        if self.settled and depth > self.last.depth:
            return self.last.value
        return self.values.get(depth)


@dataclass(frozen=True, eq=False)
class BySearch:
    """The opinion of a player that searches. It is the mean of the last two depths, which differ by whose turn is last."""

    game: Game
    insight: Insight

    def worth(self, state: States, effort: Effort) -> Worth:
        if self._wins(state, effort):
            return Worth(1.0, exact=True)
        looked, _ = self._look_soundly(state, effort)
        if looked is None:
            return Worth(0.0)
        values = self._last_values(looked)
        return Worth(self._mean(looked), sum(values) / len(values) if self.insight.by_margin else None)

    def verdict(self, state: States, action: int, effort: Effort) -> Verdict:
        win = int(find_wins(self.game, state, effort.threats)[0])
        if win >= 0:
            return self._won(state, win, action, effort)
        looked, best = self._look_soundly(state, effort)
        if looked is None:
            return Verdict(0.0, 0.0, action, (action,))
        chance = self._mean(looked)
        line = tuple(int(it) for it in looked.last.line[:_LONGEST_LINE])
        if best == action:
            return Verdict(chance, chance, action, line, 0.0 if self.insight.by_margin else None)
        child = self.game.play(state, [action])
        if self.game.outcome(child)[0] != ONGOING:
            after = self._ended(child)
        elif self._wins(child, effort):
            return Verdict(chance, 0.0, best, line)
        else:
            after = self._look(child, self._same_horizon(looked, effort))
        cost, discs = self._cost(looked, after)
        return Verdict(chance, max(0.0, chance - cost), best if cost > 0 else action, line, discs)

    def _wins(self, state: States, effort: Effort) -> bool:
        return bool(find_wins(self.game, state, effort.threats)[0] >= 0)

    def _won(self, state: States, win: int, action: int, effort: Effort) -> Verdict:
        """Threats force a win; the played move may be another that keeps it."""
        if win == action:
            return Verdict(1.0, 1.0, action, (action,))
        child = self.game.play(state, [action])
        outcome = int(self.game.outcome(child)[0])
        left = 0.5 - 0.5 * outcome if outcome != ONGOING else 1.0 - self.worth(child, effort).chance
        return Verdict(1.0, left, win if left < 1.0 else action, (win,))

    def _look_soundly(self, state: States, effort: Effort) -> tuple[Looked | None, int]:
        """The best move after which the other side finds no win by threats; None where no such move is found."""
        refused: list[int] = []
        while True:
            looked = self._look(state, Limits(nodes=effort.nodes), refused)
            action = int(looked.last.actions[0])
            if action in refused:
                return None, action
            child = self.game.play(state, [action])
            if self.game.outcome(child)[0] != ONGOING or not self._wins(child, effort):
                return looked, action
            refused.append(action)
            if len(refused) == _MOST_TRIES:
                return None, refused[0]

    def _look(self, state: States, limits: Limits, refused: list[int] | None = None) -> Looked:
        search = self.insight.search
        self.insight.forget()
        search.refuse(refused or [])
        whole = [it for it in search.deepen(state, limits) if it.whole]
        last = whole[-1]
        deepest = int(most_plies(self.game, self.game.moves_left(state))[0])
        certain = not self.insight.by_margin and abs(self._chance(last.value) - 0.5) == 0.5
        return Looked({it.depth: it.value for it in whole}, last, certain or last.depth >= deepest)

    def _same_horizon(self, looked: Looked, effort: Effort) -> Limits:
        """For a search of the next position; where the best move is settled, as many nodes as that had."""
        if looked.settled:
            return Limits(nodes=effort.nodes)
        return Limits(depth=max(1, looked.last.depth - 1), nodes=_MORE_NODES * effort.nodes)

    def _ended(self, state: States) -> Looked:
        """As a search sees the end of a game."""
        outcome = int(self.game.outcome(state)[0])
        value = float(self.game.margin(state)[0]) if self.insight.by_margin else _CERTAIN * outcome
        return Looked({}, Found(value, _NO_ACTIONS, 0, 0, True, _NO_ACTIONS), settled=True)

    def _cost(self, looked: Looked, after: Looked) -> tuple[float, float | None]:
        """In chance and in what the game counts: the smaller of the last two horizons at which both were searched."""
        costs: list[tuple[float, float]] = []
        for depth in range(max(looked.last.depth, after.last.depth + 1), 1, -1):
            best, reply = looked.at(depth), after.at(depth - 1)
            if best is not None and reply is not None:
                costs.append((self._chance(best) - self._chance(-reply), best + reply))
            if len(costs) == 2:
                break
        cost, discs = min(costs, default=(0.0, 0.0))
        return max(0.0, cost), max(0.0, discs) if self.insight.by_margin else None

    def _mean(self, looked: Looked) -> float:
        values = self._last_values(looked)
        return sum(map(self._chance, values)) / len(values)

    def _last_values(self, looked: Looked) -> list[float]:
        last = looked.last.depth
        if looked.settled:
            return [looked.last.value]
        return [looked.values[it] for it in (last, last - 1) if it in looked.values]

    def _chance(self, value: float) -> float:
        return 0.5 + 0.5 * float(self.insight.chances(np.array([value]))[0])
