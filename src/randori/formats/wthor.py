"""WTHOR, the database of the French Othello federation: files `.wtb` of all tournament games of a year.

Little-endian. Header of 16 bytes: century, year, month, day (u8 each), games (u32), records (u16), year of the games
(u16), board size (u8, 0 for 8), type, depth, reserved (u8 each). Then 68 bytes per game: tournament, black, white (u16
each), score of Black (u8, empty squares are the winner's), theoretical score (u8), 60 moves (u8) as 10 * row + column,
counted from 1, and 0 after the end. Passes are not written.
"""

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Game
from randori.errors import UserError
from randori.formats.game_record import GameRecord, check_count, outcome_of, with_passes

_HEADER = np.dtype(
    [
        ("date", "u1", 4),
        ("games", "<u4"),
        ("records", "<u2"),
        ("year", "<u2"),
        ("size", "u1"),
        ("kind", "u1"),
        ("depth", "u1"),
        ("reserved", "u1"),
    ]
)
_GAME = np.dtype(
    [
        ("tournament", "<u2"),
        ("black", "<u2"),
        ("white", "<u2"),
        ("score", "u1"),
        ("theoretical", "u1"),
        ("moves", "u1", 60),
    ]
)
# The names that belong to the numbers stand in files of their own: 20 bytes a player, 26 a tournament.
_NAME_BYTES = {"JOU": 20, "TRN": 26}


def parse_wthor(
    game: Game, data: bytes, players: list[str] | None = None, tournaments: list[str] | None = None
) -> list[GameRecord]:
    """The games of a `.wtb` file; numbers stand for the names unless the lists of names are given."""
    header, games = _tables(data, _GAME)
    check_count(len(games))
    size = int(header["size"]) or 8
    if not game.knowledge.files.wthor or size != game.shape[0]:
        raise UserError(
            f"WTHOR files can only be read as othello8; this one has a {size}x{size} board and was opened for {game.name}."
        )
    rows, columns = games["moves"] // 10, games["moves"] % 10
    inside = (rows >= 1) & (rows <= size) & (columns >= 1) & (columns <= size)
    if (~inside & (games["moves"] != 0)).any():
        raise UserError("The file is damaged: it holds squares outside the board.")
    # What follows the first 0 is not played.
    played = np.logical_and.accumulate(inside, axis=1)
    squares = np.where(played, (rows.astype(np.int16) - 1) * size + columns - 1, -1).astype(np.int16)
    lines = with_passes(game, squares)
    date = str(header["year"])
    records = []
    for it, line in zip(games, lines, strict=True):
        margin = 2.0 * float(it["score"]) - size * size
        records.append(
            GameRecord(
                tuple(int(action) for action in line if action >= 0),
                _name(players, int(it["black"])),
                _name(players, int(it["white"])),
                _name(tournaments, int(it["tournament"])),
                date,
                outcome_of(margin),
                margin,
            )
        )
    return records


def parse_names(data: bytes, suffix: str) -> list[str]:
    """The names in `WTHOR.JOU`, players, or `WTHOR.TRN`, tournaments; the suffix tells which."""
    header = _header(data)
    width = _NAME_BYTES[suffix.upper().lstrip(".")]
    names = data[_HEADER.itemsize :]
    if len(names) < width * int(header["records"]):
        raise UserError(f"The file of names is damaged: it ends before its {int(header['records'])} names do.")
    starts = range(0, width * int(header["records"]), width)
    return [names[start : start + width].split(b"\0")[0].decode("latin-1").strip() for start in starts]


def _header(data: bytes) -> np.void:
    if len(data) < _HEADER.itemsize:
        raise UserError("The file is not a WTHOR file: it is shorter than a header.")
    header: np.void = np.frombuffer(data, _HEADER, 1)[0]
    return header


def _tables(data: bytes, row: np.dtype[np.void]) -> tuple[np.void, NDArray[np.void]]:
    header = _header(data)
    expected = _HEADER.itemsize + row.itemsize * int(header["games"])
    if len(data) != expected:
        raise UserError(
            f"The file is damaged or not a WTHOR file: its header promises {expected} bytes, it has {len(data)}."
        )
    return header, np.frombuffer(data, row, offset=_HEADER.itemsize)


def _name(names: list[str] | None, number: int) -> str:
    return names[number] if names is not None and number < len(names) else f"#{number}"
