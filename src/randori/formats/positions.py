"""Positions in one line: the squares row by row and who is to move; test lines with the values of moves (OBF)."""

import re
from functools import cache
from typing import NamedTuple

import numpy as np

from randori.core.game import Game, States
from randori.core.notation import action_of
from randori.errors import UserError

_CELLS = {"x": 1, "*": 1, "b": 1, "o": -1, "w": -1, "-": 0, ".": 0, "_": 0}
_VALUE = re.compile(r"(pass|pa|ps|--|[a-z]\d{1,2})\s*:\s*([+-]?[0-9]{1,4})(?![0-9])", re.IGNORECASE)


class Position(NamedTuple):
    """A position, `[1, words]`, seen by the side to move, and whether that is the one that began (X, Black)."""

    state: States
    first_to_move: bool


class Problem(NamedTuple):
    """A position with the known values of its moves: the final margin for the side to move, by action."""

    position: Position
    values: dict[int, int]


def parse_position(game: Game, text: str) -> Position:
    """Reads `---...OX...--- X`: `X` and `*` began, `O` followed, `-` is empty; at the end comes who is to move."""
    squares = "".join(text.split())
    size = game.shape[0] * game.shape[1]
    side = squares[size:].lower()
    if len(squares) != size + 1 or not set(squares.lower()) <= set(_CELLS) or _CELLS[side] == 0:
        raise UserError(
            f"A position of {game.title} is {size} characters X, O or - and then X or O for the side to move, "
            f"not '{text.strip()[:100]}'."
        )
    cells = np.array([_CELLS[it] for it in squares[:size].lower()], np.int8).reshape(1, *game.shape)
    return Position(game.from_cells(cells * np.int8(_CELLS[side])), _CELLS[side] == 1)


def position_text(game: Game, state: States, first_to_move: bool) -> str:
    """The line that `parse_position` reads, with X for the side that began."""
    mine, theirs = ("X", "O") if first_to_move else ("O", "X")
    letters = {1: mine, -1: theirs, 0: "-"}
    return "".join(letters[int(cell)] for cell in game.cells(state).reshape(-1)) + f" {mine}"


@cache
def start_text(game: Game) -> str:
    """The usual first position in one line."""
    return position_text(game, game.start(1), True)


def parse_obf(game: Game, text: str) -> list[Problem]:
    """The lines of a test file such as `---...--- X; G8:+18; H1:+12;`; `%` and `#` begin a comment."""
    problems = []
    for number, line in enumerate(text.splitlines(), start=1):
        written = re.split("[%#]", line, maxsplit=1)[0].strip()
        if not written:
            continue
        board, *rest = written.split(";")
        values = {}
        for name, value in _VALUE.findall(";".join(rest)):
            action = action_of(game, name)
            if action is None:
                raise UserError(f"Line {number} gives a value to '{name}', which is not a move of {game.title}.")
            values[action] = int(value)
        problems.append(Problem(parse_position(game, board), values))
    return problems
