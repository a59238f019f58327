"""A study: a position and the moves tried from it, as text with variations in brackets, `f5d6(f4e3)c3`."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from randori.core.game import Game, States
from randori.core.notation import read_move, tokens
from randori.core.variations import Line, Variations
from randori.errors import UserError
from randori.formats.positions import Position, parse_position, position_text, start_text

MOST_MOVES = 1000
"""In one study."""
_CELL = r"[xo*bw._-]\s*"


class Study(NamedTuple):
    """The place under study."""

    start: Position | None
    """None: the usual one."""
    moves: Variations


class Growing:
    """A study while it is read: every move is checked where it is made."""

    def __init__(self, game: Game, start: Position | None = None) -> None:
        self.game, self.start, self.moves = game, start, Variations()
        self._states: dict[Line, States] = {(): game.start(1) if start is None else start.state}
        self._n_read = 0

    @property
    def study(self) -> Study:
        return Study(self.start, self.moves)

    def add(self, line: Line, token: str) -> Line:
        """The place that a move leads to, by its name. A pass that was left out is put in. Raises UserError."""
        self._n_read += 1
        for action in read_move(self.game, self._states[line], token, self._n_read):
            self.moves = self.moves.after(line, action)
            after = (*line, action)
            if after not in self._states:
                self._states[after] = self.game.play(self._states[line], [action])
            line = after
        check_size(self.moves)
        return line

    def add_all(self, actions: Iterable[int]) -> None:
        """One line from the beginning."""
        line: Line = ()
        for action in actions:
            line = self.add(line, self.game.move_names[action])


def check_size(moves: Variations) -> None:
    if len(moves) > MOST_MOVES:
        raise UserError(f"An analysis holds at most {MOST_MOVES} moves: delete a variation first.")


def unless_usual(game: Game, position: Position) -> Position | None:
    """None where it is the usual one."""
    return None if position_text(game, *position) == start_text(game) else position


def parse_study_text(game: Game, text: str) -> Study:
    """A position, which may be left out, then moves. A bracket holds what was tried instead of the move before it.

    Raises UserError that says what is wrong.
    """
    written = re.match(rf"\s*(?:{_CELL}){{{game.n_squares}}}[xo*bw]", text, re.IGNORECASE)
    start = None if written is None else unless_usual(game, parse_position(game, written[0]))
    growing = Growing(game, start)
    line: Line = ()
    before: Line | None = None  # the last move
    open_brackets: list[tuple[Line, Line | None]] = []
    for token in tokens(game, text if written is None else text[written.end() :]):
        if token == "(":
            if before is None:
                raise UserError(
                    "A bracket holds what was tried instead of the move before it, but no move comes before it."
                )
            open_brackets.append((line, before))
            line, before = before, None
        elif token == ")":
            if not open_brackets:
                raise UserError("A closing bracket has no opening bracket.")
            line, before = open_brackets.pop()
        else:
            line, before = growing.add(line, token), line
    if open_brackets:
        raise UserError("A bracket is not closed.")
    return growing.study


def study_text(game: Game, study: Study) -> str:
    """The text that `parse_study_text` reads; passes are left out where a move follows, as is the custom."""
    moves = _written(game, study.moves, ())
    return moves if study.start is None else f"{position_text(game, *study.start)}\n{moves}"


def _written(game: Game, moves: Variations, line: Line) -> str:
    """From a place on."""
    parts = []
    while following := moves.at(line):
        parts.append(_name(game, moves, (*line, following[0])))
        for action in following[1:]:
            other = (*line, action)
            parts.append(f"({_name(game, moves, other)}{_written(game, moves, other)})")
        line = (*line, following[0])
    return "".join(parts)


def _name(game: Game, moves: Variations, line: Line) -> str:
    is_left_out = line[-1] == game.pass_action and moves.at(line)
    return "" if is_left_out else game.move_names[line[-1]]
