"""`randori solve`."""

import math
import sys
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from rich.console import Console
from tyro.conf import Positional, arg

from randori.app.flags import GameFlag, JsonFlag
from randori.app.terminal import print_json
from randori.core.game import DRAW, WIN, Game, States
from randori.core.notation import board_text, parse_transcript
from randori.core.replay import last_position
from randori.errors import UserError
from randori.games import game as game_named
from randori.search.effort import expected_seconds
from randori.search.first_plies import early_outcome
from randori.search.repertoire import repertoire
from randori.search.solver import Solution, Solver

_GLANCE = 0.3  # seconds for a position whose outcome is known
_FIRST_TRY = 3.0  # seconds before anybody asks how long it will take
_PATIENCE = 60.0  # seconds that it may be expected to take, where no limit is given
_LONGEST = 600.0  # seconds in that case, since expectations err
_DAY = 86400.0
_ASK_FURTHER = (
    "This is stored; --seconds S also looks for the moves that end the game soonest, or in a lost position latest."
)

MovesFlag = Annotated[
    tuple[str, ...],
    Positional,
    arg(
        metavar="[MOVES]",
        help="Such as `f5d6c3` or `4453`.",
        help_behavior_hint="(default: none, the start of the game)",
    ),
]
SecondsFlag = Annotated[float | None, arg(metavar="S", help_behavior_hint="(default: a minute if that is enough)")]


def solve(
    game: GameFlag,
    moves: MovesFlag = (),
    seconds: SecondsFlag = None,
    memory: Annotated[int, arg(metavar="MB")] = 256,
    json: JsonFlag = False,
) -> None:
    """Exact value and best moves of the position after MOVES, for the side to move.

    Values are margins in games that count, such as discs in Othello; elsewhere 1, 0, -1 for a win, draw or loss, with the
    plies to the end when winners hurry and losers delay. Ctrl-C shows what is known by then. Where the outcome of an early
    position is stored, it and the moves that keep it are shown at once; --seconds looks for the plies to the end.

    Args:
        seconds: Stop after so long and show what is known.
        memory: Megabytes of the table of positions, at most.
    """
    if seconds is not None and not seconds > 0:
        raise UserError(f"A limit is a positive number of seconds, not {seconds:g}.")
    rules = game_named(game)
    actions = parse_transcript(rules, " ".join(moves))
    state = last_position(rules, actions)
    solver = Solver(rules, memory)
    stored = _stored(solver, state)
    found = _solve(solver, state, _GLANCE if seconds is None and stored is not None else seconds)
    if stored is not None and not found.complete:
        found = replace(stored, best=stored.best or found.best, nodes=found.nodes, seconds=found.seconds)
    unfinished = not found.complete and (stored is None or seconds is not None)
    if json:
        print_json(_summary(rules, found, solver))
    else:
        side = "X" if len(actions) % 2 == 0 else "O"
        speed = f"{found.nodes:,} nodes in {found.seconds:.2f} s, {found.nodes_a_second:,.0f} per second"
        print(board_text(rules, state[0], len(actions)))
        print(f"{side} to move: {_in_words(rules, found, unfinished)}.")
        print(f"{speed}; {solver.megabytes:.0f} MB." if found.complete or unfinished else _ASK_FURTHER)
    if unfinished:
        print("randori: Stopped before it was solved; --seconds gives it more time.", file=sys.stderr)
        sys.exit(1)


def _stored(solver: Solver, state: States) -> Solution | None:
    """The outcome and the actions that keep it, or in a lost position the repertoire's if it has one, where they are stored."""
    known = repertoire(solver.game)
    answer = None if known is None else known.find(state)[0]
    outcome = early_outcome(solver.game, state)
    best: tuple[int, ...] = ()
    if outcome in (WIN, DRAW):
        best = tuple(int(action) for action in np.flatnonzero(solver.keeping(state)[0]))
    elif answer is not None:
        outcome, best = answer.outcome, (answer.action,)
    if outcome is None:
        return None
    return Solution(outcome, outcome, None, best, complete=False, nodes=0, seconds=0.0)


def _solve(solver: Solver, state: States, seconds: float | None) -> Solution:
    """The solution, or what is known of it at the limit or at Ctrl-C."""
    limit = seconds
    found = None
    with suppress(KeyboardInterrupt), Console(stderr=True).status("solving") as status:
        for found in solver.approach(state):
            words = _in_words(solver.game, found, unfinished=not found.complete)
            status.update(f"{found.nodes:,} nodes in {found.seconds:.0f} s: {words}")
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
            f"This position of {game.title} is too deep to be solved at once: it may take {_duration(expected)}; "
            f"with --seconds {tried} it tries for so long and shows what it then knows."
        )


def _duration(seconds: float) -> str:
    if seconds > 100 * 365 * _DAY:
        return "longer than a life"
    for name, length in (("years", 365 * _DAY), ("days", _DAY), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"about {seconds / length:.0f} {name}"
    return f"about {seconds:.0f} seconds"


def _summary(game: Game, found: Solution, solver: Solver) -> dict[str, Any]:
    return {
        "game": game.name,
        "value": found.value,
        "bounds": [found.lower, found.upper],
        "plies": found.plies,
        "best": [game.move_names[action] for action in found.best],
        "complete": found.complete,
        "nodes": found.nodes,
        "seconds": round(found.seconds, 4),
        "nodes_a_second": round(found.nodes_a_second),
        "megabytes": round(solver.megabytes, 1),
    }


def _in_words(game: Game, found: Solution, unfinished: bool) -> str:
    names = ", ".join(game.move_names[action] for action in found.best)
    counts = game.counts is not None
    if found.value is None:
        return f"not solved{_bounds(found, counts)}" + (f", {names} looks best" if names else "")
    verb = "draws" if found.value == 0 else "wins" if found.value > 0 else "loses"
    return f"{verb}{_manner(found, counts)} with {names}" + (" so far" if unfinished else "")


def _bounds(found: Solution, counts: bool) -> str:
    if counts:
        return f", the margin is {found.lower} to {found.upper}"
    # That nobody has won before the next ply goes without saying.
    return f", nobody can force an end in less than {found.plies} plies" if found.plies and found.plies > 1 else ""


def _manner(found: Solution, counts: bool) -> str:
    if found.value == 0:
        return ""
    if counts:
        return f" by {abs(found.value or 0)}"
    if found.plies is None:
        return ""
    least = "" if found.complete else "at least "
    return f" in {least}{found.plies} {'ply' if found.plies == 1 else 'plies'}"
