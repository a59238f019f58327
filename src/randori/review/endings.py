"""What the rules, the game's own files or the solver know for certain of a position."""

import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from randori.core.game import ONGOING, Game, States
from randori.search.first_plies import early_outcome
from randori.search.repertoire import Answer, repertoire
from randori.search.solver import Solution, Solver, reach

_FURTHER = 4
"""Moves beyond the solver's reach at which it is tried: limits in nodes end what takes too long."""
_LONGEST_LINE = 8


class Known(NamedTuple):
    """For the side to move."""

    outcome: int
    """WIN, DRAW or LOSS."""
    margin: int | None
    """Where the game counts and all of it is known."""

    @property
    def chance(self) -> float:
        return 0.5 + 0.5 * self.outcome

    def is_kept_by(self, after: "Known") -> bool:
        """Whether a move to a position that is worth `after` to the other side gives nothing away."""
        if self.margin is not None and after.margin is not None:
            return after.margin == -self.margin
        return after.outcome == -self.outcome


class Endings:
    """Solves positions of one game within nodes; serves one thread. It remembers positions from one to the next."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._solver: Solver | None = None
        self._end, self._afterwards = sys.maxsize, 0

    @property
    def nodes(self) -> int:
        """Positions that the solver has looked at so far."""
        return 0 if self._solver is None else self._solver.nodes

    def limit(self, nodes: int, afterwards: int) -> None:
        """From now on all positions together may take so many nodes, and when these are used up, each of them so many."""
        self._end, self._afterwards = self.nodes + nodes, afterwards

    def is_near(self, state: States) -> bool:
        """Whether a position, `[1, words]`, may be solved, or is so early that its outcome is stored."""
        return int(self.game.moves_left(state)[0]) <= reach(self.game) + _FURTHER or self._stored(state) is not None

    def known(self, state: States, nodes: int) -> Known | None:
        """None where the nodes are not enough; without any, only the rules are asked."""
        outcome = int(self.game.outcome(state)[0])
        if outcome != ONGOING:
            return Known(outcome, None if self.game.counts is None else int(self.game.margin(state)[0]))
        stored = self._stored(state) if nodes else None
        if stored is not None:
            return Known(stored, None)
        found = None
        for found in self._approach(state, nodes):
            if found.value is not None:
                return Known(int(np.sign(found.value)), None if self.game.counts is None else found.value)
        if found is not None and (found.lower > 0 or found.upper < 0):
            return Known(int(np.sign(found.lower + found.upper)), None)
        return None

    def best_line(self, state: States, worth: Known, nodes: int) -> list[int]:
        """Moves of both sides that keep what a position is known to be worth; as far as that is proved within the nodes."""
        line: list[int] = []
        while len(line) < _LONGEST_LINE and self.game.outcome(state)[0] == ONGOING:
            step = self._step(state, worth, nodes)
            if step is None:
                break
            action, worth = step
            line.append(action)
            state = self.game.play(state, [action])
        return line

    def _step(self, state: States, worth: Known, nodes: int) -> tuple[int, Known] | None:
        children = self.game.children(state)
        promising = self._promising(state, nodes)
        order = sorted(range(len(children.actions)), key=lambda i: int(children.actions[i]) not in promising)
        for i in order:
            after = self.known(children.states[i : i + 1], nodes)
            if after is not None and worth.is_kept_by(after):
                return int(children.actions[i]), after
        return None

    def _promising(self, state: States, nodes: int) -> tuple[int, ...]:
        """The best moves, winners hurrying, where the nodes are enough for that; or the one of the repertoire."""
        answer = self._answer(state)
        if answer is not None:
            return (answer.action,)
        found = None
        for found in self._approach(state, nodes):
            if found.complete:
                break
        return () if found is None else found.best

    def _answer(self, state: States) -> Answer | None:
        known = repertoire(self.game)
        return None if known is None else known.find(state)[0]

    def _stored(self, state: States) -> int | None:
        """The outcome of an early position, where the game has it in a file."""
        outcome, answer = early_outcome(self.game, state), self._answer(state)
        return answer.outcome if outcome is None and answer is not None else outcome

    def _approach(self, state: States, nodes: int) -> Iterator[Solution]:
        if not nodes or not self.is_near(state):
            return
        self._solver = self._solver or Solver(self.game)
        end = self.nodes + min(nodes, max(self._afterwards, self._end - self.nodes))
        for found in self._solver.approach(state) if end > self.nodes else ():
            yield found
            if self.nodes >= end:
                return
