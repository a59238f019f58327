"""Squares as other programs write them: SGF letters, GTP vertices, Gomocup coordinates."""

import re
import string
from typing import Literal

from randori.core.game import Game
from randori.core.layout import Squares
from randori.core.notation import action_of

Coordinates = Literal["board", "go"]
"""`board`: the move names of the game; `go`: rows from the bottom, columns without the letter I."""

_GO_LETTERS = string.ascii_lowercase.replace("i", "")
_VERTEX = re.compile(r"([a-z])(\d{1,2})", re.IGNORECASE)


def has_vertices(game: Game) -> bool:
    """Whether an action is a square, so that Go's way to write squares can be used."""
    return isinstance(game.layout, Squares)


def vertex(game: Game, action: int, coordinates: Coordinates) -> str:
    """The move in the Go Text Protocol."""
    if coordinates == "board" or action == game.pass_action:
        return game.move_names[action]
    row, column = divmod(action, game.shape[1])
    return f"{_GO_LETTERS[column]}{game.shape[0] - row}"


def action_of_vertex(game: Game, text: str, coordinates: Coordinates) -> int | None:
    """The action of a move in the Go Text Protocol, or None if it is not a move."""
    if coordinates == "board" or text.lower() == "pass":
        return action_of(game, text)
    match = _VERTEX.fullmatch(text)
    letter = match[1].lower() if match else "i"
    if match is None or letter not in _GO_LETTERS:
        return None
    return action_at(game, _GO_LETTERS.index(letter), game.shape[0] - int(match[2]))


def action_at(game: Game, column: int, row: int) -> int | None:
    """The action that places a stone on a square, counted from the top left, or None outside the board."""
    height, width = game.shape
    return row * width + column if 0 <= column < width and 0 <= row < height else None


def sgf_point(game: Game, action: int) -> str:
    """Column and row as letters from the top left, or the name of the move where SGF has it so; nothing for a pass."""
    if action == game.pass_action:
        return ""
    if game.knowledge.files.sgf_names:
        return game.move_names[action]
    row, column = divmod(action, game.shape[1])
    return string.ascii_lowercase[column] + string.ascii_lowercase[row]


def action_of_sgf(game: Game, text: str) -> int | None:
    """Understands also move names such as `f5` and `PA`, which some Othello programs write."""
    letters = text.lower()
    if game.pass_action is not None and letters in ("", "pa", "ps"):
        return game.pass_action
    if len(letters) == 2 and all(it in string.ascii_lowercase for it in letters):
        return action_at(game, *(string.ascii_lowercase.index(it) for it in letters))
    return action_of(game, text)
