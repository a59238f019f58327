"""The exact answer to a position within a limit: stored outcomes first, then the solver as long as it may take."""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np

from randori.core.game import DRAW, WIN, Game, States
from randori.errors import UserError, duration
from randori.search.effort import expected_seconds
from randori.search.first_plies import early_outcome
from randori.search.repertoire import repertoire
from randori.search.solver import Solution, Solver

_GLANCE = 0.3  # seconds for a position whose outcome is known
_FIRST_TRY = 3.0  # seconds before anybody asks how long it will take
_PATIENCE = 60.0  # seconds that it may be expected to take, where no limit is given
_LONGEST = 600.0  # seconds in that case, since expectations err
_DAY = 86400.0


def answer(
    solver: Solver, state: States, seconds: float | None = None, show: Callable[[Solution], None] = lambda found: None
) -> tuple[Solution, bool]:
    """What is known of a position at the limit or at Ctrl-C, and whether the outcome is stored.

    Without a limit a stored outcome is answered at once, and a position that would take more than a minute is refused:
    UserError says how long it may take.
    """
    if seconds is not None and not seconds > 0:
        raise UserError(f"The limit must be a positive number of seconds, not {seconds:g}.")
    stored = _stored(solver, state)
    found = _solve(solver, state, _GLANCE if seconds is None and stored is not None else seconds, show)
    if stored is not None and not found.complete:
        found = replace(stored, best=stored.best or found.best, nodes=found.nodes, seconds=found.seconds)
    return found, stored is not None


def _stored(solver: Solver, state: States) -> Solution | None:
    """The outcome and the actions that keep it, or in a lost position the repertoire's if it has one, where they are stored."""
    known = repertoire(solver.game)
    kept = None if known is None else known.find(state)[0]
    outcome = early_outcome(solver.game, state)
    best: tuple[int, ...] = ()
    if outcome in (WIN, DRAW):
        best = tuple(int(action) for action in np.flatnonzero(solver.keeping(state)[0]))
    elif kept is not None:
        outcome, best = kept.outcome, (kept.action,)
    if outcome is None:
        return None
    return Solution(outcome, outcome, None, best, complete=False, nodes=0, seconds=0.0)


def _solve(solver: Solver, state: States, limit: float | None, show: Callable[[Solution], None]) -> Solution:
    found = None
    with suppress(KeyboardInterrupt):
        for found in solver.approach(state):
            show(found)
            if limit is None and found.seconds > _FIRST_TRY:
                _refuse_if_hopeless(solver.game, state)
                limit = _LONGEST
            if limit is not None and found.seconds >= limit:
                break
    if found is None:
        raise KeyboardInterrupt
    return found


def _refuse_if_hopeless(game: Game, state: States) -> None:
    expected = expected_seconds(game, state)
    if expected > _PATIENCE:
        tried = math.ceil(expected) if expected < _DAY else round(_PATIENCE)
        raise UserError(
            f"This position of {game.title} is too deep to be solved at once: it may take {duration(expected)}; "
            f"with --seconds {tried} it tries for so long and shows what it then knows."
        )
