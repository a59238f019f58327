"""A record that was pasted or typed: a transcript, SGF or GGF, recognized by its beginning."""

import re

from randori.core.game import Game
from randori.core.notation import parse_transcript
from randori.errors import UserError
from randori.formats.game_record import GameRecord
from randori.formats.ggf import parse_ggf
from randori.formats.positions import parse_position
from randori.formats.sgf import parse_sgf, parse_sgf_study
from randori.formats.study import Growing, Study, parse_study_text

_NAMED_GAME = re.compile(r"GM\s*\[\s*[A-Za-z]")
"""GGF calls the game by its name, SGF by a number."""


def parse_pasted(game: Game, text: str) -> GameRecord:
    """The first game of the text, from the usual position. Raises UserError that says what is wrong with it."""
    text = text.strip()
    if not text.startswith("("):
        return GameRecord(tuple(int(it) for it in parse_transcript(game, text)))
    records = (parse_ggf if _NAMED_GAME.search(text) else parse_sgf)(game, text)
    if not records:
        raise UserError("There is no game in this record.")
    return from_the_start(records[0])


def parse_study(game: Game, text: str) -> Study:
    """The first game of the text with its variations, from whatever position; or a position alone. Raises UserError."""
    text = text.strip()
    if not text.startswith("("):
        return parse_study_text(game, text)
    if not _NAMED_GAME.search(text):
        return parse_sgf_study(game, text)
    record = parse_ggf(game, text)[0]
    growing = Growing(game, None if record.start is None else parse_position(game, record.start))
    growing.add_all(record.actions)
    return growing.study


def from_the_start(record: GameRecord) -> GameRecord:
    """The same record. Raises UserError where it begins from a position of its own."""
    if record.start is not None:
        raise UserError("This game starts from a set-up position; only games from the usual start can be reviewed.")
    return record
