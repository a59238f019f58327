"""`randori accuracy`."""

from typing import Annotated

from tyro.conf import arg

from randori.app.flags import JsonFlag, PlayerFlag, PlayersGameFlag, RayFlag, SeedFlag, WorkersFlag
from randori.app.terminal import percent, print_json, print_next, progress
from randori.experiments.accuracy import N_POSITIONS, measure_accuracy, prepare_exam
from randori.players import game_for
from randori.players import player as player_named
from randori.workers import Workers

PositionsFlag = Annotated[
    int | None, arg(metavar="N", help_behavior_hint=f"(default: {N_POSITIONS}, or all if the game has few)")
]


LeftFlag = Annotated[
    tuple[int, int] | None, arg(metavar="LEAST MOST", help_behavior_hint="(default: as the game suggests)")
]


def accuracy(
    player: PlayerFlag,
    game: PlayersGameFlag = None,
    positions: PositionsFlag = None,
    left: LeftFlag = None,
    seed: SeedFlag = 0,
    workers: WorkersFlag = None,
    ray: RayFlag = None,
    json: JsonFlag = False,
) -> None:
    """Measures how many of a player's moves keep the exact value of the game.

    In a game as small as Tic-Tac-Toe the player moves in every position. In larger games it gets random positions that
    can be solved at once and have no win in one move: in Connect Four after 14 to 30 plies, in Othello with 6 to 12 empty
    squares. Positions where every move keeps the value do not count. Connect Four is known from the first move on, so
    `--left 29 42` tests its openings.

    Args:
        positions: How many positions.
        left: Only positions with this many moves left.
    """
    rules = game_for([player], game)
    examinee = player_named(player, rules)
    with progress(positions or N_POSITIONS, "positions", "solving positions") as advance:
        exam = prepare_exam(rules, positions, seed, advance, left)
    with Workers(workers, ray=ray) as staff, progress(len(exam.states), "moves", f"asking {player}") as advance:
        measured = measure_accuracy(examinee, exam, seed, advance, staff)
    if json:
        print_json({**measured.summary(), "seed": seed})
        return
    low, high = measured.interval
    print(f"{measured.player}, {rules.title}: {measured.kept} of {measured.positions} moves keep the value,")
    print(f"  {percent(measured.share)}, 95% interval {percent(low)} to {percent(high)}")
    print(f"  ({measured.alike} more positions do not count, since every move there keeps it)")
    print_next(["randori", "match", player, "random" if player == "heuristic" else "heuristic", "--game", rules.name])
