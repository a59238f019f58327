"""`randori convert`."""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from randori.app.flags import GameFlag, JsonFlag
from randori.app.terminal import print_json
from randori.formats import games_of, read_records, write_records
from randori.games import game as game_named


def convert(
    source: Annotated[Path, Positional, arg(metavar="FROM", help="A file of records: .txt, .sgf, .ggf or .wtb.")],
    target: Annotated[Path, Positional, arg(metavar="TO", help="The file to write: .txt, .sgf or .ggf.")],
    game: GameFlag,
    json: JsonFlag = False,
) -> None:
    """Converts game records from one file format to another, by their suffixes. Every move is checked."""
    rules = game_named(game)
    records = read_records(source, rules)
    write_records(target, rules, records)
    complete = len(games_of(rules, records))
    if json:
        print_json({"game": rules.name, "games": len(records), "complete": complete})
    else:
        print(f"{len(records)} games of {rules.title}, {complete} of them played to the end, written to {target}.")
