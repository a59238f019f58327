"""`randori solve`."""

import sys
from typing import Annotated, Any

from rich.console import Console
from tyro.conf import Positional, arg

from randori.app.flags import GameFlag, JsonFlag
from randori.app.terminal import print_json
from randori.core.game import Game
from randori.core.notation import board_text, parse_transcript
from randori.core.replay import last_position
from randori.games import game as game_named
from randori.search.answering import answer
from randori.search.solver import Solution, Solver

_ASK_FURTHER = "This outcome is stored. --seconds S also looks for the moves that win soonest, or lose latest."

MovesFlag = Annotated[
    tuple[str, ...],
    Positional,
    arg(
        metavar="[MOVES]",
        help="Moves such as `f5d6c3` or `4453`.",
        help_behavior_hint="(default: none, the start of the game)",
    ),
]
SecondsFlag = Annotated[
    float | None,
    arg(metavar="S", help_behavior_hint="(default: no limit, but positions that need over a minute are refused)"),
]


def solve(
    game: GameFlag,
    moves: MovesFlag = (),
    seconds: SecondsFlag = None,
    memory: Annotated[int, arg(metavar="MB")] = 256,
    json: JsonFlag = False,
) -> None:
    """Solves the position after MOVES: its exact value for the side to move, and the best moves.

    In games that count something, such as discs in Othello, the value is the margin. In others it is 1, 0 or -1 for a win,
    draw or loss, with the number of plies left if the winner hurries and the loser delays. Ctrl-C shows what is known so
    far. If the outcome of an early position is stored, it is shown at once with the moves that keep it; --seconds then
    looks for the number of plies left.

    Args:
        seconds: Stop after this many seconds and show what is known.
        memory: Most megabytes for the table of positions.
    """
    rules = game_named(game)
    actions = parse_transcript(rules, " ".join(moves))
    state = last_position(rules, actions)
    solver = Solver(rules, memory)
    with Console(stderr=True).status("solving") as status:

        def show(found: Solution) -> None:
            words = _in_words(rules, found, unfinished=not found.complete)
            status.update(f"{found.nodes:,} nodes in {found.seconds:.0f} s: {words}")

        found, stored = answer(solver, state, seconds, show)
    unfinished = not found.complete and (not stored or seconds is not None)
    if json:
        print_json(_summary(rules, found, solver))
    else:
        side = "X" if len(actions) % 2 == 0 else "O"
        speed = f"{found.nodes:,} nodes in {found.seconds:.2f} s, {found.nodes_a_second:,.0f} per second"
        print(board_text(rules, state[0], len(actions)))
        print(f"{side} to move: {_in_words(rules, found, unfinished)}.")
        print(f"{speed}; {solver.megabytes:.0f} MB." if found.complete or unfinished else _ASK_FURTHER)
    if unfinished:
        print("randori: Stopped before the position was solved; --seconds gives more time.", file=sys.stderr)
        sys.exit(1)


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
