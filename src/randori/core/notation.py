"""Positions and games as people write them: move names, transcripts, boards of letters."""

import re
import string

import numpy as np

from randori.core.game import Actions, Game, States
from randori.core.layout import PASS, Columns
from randori.errors import UserError

_PASSES = {PASS, "pa", "ps", "--"}
_NUMBERING = re.compile(r"\b\d+\.(?!\d)")


def action_of(game: Game, name: str) -> int | None:
    """The action that a move name means, or None; upper case and the usual spellings of a pass are understood."""
    word = PASS if name.lower() in _PASSES else re.sub(r"[\s-]|(?<=\d)x", "", name.lower())
    return game.move_names.index(word) if word in game.move_names else None


def parse_transcript(game: Game, text: str) -> Actions:
    """The actions of a transcript such as `f5d6c3`, `4453` or `h8 i9`.

    Passes may be left out, as is the custom in Othello. Raises UserError that says which move is wrong and why.
    """
    actions: list[int] = []
    state = game.start(1)
    for number, token in enumerate(tokens(game, text), start=1):
        for action in read_move(game, state, token, number):
            actions.append(action)
            state = game.play(state, [action])
    return np.array(actions, np.int16)


def read_move(game: Game, state: States, token: str, number: int) -> tuple[int, ...]:
    """What a word means in a position, `[1, words]`: an action, or the pass that was left out and an action.

    Raises UserError that says what is wrong with it, the move of that `number`.
    """
    legal = game.legal(state)[0]
    if not legal.any():
        raise UserError(f"Move {number}, '{token}', comes after the game is over.")
    action = action_of(game, token)
    if action is None:
        raise UserError(f"Move {number}, '{token}', is not a move of {game.title}; moves look like '{_example(game)}'.")
    if legal[action]:
        return (action,)
    passing = game.pass_action
    if passing is not None and legal[passing] and game.legal(game.play(state, [passing]))[0][action]:
        return passing, action
    raise UserError(f"Move {number}, '{token}', is not legal there.")


def tokens(game: Game, text: str) -> list[str]:
    """What may be moves, one by one; a sign that belongs to none is one by itself."""
    pattern = rf"pass|pa|ps|--|{game.layout.token}|\S"
    return re.findall(pattern, _NUMBERING.sub(" ", text), re.IGNORECASE)


def transcript(game: Game, actions: Actions) -> str:
    """The moves of one game without spaces; passes are left out, and the padding of a record is."""
    names = (game.move_names[action] for action in actions if action >= 0)
    return "".join(name for name in names if name != PASS)


def board_text(game: Game, state: States, ply: int) -> str:
    """The board as letters with its coordinates: X began, O followed; `ply` tells whose view the state is.

    Rows of hexagons each begin half a hexagon further right than the one above, so the columns are named below as well.
    """
    mine, theirs = ("X", "O") if ply % 2 == 0 else ("O", "X")
    height, width = game.shape
    by_column = isinstance(game.layout, Columns)
    lean = game.knowledge.look.kind == "hexagons"
    columns = game.move_names if by_column else string.ascii_lowercase[:width]
    lines = ["   " + " ".join(columns)]
    letters = {1: mine, -1: theirs, 0: "."}
    for r, row in enumerate(game.cells(state.reshape(1, -1))[0]):
        number = r + 1 if game.rows_from == "top" else height - r
        label = "  " if by_column else f"{number:2}"
        lines.append(" " * (r * lean) + f"{label} " + " ".join(letters[int(cell)] for cell in row))
    if lean:
        lines.append(" " * height + lines[0])
    return "\n".join(lines)


def _example(game: Game) -> str:
    return game.move_names[game.n_actions // 2]
