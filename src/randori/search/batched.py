"""Lookahead over evaluators in Python: the trees of a batch grow side by side, so that all are evaluated at once."""

from collections.abc import Generator, Iterator
from itertools import pairwise
from time import perf_counter
from typing import NamedTuple, TypeVar

import numpy as np

from randori.core.evaluation import Evaluator
from randori.core.game import ONGOING, Actions, Bools, Floats, Game, States
from randori.search.alphabeta import Limits, most_plies
from randori.search.solver import Solver

Result = TypeVar("Result")
Growing = Generator[States, Floats | None, Result]
"""A search that yields positions to be evaluated and is sent their values."""


def best_actions(
    game: Game, evaluator: Evaluator, states: States, limits: Limits, exact: int, rng: np.random.Generator
) -> list[Actions]:
    """All the best actions of each position. A time or a number of nodes, which are evaluations here, is for each of them;
    one ply is always looked at.
    """
    solver = Solver(game) if exact else None
    limited = limits.nodes is not None or limits.seconds is not None
    trees = [Tree(game, exact, solver, pauses=limited) for _ in states]
    found: list[list[Actions]] = [[] for _ in states]
    began, n_so_far = perf_counter(), 0
    growing = [
        tree.deepen(state, limits.depth, best) if limited else tree.only(state, limits.depth, best)
        for tree, state, best in zip(trees, states[:, None], found, strict=True)
    ]
    for n_evaluated in _grow(growing, evaluator, rng):
        n_so_far += n_evaluated
        out_of_time = limits.seconds is not None and perf_counter() - began >= limits.seconds * len(states)
        out_of_nodes = limits.nodes is not None and n_so_far >= limits.nodes * len(states)
        if (out_of_time or out_of_nodes) and all(found):
            break
    return [best[0] for best in found]


def _grow(trees: list[Growing[None]], evaluator: Evaluator, rng: np.random.Generator) -> Iterator[int]:
    """Runs all searches side by side; yields how many positions were evaluated at once."""
    replies: dict[int, Floats | None] = dict.fromkeys(range(len(trees)))
    while replies:
        requests: dict[int, States] = {}
        for i, values in replies.items():
            try:
                requests[i] = trees[i].send(values)
            except StopIteration:
                continue
        if not requests:
            return
        together = np.concatenate(list(requests.values()))
        found = evaluator(together, rng).values if len(together) else np.zeros(0)
        ends = np.cumsum([0, *map(len, requests.values())])
        replies = {i: found[start:end] for i, (start, end) in zip(requests, pairwise(ends), strict=True)}
        yield len(found)


class _Moves(NamedTuple):
    """The moves of one position, with the positions that they lead to, seen by the opponent."""

    actions: Actions
    states: States
    keys: list[int]
    values: Floats
    settled: Bools  # the value is a fact; else it is the evaluator's


class Tree:
    """What one search knows: values and bounds of the positions that it met, which several lines may lead to."""

    def __init__(self, game: Game, exact: int, solver: Solver | None, pauses: bool = False) -> None:
        """With `pauses` it yields even where it knows everything, so that the caller can look at the clock."""
        self._game, self._exact, self._solver, self._pauses = game, exact, solver, pauses
        self._values: dict[int, float] = {}
        self._bounds: dict[tuple[int, int], tuple[float, float]] = {}

    def only(self, state: States, depth: int, found: list[Actions]) -> Growing[None]:
        """Puts the best actions at one depth into `found`."""
        found[:] = [(yield from self.best(state, depth))]

    def deepen(self, state: States, depth: int, found: list[Actions]) -> Growing[None]:
        """Puts the best actions at growing depths into `found`."""
        for plies in range(1, min(depth, int(most_plies(self._game, self._game.moves_left(state))[0])) + 1):
            found[:] = [(yield from self.best(state, plies))]

    def best(self, state: States, depth: int) -> Growing[Actions]:
        """All the best actions."""
        moves = yield from self._expand(state, depth)
        scores = np.full(len(moves.actions), -np.inf)
        for i in np.argsort(moves.values, kind="stable"):
            # From just below the best on, so that an equal move can be distinguished from one that is merely not better.
            alpha = float(np.nextafter(scores.max(), -np.inf))
            scores[i] = yield from self._score(moves, i, depth, alpha, np.inf)
        return moves.actions[scores == scores.max()]

    def _score(self, moves: _Moves, i: int, depth: int, alpha: float, beta: float) -> Growing[float]:
        """What a move is worth to the side that makes it: exact within the window, else a bound beyond it."""
        if depth == 1 or moves.settled[i]:
            return -float(moves.values[i])
        value = yield from self._value(moves.states[i : i + 1], moves.keys[i], depth - 1, -beta, -alpha)
        return -value

    def _value(self, state: States, key: int, depth: int, alpha: float, beta: float) -> Growing[float]:
        lower, upper = self._bounds.get((key, depth), (-np.inf, np.inf))
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
        moves = yield from self._expand(state, depth)
        if depth == 1:
            best = -float(moves.values.min())
            self._bounds[key, depth] = best, best
            return best
        best = -np.inf
        for i in np.argsort(moves.values, kind="stable"):
            score = yield from self._score(moves, i, depth, max(alpha, best), beta)
            best = max(best, score)
            if best >= beta:
                break
        self._bounds[key, depth] = (best if best > alpha else lower, best if best < beta else upper)
        return best

    def _expand(self, state: States, depth: int) -> Growing[_Moves]:
        """The moves and what they seem worth. An end within the lookahead weighs more, the sooner it comes."""
        children = self._game.children(state)
        outcomes = self._game.outcome(children.states)
        settled = outcomes != ONGOING
        values = outcomes * float(depth)
        if self._solver is not None:
            solved = ~settled & (self._game.moves_left(children.states) <= self._exact)
            values[solved] = self._solver.outcomes(children.states[solved])
            settled |= solved
        keys = self._game.keys(children.states).tolist()
        open_rows = np.flatnonzero(~settled)
        missing = [i for i in open_rows if keys[i] not in self._values]
        if missing or self._pauses:
            found = yield children.states[missing]
            assert found is not None
            self._values.update(zip((keys[i] for i in missing), found.tolist(), strict=True))
        values[open_rows] = [self._values[keys[i]] for i in open_rows]
        return _Moves(children.actions, children.states, keys, values, settled)
