"""Lookahead: alpha-beta over whatever an evaluator thinks of the positions some plies ahead."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np

from randori.core.chance import drawn_from
from randori.core.evaluation import Evaluator
from randori.core.game import ONGOING, Actions, Bools, Floats, Game, States
from randori.core.options import option_defaults
from randori.core.player import Choice, Player
from randori.errors import UserError, suggest
from randori.search.evaluators import Margin, Rollouts, heuristic_evaluator
from randori.search.limits import check_depth
from randori.search.solver import Solver, check_exact
from randori.search.wrappers import ExactEndings

Result = TypeVar("Result")
_Search = Generator[States, Floats | None, Result]
"""A search that yields positions to be evaluated and is sent their values."""

_EVALUATORS: dict[str, Callable[[Game], Evaluator]] = {
    "heuristic": heuristic_evaluator,
    "margin": Margin,
    "rollouts": Rollouts,
}


def lookahead(game: Game, depth: int = 3, evaluator: str = "heuristic", exact: int = 0) -> Player:
    """The player of a spec such as `lookahead:depth=3,evaluator=margin,exact=10`."""
    if evaluator not in _EVALUATORS:
        raise UserError(f"There is no evaluator '{evaluator}'.{suggest(evaluator, _EVALUATORS)}")
    options = {"depth": depth, "evaluator": evaluator, "exact": exact}
    defaults = option_defaults(lookahead)
    changed = [f"{key}={value}" for key, value in options.items() if value != defaults[key]]
    name = f"lookahead:{','.join(changed)}" if changed else "lookahead"
    return Lookahead(game, _EVALUATORS[evaluator](game), depth, exact, name)


@dataclass(frozen=True)
class Lookahead:
    """Chooses what is best if both sides play `depth` plies by the evaluator; equals are drawn by lot.

    Positions with at most `exact` empty squares are solved instead.
    """

    game: Game
    evaluator: Evaluator
    depth: int = 3
    exact: int = 0
    name: str = "lookahead"

    def __post_init__(self) -> None:
        check_depth(self.game, self.depth)
        if not self.game.fills:
            check_exact(self.game, self.exact)
        elif not 0 <= self.exact <= self.game.n_squares:
            raise UserError(
                f"Lookahead is exact from 0 to {self.game.n_squares} empty squares on, 0 for never, not {self.exact}."
            )

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        solver = Solver(self.game) if self.exact else None
        inside = _Inside(self.game, self.evaluator, self.depth, self.exact, solver)
        return ExactEndings(self.game, inside, self.exact, solver).choose(states, rng)


@dataclass(frozen=True)
class _Inside:
    """The lookahead from positions that are not solved themselves."""

    game: Game
    evaluator: Evaluator
    depth: int
    exact: int
    solver: Solver | None
    name: ClassVar[str] = "lookahead"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        best = np.zeros((len(states), self.game.n_actions), np.bool_)
        rows = range(len(states))
        trees = [_Tree(self.game, self.exact, self.solver).best(states[row : row + 1], self.depth) for row in rows]
        for row, actions in enumerate(self._grow(trees, rng)):
            best[row, actions] = True
        return Choice(drawn_from(best, rng))

    def _grow(self, trees: "list[_Search[Actions]]", rng: np.random.Generator) -> list[Actions]:
        """Runs all searches side by side, so that the evaluator sees the positions of all of them at once."""
        results: dict[int, Actions] = {}
        replies: dict[int, Floats | None] = dict.fromkeys(range(len(trees)))
        while replies:
            asked: dict[int, States] = {}
            for i, values in replies.items():
                try:
                    asked[i] = trees[i].send(values)
                except StopIteration as end:
                    results[i] = end.value
            if not asked:
                break
            found = self.evaluator(np.concatenate(list(asked.values())), rng).values
            ends = np.cumsum([0, *map(len, asked.values())])
            replies = {i: found[start:end] for i, (start, end) in zip(asked, pairwise(ends), strict=True)}
        return [results[i] for i in range(len(trees))]


class _Moves(NamedTuple):
    """The moves of one position, with the positions they lead to as the opponent sees them."""

    actions: Actions
    states: States
    keys: list[int]
    values: Floats
    settled: Bools  # the value is a fact; else it is the evaluator's


class _Tree:
    """What one search knows: values and bounds of the positions that it met, which several lines may lead to."""

    def __init__(self, game: Game, exact: int, solver: Solver | None) -> None:
        self._game, self._exact, self._solver = game, exact, solver
        self._values: dict[int, float] = {}
        self._bounds: dict[tuple[int, int], tuple[float, float]] = {}

    def best(self, state: States, depth: int) -> _Search[Actions]:
        """All the best actions."""
        moves = yield from self._expand(state, depth)
        scores = np.full(len(moves.actions), -np.inf)
        for i in np.argsort(moves.values, kind="stable"):
            # From just below the best on, so that an equal move is told from one that is merely not better.
            alpha = float(np.nextafter(scores.max(), -np.inf))
            scores[i] = yield from self._score(moves, i, depth, alpha, np.inf)
        return moves.actions[scores == scores.max()]

    def _score(self, moves: _Moves, i: int, depth: int, alpha: float, beta: float) -> _Search[float]:
        """What a move is worth to the side that makes it: exact within the window, else a bound beyond it."""
        if depth == 1 or moves.settled[i]:
            return -float(moves.values[i])
        value = yield from self._value(moves.states[i : i + 1], moves.keys[i], depth - 1, -beta, -alpha)
        return -value

    def _value(self, state: States, key: int, depth: int, alpha: float, beta: float) -> _Search[float]:
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

    def _expand(self, state: States, depth: int) -> _Search[_Moves]:
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
        if missing:
            found = yield children.states[missing]
            assert found is not None
            self._values.update(zip((keys[i] for i in missing), found.tolist(), strict=True))
        values[open_rows] = [self._values[keys[i]] for i in open_rows]
        return _Moves(children.actions, children.states, keys, values, settled)
