"""Files of records, recognized by their suffix."""

from collections.abc import Callable, Sequence
from os.path import isfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from randori.core.game import Actions, Game
from randori.core.notation import parse_transcript, transcript
from randori.errors import UserError
from randori.formats.game_record import GameRecord, check_count, openings_of
from randori.formats.ggf import parse_ggf, write_ggf
from randori.formats.sgf import parse_sgf, write_sgf
from randori.formats.wthor import parse_names, parse_wthor
from randori.reading import read_bytes

_MOST_BYTES = 64 * 1024**2


class Format(NamedTuple):
    """How a kind of file is read and written."""

    summary: str
    read: Callable[[Game, str], list[GameRecord]]
    write: Callable[[Game, list[GameRecord]], str]


def parse_transcripts(game: Game, text: str) -> list[GameRecord]:
    """One game a line; `#` begins a comment."""
    records: list[GameRecord] = []
    for number, line in enumerate(text.splitlines(), start=1):
        moves = line.partition("#")[0].strip()
        if moves:
            check_count(len(records))
            try:
                records.append(GameRecord(tuple(parse_transcript(game, moves).tolist())))
            except UserError as error:
                raise UserError(f"Line {number}: {error}") from None
    return records


def write_transcripts(game: Game, records: list[GameRecord]) -> str:
    if any(it.start is not None for it in records):
        raise UserError("A transcript cannot hold games that start from a set-up position; write SGF or GGF.")
    return "".join(transcript(game, np.array(it.actions, np.int16)) + "\n" for it in records)


_FORMATS = {
    ".txt": Format("transcripts, one game a line", parse_transcripts, write_transcripts),
    ".sgf": Format("Smart Game Format: Othello, Gomoku", parse_sgf, write_sgf),
    ".ggf": Format("Generic Game Format: Othello", parse_ggf, write_ggf),
}
SUFFIXES = (*_FORMATS, ".wtb")
"""The files that can be read; `.wtb`, WTHOR, cannot be written."""


def read_records(path: Path, game: Game) -> list[GameRecord]:
    """The games of a file. For a `.wtb` file, `WTHOR.JOU` and `WTHOR.TRN` beside it give the names, if they exist."""
    if path.suffix.lower() not in SUFFIXES:
        raise UserError(f"'{path}' is not a file of records; their names end with {', '.join(SUFFIXES)}.")
    try:
        data = read_bytes(path, _MOST_BYTES)
        if path.suffix.lower() == ".wtb":
            return parse_wthor(game, data, *(_names(path, suffix) for suffix in ("JOU", "TRN")))
        return _FORMATS[path.suffix.lower()].read(game, data.decode("utf-8-sig", "replace"))
    except UserError as error:
        named = str(path) in str(error)
        raise UserError(str(error) if named else f"'{path}': {error}") from None


def read_book(book: Path | str | Sequence[str], game: Game, plies: int | None = None) -> Actions:
    """The openings of a file of records, or of transcripts one by one: whole lines, or the first `plies` of each."""
    if isinstance(book, Path | str):
        return openings_of(game, read_records(Path(book), game), plies)
    return openings_of(game, parse_transcripts(game, "\n".join(book)), plies)


def write_records(path: Path, game: Game, records: list[GameRecord]) -> None:
    if path.suffix.lower() not in _FORMATS:
        raise UserError(f"'{path}' cannot be written: choose a name that ends with {', '.join(_FORMATS)}.")
    text = _FORMATS[path.suffix.lower()].write(game, records)
    path.write_bytes(text.encode("utf-8", "replace"))


def _names(path: Path, suffix: str) -> list[str] | None:
    beside = path.with_name(f"WTHOR.{suffix}")
    return parse_names(read_bytes(beside, _MOST_BYTES), suffix) if isfile(beside) else None
