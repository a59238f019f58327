"""Lookahead: alpha-beta over an evaluator's values of the positions some plies ahead."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from randori.core.chance import drawn_from
from randori.core.evaluation import Evaluator, judge_of
from randori.core.game import Game, States
from randori.core.options import option_defaults
from randori.core.player import Choice, Player
from randori.errors import UserError, suggest
from randori.search import batched
from randori.search.alphabeta import Limits, best_actions, limits_of
from randori.search.evaluators import Margin, Rollouts, heuristic_evaluator
from randori.search.limits import check_depth
from randori.search.solver import check_exact
from randori.search.wrappers import ExactEndings

_PLIES = 3
"""The default depth."""

_EVALUATORS: dict[str, Callable[[Game], Evaluator]] = {
    "heuristic": heuristic_evaluator,
    "margin": Margin,
    "rollouts": Rollouts,
}


def lookahead(
    game: Game,
    depth: int | None = None,
    evaluator: str = "heuristic",
    exact: int = 0,
    nodes: int | None = None,
    seconds: float | None = None,
) -> Player:
    """The player of a spec such as `lookahead:depth=3,evaluator=margin,exact=10` or `lookahead:seconds=0.1`."""
    if evaluator not in _EVALUATORS:
        raise UserError(f"There is no evaluator '{evaluator}'.{suggest(evaluator, _EVALUATORS)}")
    options = {"depth": depth, "evaluator": evaluator, "exact": exact, "nodes": nodes, "seconds": seconds}
    defaults = option_defaults(lookahead)
    changed = [f"{key}={value}" for key, value in options.items() if value != defaults[key]]
    name = f"lookahead:{','.join(changed)}" if changed else "lookahead"
    return Lookahead(game, _EVALUATORS[evaluator](game), depth, exact, name, nodes, seconds)


@dataclass(frozen=True)
class Lookahead:
    """Chooses what is best if both sides play `depth` plies by the evaluator; equals are drawn by lot.

    With `nodes` or `seconds` for a position it looks ever deeper until these are used up. Positions with at most `exact`
    empty squares are solved instead.
    """

    game: Game
    evaluator: Evaluator
    depth: int | None = None
    exact: int = 0
    name: str = "lookahead"
    nodes: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.depth is not None:
            check_depth(self.game, self.depth)
        _ = self._limits  # which refuses what cannot be
        if not self.game.fills:
            check_exact(self.game, self.exact)
        elif not 0 <= self.exact <= self.game.n_squares:
            raise UserError(
                f"The option exact must be 0 to {self.game.n_squares} empty squares, 0 for never, not {self.exact}."
            )

    @property
    def _limits(self) -> Limits:
        return limits_of(self.depth, self.nodes, self.seconds, _PLIES)

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        inside = _Inside(self.game, self.evaluator, self._limits, self.exact)
        if self.seconds is None:
            return ExactEndings(self.game, inside, self.exact).choose(states, rng)
        half = 0.5 * self.seconds
        late = replace(inside, limits=replace(self._limits, seconds=half), exact=0)
        return ExactEndings(self.game, inside, self.exact, seconds=half, late=late).choose(states, rng)


@dataclass(frozen=True)
class _Inside:
    """The lookahead from positions that are not solved themselves."""

    game: Game
    evaluator: Evaluator
    limits: Limits
    exact: int
    name: ClassVar[str] = "lookahead"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        game, judge = self.game, judge_of(self.evaluator)
        if judge is not None:
            best = best_actions(game, judge, states, self.limits, exact=self.exact if game.fills else 0)
            # Ends are worth the more the sooner they come.
            return Choice(drawn_from(best.actions, rng), values=np.clip(best.values, -1.0, 1.0))
        allowed = np.zeros((len(states), game.n_actions), np.bool_)
        found = batched.best_actions(game, self.evaluator, states, self.limits, self.exact, rng)
        for row, actions in enumerate(found):
            allowed[row, actions] = True
        return Choice(drawn_from(allowed, rng))
