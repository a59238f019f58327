"""`randori review`."""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from randori.app.flags import GameFlag, JsonFlag
from randori.app.terminal import percent, print_json, progress
from randori.core.game import Game
from randori.errors import UserError
from randori.formats import SUFFIXES, GameRecord, from_the_start, parse_pasted, read_records
from randori.games import game as game_named
from randori.review import PHASES, Review
from randori.review import progress as ever_more
from randori.review.summary import summary
from randori.review.words import line_of, sentences

RecordFlag = Annotated[
    tuple[str, ...],
    Positional,
    arg(
        metavar="FILE|MOVES",
        help=f"A file of records ({', '.join(SUFFIXES)}), or moves such as `f5d6c3` or `4453`.",
        help_behavior_hint="",
    ),
]


def review(
    record: RecordFlag, game: GameFlag, number: Annotated[int, arg(metavar="N")] = 1, json: JsonFlag = False
) -> None:
    """Shows what each move of a game cost: mistakes with the better move and its line, and how well both sides played.

    Chances are exact where the solver can reach; elsewhere they come from the strongest player of the zoo that searches.

    Args:
        number: Which game of the file.
    """
    rules = game_named(game)
    actions = _record(rules, record, number).actions
    with progress(len(actions), "moves", "reviewing") as advance:
        n_done = 0
        for found in ever_more(rules, actions):
            advance(found.n_closely - n_done)
            n_done = found.n_closely
    if json:
        print_json(summary(found))
    else:
        _print(found)


def _record(game: Game, record: tuple[str, ...], number: int) -> GameRecord:
    path = Path(record[0]) if len(record) == 1 else None
    if path is None or path.suffix.lower() not in SUFFIXES:
        return parse_pasted(game, " ".join(record))
    records = read_records(path, game)
    if not 1 <= number <= len(records):
        raise UserError(f"'{path}' holds {len(records)} games; there is no game {number}.")
    return from_the_start(records[number - 1])


def _print(found: Review) -> None:
    game, sides = found.game, [it.capitalize() for it in found.game.knowledge.look.sides]
    for it in found.marked:
        print(f"{it.ply + 1:3}. {sentences(game, it, sides[it.seat])}")
        print(f"     {line_of(game, it)}")
    if not found.marked:
        print("No mistakes.")
    for seat, side in enumerate(sides):
        accuracy = found.accuracy(seat)
        phases = [
            f"{name} {percent(share)}" for name, share in zip(PHASES, accuracy.phases, strict=True) if share is not None
        ]
        if accuracy.overall is not None:
            print(f"{side}: accuracy {percent(accuracy.overall)} ({', '.join(phases)})")
