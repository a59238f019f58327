"""Positions and games as people write them: move names, transcripts, boards of letters."""

import re
import string

import numpy as np

from randori.errors import UserError
from randori.game import Actions, Game, States

_PASSES = {"pass", "pa", "ps", "--"}
_TOKEN = re.compile(r"pass|pa|ps|--|[a-z]\d{1,2}|\d|\S", re.IGNORECASE)
_NUMBERING = re.compile(r"\b\d+\.(?!\d)")


def action_of(game: Game, name: str) -> int | None:
    """The action that a move name means, or None; upper case and the usual spellings of a pass are understood."""
    word = "pass" if name.lower() in _PASSES else name.lower()
    return game.move_names.index(word) if word in game.move_names else None


def parse_transcript(game: Game, text: str) -> Actions:
    """The actions of a transcript such as `f5d6c3`, `4453` or `h8 i9`.

    Passes may be left out, as is the custom in Othello. Raises UserError that says which move is wrong and why.
    """
    actions: list[int] = []
    state = game.start(1)
    for number, token in enumerate(_TOKEN.findall(_NUMBERING.sub(" ", text)), start=1):
        legal = game.legal(state)[0]
        if not legal.any():
            raise UserError(f"Move {number}, '{token}', comes after the game is over.")
        action = action_of(game, token)
        if action is None:
            raise UserError(
                f"Move {number}, '{token}', is no move of {game.title}; moves look like '{_example(game)}'."
            )
        if not legal[action] and game.has_pass and legal[-1]:
            actions.append(game.n_actions - 1)
            state = game.play(state, [game.n_actions - 1])
            legal = game.legal(state)[0]
        if not legal[action]:
            raise UserError(f"Move {number}, '{token}', is not legal there.")
        actions.append(action)
        state = game.play(state, [action])
    return np.array(actions, np.int16)


def transcript(game: Game, actions: Actions) -> str:
    """The moves of one game without spaces; passes are left out, and the padding of a record is."""
    names = (game.move_names[action] for action in actions if action >= 0)
    return "".join(name for name in names if name != "pass")


def replay_to_end(game: Game, actions: Actions) -> States:
    """The position, `[1, words]`, after one game's actions."""
    state = game.start(1)
    for action in actions:
        state = game.play(state, [action])
    return state


def board_text(game: Game, state: States, ply: int) -> str:
    """The board as letters with its coordinates: X began, O followed; `ply` tells whose view the state is."""
    mine, theirs = ("X", "O") if ply % 2 == 0 else ("O", "X")
    height, width = game.shape
    by_column = game.n_actions == width
    columns = [str(c + 1) if by_column else string.ascii_lowercase[c] for c in range(width)]
    lines = ["   " + " ".join(columns)]
    letters = {1: mine, -1: theirs, 0: "."}
    for r, row in enumerate(game.cells(state.reshape(1, -1))[0]):
        number = r + 1 if game.rows_from == "top" else height - r
        label = "  " if by_column else f"{number:2}"
        lines.append(f"{label} " + " ".join(letters[int(cell)] for cell in row))
    return "\n".join(lines)


def _example(game: Game) -> str:
    return game.move_names[game.n_actions // 2]
