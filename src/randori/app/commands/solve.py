"""`randori solve`."""

import math
import sys
from contextlib import suppress
from typing import Annotated, Any

from rich.console import Console
from tyro.conf import Positional, arg

from randori.app.flags import GameFlag, JsonFlag
from randori.app.terminal import print_json
from randori.core.game import Game, States
from randori.core.notation import board_text, parse_transcript
from randori.core.replay import last_position
from randori.errors import UserError
from randori.games import game as game_named
from randori.search.effort import expected_seconds
from randori.search.solver import Solution, Solver

_FIRST_TRY = 3.0  # seconds before anybody asks how long it will take
_PATIENCE = 60.0  # seconds that it may be expected to take, where no limit is given
_LONGEST = 600.0  # seconds in that case, since expectations err
_DAY = 86400.0

MovesFlag = Annotated[tuple[str, ...], Positional, arg(metavar="MOVES", help="Such as `f5d6c3` or `4453`.")]
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
    plies to the end when winners hurry and losers delay. Ctrl-C shows what is known by then.

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
    found = _solve(solver, state, seconds)
    if json:
        print_json(_summary(rules, found, solver))
    else:
        side = "X" if len(actions) % 2 == 0 else "O"
        speed = f"{found.nodes:,} nodes in {found.seconds:.2f} s, {found.nodes_a_second:,.0f} a second"
        print(board_text(rules, state[0], len(actions)))
        print(f"{side} to move: {_in_words(rules, found)}.")
        print(f"{speed}; {solver.megabytes:.0f} MB.")
    if not found.complete:
        print("randori: Stopped before it was solved; --seconds gives it more time.", file=sys.stderr)
        sys.exit(1)


def _solve(solver: Solver, state: States, seconds: float | None) -> Solution:
    """The solution, or what is known of it at the limit or at Ctrl-C."""
    limit = seconds
    found = None
    with suppress(KeyboardInterrupt), Console(stderr=True).status("solving") as status:
        for found in solver.approach(state):
            status.update(f"{found.nodes:,} nodes in {found.seconds:.0f} s: {_in_words(solver.game, found)}")
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


def _in_words(game: Game, found: Solution) -> str:
    names = ", ".join(game.move_names[action] for action in found.best)
    counts = game.counts is not None
    if found.value is None:
        bounds = f"the margin is {found.lower} to {found.upper}"
        known = bounds if counts else f"nobody can force an end in less than {found.plies} plies"
        return f"not solved, {known}" + (f", {names} looks best" if names else "")
    verb = "draws" if found.value == 0 else "wins" if found.value > 0 else "loses"
    length = f"{found.plies} {'ply' if found.plies == 1 else 'plies'}"
    manner = "" if found.value == 0 else f" by {abs(found.value)}" if counts else f" in {length}"
    return f"{verb}{manner} with {names}" + ("" if found.complete else " so far")
