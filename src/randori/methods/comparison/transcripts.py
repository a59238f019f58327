"""Games of people, or of anyone, to learn from."""

from pathlib import Path

import numpy as np

from randori.core.game import Game
from randori.core.notation import parse_transcript
from randori.core.record import Games, record
from randori.errors import UserError
from randori.reading import read_text


def read_record(game: Game, path: Path) -> Games:
    """The games of a file, one transcript per line. Raises UserError that names the line that is wrong."""
    try:
        lines = read_text(path).splitlines()
    except UserError as error:
        raise UserError(f"The record '{path}' cannot be read ({error}); give a text file of games.") from None
    actions = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            played = parse_transcript(game, line)
            record(game, played[None])
        except UserError as error:
            raise UserError(f"Line {number} of '{path}' is not a game of {game.title}: {error}") from None
        except ValueError:
            raise UserError(
                f"The game on line {number} of '{path}' is not over; leave out games without a winner."
            ) from None
        actions.append(played)
    if not actions:
        raise UserError(f"The record '{path}' is empty; give a file with one game a line.")
    longest = max(map(len, actions))
    return record(game, np.array([np.pad(it, (0, longest - len(it)), constant_values=-1) for it in actions], np.int16))
