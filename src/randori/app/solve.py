"""`randori solve` and `randori accuracy`."""

import math
import sys
from contextlib import suppress
from typing import Annotated, Any

from rich.console import Console
from tyro.conf import Positional, arg

from randori.app.flags import GameFlag, JsonFlag, PlayerFlag, SeedFlag
from randori.app.terminal import percent, print_json, progress
from randori.errors import UserError
from randori.experiments.accuracy import N_POSITIONS, measure_accuracy, prepare_exam
from randori.game import LOSS, WIN, Game, States
from randori.games import game as game_named
from randori.notation import board_text, parse_transcript, replay_to_end
from randori.players import player as player_named
from randori.solve import Solution, Solver, expected_seconds

_PATIENCE = 60.0  # seconds, where no limit is given
_FIRST_TRY = 3.0  # seconds before it is asked how long it will take
_PATIENCE_AT_MOST = 600.0  # since an expectation may be wrong
_DAY = 86400.0


def solve(
    game: GameFlag,
    moves: Annotated[tuple[str, ...], Positional, arg(metavar="MOVES", help="Such as `f5d6c3` or `4453`.")] = (),
    seconds: Annotated[
        float | None, arg(metavar="S", help_behavior_hint="(default: a minute if that is enough)")
    ] = None,
    memory: Annotated[int, arg(metavar="MB")] = 256,
    json: JsonFlag = False,
) -> None:
    """Exact value and best moves of the position after MOVES, for the side to move.

    Values are disc margins in Othello, elsewhere 1, 0, -1 for a win, draw or loss, with the plies to the end when
    winners hurry and losers delay. Ctrl-C shows what is known by then.

    Args:
        seconds: Stop after so long and show what is known.
        memory: Megabytes of the table of positions, at most.
    """
    if seconds is not None and not seconds > 0:
        raise UserError(f"A limit is a positive number of seconds, not {seconds:g}.")
    rules = game_named(game)
    actions = parse_transcript(rules, " ".join(moves))
    state = replay_to_end(rules, actions)
    solver = Solver(rules, memory)
    found = _solve(solver, state, seconds)
    if json:
        print_json(_summary(rules, found, solver))
    else:
        print(board_text(rules, state[0], len(actions)))
        print(f"{'OX'[len(actions) % 2 == 0]} to move: {_in_words(rules, found)}.")
        print(
            f"{found.nodes:,} nodes in {found.seconds:.2f} s, {found.nodes_a_second:,.0f} a second; "
            f"{solver.megabytes:.0f} MB."
        )
    if not found.complete:
        print("randori: Stopped before it was solved; --seconds gives it more time.", file=sys.stderr)
        sys.exit(1)


def _solve(solver: Solver, state: States, seconds: float | None) -> Solution:
    """The solution, or what is known of it at the limit or at Ctrl-C."""
    limit = math.inf if seconds is None else seconds
    expected = None if seconds is None else seconds
    found = None
    with suppress(KeyboardInterrupt), Console(stderr=True).status("solving") as status:
        for found in solver.approach(state):
            status.update(f"solving: {found.nodes:,} nodes in {found.seconds:.0f} s, {_in_words(solver.game, found)}")
            if expected is None and found.seconds > _FIRST_TRY:
                expected = expected_seconds(solver.game, state)
                _refuse_beyond_patience(solver.game, expected)
                limit = _PATIENCE_AT_MOST
            if found.seconds >= limit:
                break
    if found is None:
        raise KeyboardInterrupt
    return found


def _refuse_beyond_patience(game: Game, expected: float) -> None:
    if expected > _PATIENCE:
        raise UserError(
            f"This position of {game.title} is too deep to be solved at once: it may take {_duration(expected)}; "
            f"--seconds {60 if expected > _DAY else math.ceil(expected)} lets it try, and shows what it knows by then."
        )


def _duration(seconds: float) -> str:
    for name, length in (("year", 365 * _DAY), ("day", _DAY), ("hour", 3600.0), ("minute", 60.0)):
        if seconds >= 2 * length:
            return f"about {seconds / length:.0f} {name}s" if seconds < 1e4 * _DAY else "longer than a life"
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
    if found.value is None:
        known = (
            f"margin {found.lower} to {found.upper}"
            if found.plies is None
            else f"nothing forced in {found.plies - 1} plies"
        )
        return f"not solved, {known}" + (f", {names} so far" if names else "")
    verb = {WIN: "wins", LOSS: "loses"}.get((found.value > 0) - (found.value < 0), "draws")
    by = f" by {abs(found.value)}" if found.plies is None and found.value else ""
    after = (
        f" in {found.plies} {'ply' if found.plies == 1 else 'plies'}" if found.plies is not None and found.value else ""
    )
    return f"{verb}{by}{after} with {names}" + ("" if found.complete else " so far")


def accuracy(
    player: PlayerFlag,
    game: GameFlag,
    positions: Annotated[
        int | None, arg(metavar="N", help_behavior_hint=f"(default: {N_POSITIONS}; all of Tic-Tac-Toe)")
    ] = None,
    seed: SeedFlag = 0,
    json: JsonFlag = False,
) -> None:
    """Share of a player's moves that keep the exact value of the game.

    Asked are every position of Tic-Tac-Toe, the middle game of Connect Four (plies 14 to 30) and Othello endings (up to
    12 empty squares), the random ones without a win at once. Positions where every move keeps the value are not counted.

    Args:
        positions: How many positions.
    """
    rules = game_named(game)
    asked = player_named(player, rules)
    total = positions or N_POSITIONS
    with progress(total, "positions solved") as advance:
        exam = prepare_exam(rules, positions, seed, advance)
    with progress(len(exam.states), "moves") as advance:
        measured = measure_accuracy(asked, exam, seed, advance)
    if json:
        print_json({**measured.summary(), "seed": seed})
        return
    low, high = measured.interval
    print(f"{measured.player}, {rules.title}: {measured.kept} of {measured.positions} moves keep the value,")
    print(f"  {percent(measured.share)}, 95 % interval {percent(low)} to {percent(high)}")
    print(f"  ({measured.alike} positions where every move keeps it are left out)")
