"""Minimax without a cut, level by level over whole batches, for searches to be judged by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from randori.core.game import ONGOING, Floats, Game, Ints, States


@dataclass(frozen=True)
class Minimax:
    """What positions are worth some plies on; those with at most `exact` moves left are looked at to the end.

    With `width`, only so many moves go on in each position, those that `judge` likes best; at the last ply all.
    """

    game: Game
    judge: Callable[[States], Floats]
    by_margin: bool = False
    certain: float = 0.0
    end: float = 1.0
    exact: int = 0
    width: int | None = None

    def scores(self, states: States, depth: int) -> list[dict[int, float]]:
        """Of every move in each position."""
        found: list[dict[int, float]] = [{} for _ in states]
        for near in (True, False):
            rows = np.flatnonzero(self._is_near(states) == near)
            if len(rows):
                owners, actions, values = self._of_moves(states[rows], depth, near)
                for row, action, value in zip(rows[owners], actions, values, strict=True):
                    found[row][int(action)] = float(value)
        return found

    def values(self, states: States, depth: int, weight: int) -> Floats:
        """`weight` is the depth that the positions before had, which a win at once is worth."""
        outcomes = self.game.outcome(states)
        values = np.empty(len(states))
        over = outcomes != ONGOING
        values[over] = self._ends(states[over], outcomes[over], weight)
        near = ~over & self._is_near(states)
        values[near] = self._best(states[near], depth, True)
        others = ~over & ~near
        values[others] = self._best(states[others], depth, False) if depth else self.judge(states[others])
        return values

    def _is_near(self, states: States) -> np.ndarray:
        return np.asarray(self.game.moves_left(states) <= self.exact)

    def _ends(self, states: States, outcomes: Ints, weight: int) -> Floats:
        if self.by_margin:
            return self.game.margin(states).astype(float)
        return outcomes * (self.certain + self.end * weight)

    def _best(self, states: States, depth: int, near: bool) -> Floats:
        if not len(states):
            return np.empty(0)
        owners, _, values = self._of_moves(states, depth, near)
        best = np.full(len(states), -np.inf)
        np.maximum.at(best, owners, values)
        return best

    def _of_moves(self, states: States, depth: int, near: bool) -> tuple[Ints, Ints, Floats]:
        after = self.game.children(states)
        kept = np.arange(len(after.states))
        if self.width is not None and depth > 1 and not near:
            kept = self._most_liked(after.states, after.parents)
        values = -self.values(after.states[kept], depth if near else depth - 1, 1 if near else depth)
        return after.parents[kept], after.actions[kept], values

    def _most_liked(self, states: States, parents: Ints) -> Ints:
        going = self.game.outcome(states) == ONGOING
        liked = np.where(going, -self.judge(states), np.inf)  # an end costs no search
        kept = []
        for parent in np.unique(parents):
            mine = np.flatnonzero(parents == parent)
            n_ends = int((~going[mine]).sum())
            kept.append(mine[np.argsort(-liked[mine], kind="stable")][: n_ends + (self.width or 0)])
        return np.concatenate(kept)
