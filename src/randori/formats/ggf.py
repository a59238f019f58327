"""GGF, the Generic Game Format of the Othello servers: `(;GM[Othello]...BO[8 ... *]B[F5]W[D6]...;)`."""

import re
from collections.abc import Iterator

from randori.core.game import Game
from randori.core.notation import action_of
from randori.errors import UserError
from randori.formats.game_record import Ending, GameRecord, checked, outcome_of
from randori.formats.positions import parse_position, position_text, start_text

_END = re.compile(r";\s*\)")
_NAME = re.compile(r"[A-Z]+\s*$")
_RESULT = re.compile(r"([+-]?[0-9]{1,4}(?:\.[0-9]{1,9})?)(?::([rtsl]))?", re.IGNORECASE)
_ENDINGS: dict[str, Ending] = {"r": "resigned", "t": "time", "l": "time", "s": "agreed"}
_LETTERS: dict[Ending, str] = {"played": "", "resigned": ":r", "time": ":t", "agreed": ":s"}
_LONGEST_NAME = 20
# A closing bracket would end the value, and the format has no way to escape it.
_BRACKETS = str.maketrans("[]", "()")


def parse_ggf(game: Game, text: str) -> list[GameRecord]:
    """Every game of a file. Raises UserError that says what is wrong."""
    _check_known(game)
    found = [_properties_and_moves(body) for body in _bodies(text)]
    if not found and text.strip():
        raise UserError("The text holds no game in GGF: games look like (;GM[Othello]...;).")
    starts = [_start(game, properties) for properties, _ in found]
    lines = checked(game, [[_action(game, it) for it in moves] for _, moves in found], starts)
    return [
        _record(properties, actions, start)
        for (properties, _), actions, start in zip(found, lines, starts, strict=True)
    ]


def _bodies(text: str) -> Iterator[str]:
    """What stands between each `(;` and the next `;)`. Every character is looked at once, whatever the text."""
    place = 0
    while (begin := text.find("(;", place)) >= 0 and (end := _END.search(text, begin + 2)):
        yield text[begin + 2 : end.start()]
        place = end.end()


def _properties_and_moves(body: str) -> tuple[dict[str, str], list[str]]:
    """The properties of a game, and its moves in their order, each with what follows it: `F5/1.2/3`."""
    properties: dict[str, str] = {}
    moves = []
    for written in body.split("]")[:-1]:
        before, bracket, value = written.partition("[")
        named = _NAME.search(before[-_LONGEST_NAME:])
        if not bracket or named is None:
            continue
        name = named[0].strip()
        if name in ("B", "W"):
            moves.append(value.strip())
        else:
            properties[name] = value.strip()
    return properties, moves


def write_ggf(game: Game, records: list[GameRecord]) -> str:
    """One line a game."""
    _check_known(game)
    return "".join(_written(game, it) + "\n" for it in records)


def board_value(game: Game, position: str) -> str:
    """A line of `position_text` as the value of BO: size, squares with `*` for Black, the side to move."""
    return f"{game.shape[0]} {position.replace('X', '*')}"


def ggf_move(game: Game, action: int) -> str:
    return "PA" if action == game.pass_action else game.move_names[action].upper()


def _check_known(game: Game) -> None:
    if game.knowledge.files.ggf is None:
        raise UserError(f"GGF files hold games of Othello, not of {game.title}; use SGF or a transcript.")


def _action(game: Game, text: str) -> int:
    action = action_of(game, re.split(r"[/\s]", text)[0])
    if action is None:
        raise UserError(f"'{text}' in the GGF text is not a move of {game.title}.")
    return action


def _start(game: Game, properties: dict[str, str]) -> str | None:
    known = str(game.knowledge.files.ggf)
    if properties.get("GM", known).lower() != known.lower():
        raise UserError(f"The GGF text holds a game of {properties['GM']}, not of {known}.")
    if "BO" not in properties:
        return None
    size, _, squares = " ".join(properties["BO"].split()).partition(" ")
    if size != str(game.shape[0]):
        raise UserError(f"The GGF text holds a game on a board of size {size}, not {game.shape[0]}.")
    # Most games begin as usual, and to read a board takes longer than all their moves.
    if squares.replace("*", "X") == start_text(game):
        return None
    written = position_text(game, *parse_position(game, squares))
    return None if written == start_text(game) else written


def _record(properties: dict[str, str], actions: tuple[int, ...], start: str | None) -> GameRecord:
    result = _RESULT.match(properties.get("RE", ""))
    margin = float(result[1]) if result else None
    ending = _ENDINGS[result[2].lower()] if result and result[2] else "played"
    return GameRecord(
        actions,
        properties.get("PB", ""),
        properties.get("PW", ""),
        properties.get("PC", ""),
        properties.get("DT", ""),
        None if margin is None else outcome_of(margin),
        margin,
        ending,
        start,
    )


def _written(game: Game, it: GameRecord) -> str:
    start = it.start or start_text(game)
    margin = it.margin if it.margin is not None else it.outcome
    result = "?" if margin is None else f"{margin:+.2f}{_LETTERS[it.ending]}"
    head = [
        ("GM", str(game.knowledge.files.ggf)),
        ("PC", it.event),
        ("DT", it.date),
        ("PB", it.first),
        ("PW", it.second),
    ]
    head += [("TY", str(game.shape[0])), ("RE", result), ("BO", board_value(game, start))]
    text = "".join(f"{name}[{value.translate(_BRACKETS)}]" for name, value in head if value)
    colours = "BW" if start.endswith("X") else "WB"
    text += "".join(f"{colours[ply % 2]}[{ggf_move(game, action)}]" for ply, action in enumerate(it.actions))
    return f"(;{text};)"
