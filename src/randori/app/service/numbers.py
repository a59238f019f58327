"""What every move of a position is worth, by the judge of the review or by any player: found little by little."""

import time
from collections.abc import Iterator
from functools import lru_cache
from threading import get_ident
from typing import NamedTuple

import numpy as np

from randori.app.service.minds import Mind
from randori.core.game import Game, States
from randori.review import COARSE, FINE, Effort, Referee
from randori.search.candidates import candidates

_SECONDS_A_PIECE = 0.1
_CLOSELY = 6
"""The best moves, which are looked at closely; all of them where the solver reaches."""


class Number(NamedTuple):
    """Of one move, for the side that makes it."""

    chance: float | None = None
    """0 lost .. 1 won, of whoever estimates results."""
    margin: float | None = None
    """What the side will have more than the other in the end, where the game counts and somebody can say."""
    behind: float | None = None
    """Of players whose scores are not chances: how much less than the best."""
    exact: bool = False
    """Whether it is proved."""

    @property
    def order(self) -> tuple[float, float]:
        """The greatest is the best."""
        if self.behind is not None:
            return -self.behind, 0.0
        return self.chance or 0.0, self.margin or 0.0


Numbers = dict[int, Number]
"""By action; moves of which nothing is known yet are left out."""


def judged(game: Game, state: States) -> Iterator[Numbers]:
    """Ever more numbers of a position, `[1, words]`: a short look at all moves, then a long one at the best, or at all where
    the solver reaches. Moves that no search need look at, as the game says, have none.

    A piece takes about a tenth of a second, and the next may be made in another thread.
    """
    children = game.children(state)
    looked_at = candidates(game, state)[0]
    after = {int(it): children.states[i : i + 1] for i, it in enumerate(children.actions) if looked_at[it]}
    found: Numbers = {}
    shown = time.monotonic()
    for action, effort in _looks(game, after, found):
        found[action] = _look(game, after[action], effort)
        if time.monotonic() - shown > _SECONDS_A_PIECE:
            yield dict(found)
            shown = time.monotonic()
    yield dict(found)


def _looks(game: Game, after: dict[int, States], found: Numbers) -> Iterator[tuple[int, Effort]]:
    """Which move is looked at next, and with what effort."""
    for action in after:
        yield action, COARSE._replace(solver_nodes=0)
    ranked = sorted((it for it in after if not found[it].exact), key=lambda it: found[it].order, reverse=True)
    effort = FINE
    for place, action in enumerate(ranked):
        is_near = bool(effort.solver_nodes) and _referee(get_ident(), game).endings.is_near(after[action])
        if place < _CLOSELY or is_near:
            yield action, effort
            if is_near and not found[action].exact:
                effort = FINE._replace(solver_nodes=0)  # the others would take as long


def _look(game: Game, state: States, effort: Effort) -> Number:
    """At the position after a move."""
    worth = _referee(get_ident(), game).worth(state, effort)
    return Number(1 - worth.chance, None if worth.margin is None else -worth.margin, exact=worth.exact)


@lru_cache(maxsize=6)
def _referee(thread: int, game: Game) -> Referee:
    """A referee serves one thread, and its tables take up to 30 MB."""
    return Referee(game, FINE)


def numbers_of(mind: Mind) -> Numbers:
    """What a player says about single moves; nothing if it has no numbers."""
    if mind.values is not None:
        return {int(it): Number((1 + float(mind.values[it])) / 2) for it in np.flatnonzero(~np.isnan(mind.values))}
    if mind.behind is not None:
        return {int(it): Number(behind=float(mind.behind[it])) for it in np.flatnonzero(np.isfinite(mind.behind))}
    return {}
