"""Setting up a position by hand: pieces on squares, and who is to move."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from randori.app.page.board import piece_sign, side_names, view_of
from randori.app.page.parts import box, button, change, entry, event_handler, text
from randori.app.service.analysis import Analysis
from randori.app.service.refusals import Refusal
from randori.app.service.room import Room
from randori.app.service.schemas import cells_by_side
from randori.formats import Position, parse_position

_LETTERS = "-XO"
EMPTY = 0


class SettingUp:
    """A position that is being set up. Cells are 0 empty, 1 of the side that begins, 2 of the other, row by row."""

    def __init__(self, room: Room, show: Callable[[], None]) -> None:
        self._game, self._usual, self._show = room.game, Analysis.of_game(room.game, ()).room(room.profile), show
        self._piece, self._n_changes = 1, 0
        self._take(room)

    def _take(self, room: Room) -> None:
        self._cells = [side for row in cells_by_side(room) for side in row]
        self._mover = room.to_move

    def build(self) -> None:
        """Builds what stands below the board; the caller builds the board."""
        text("p", "A click puts the chosen piece on a square, or takes it away.", "note")
        sides = [f"{piece_sign(self._game, seat)}&nbsp;{name}" for seat, name in enumerate(side_names(self._game))]
        with box("div", "controls", role="group", aria_label="What a click puts on a square"):
            self._pieces = _toggles("put", ["empty", *sides], self._choose)
        with box("div", "controls", role="group", aria_label="To move"):
            text("span", "To move:", "note")
            self._movers = _toggles("to-move", sides, self._let_move)
        with box("div", "controls"):
            button("Clear", self._clear, "quiet", id="clear")
            button("Start position", partial(self._restart, self._usual), "quiet", id="usual")
        self._text = entry("As text: squares row by row, then who is to move", "", id="position", spellcheck="false")
        self._text.on(
            "change", event_handler(lambda event: self._read(str(event.args))), js_handler="(e) => emit(e.target.value)"
        )
        self.refresh()

    def refresh(self) -> None:
        for buttons, chosen in ((self._pieces, self._piece), (self._movers, self._mover)):
            for number, it in enumerate(buttons):
                change(it, aria_pressed="true" if number == chosen else "false")
        change(self._text, value=self.written)
        self._show()

    @property
    def written(self) -> str:
        return "".join(_LETTERS[it] for it in self._cells) + f" {_LETTERS[self._mover + 1]}"

    @property
    def position(self) -> Position:
        """Raises UserError if it is not a position of the game."""
        return parse_position(self._game, self.written)

    def _choose(self, piece: int) -> None:
        self._piece = piece
        self.refresh()

    def _let_move(self, seat: int) -> None:
        self._mover = seat
        self.refresh()

    def _clear(self) -> None:
        self._cells = [EMPTY] * self._game.n_squares
        self._changed()

    def _restart(self, room: Room) -> None:
        self._take(room)
        self._changed()

    def _read(self, written: str) -> None:
        state, first_to_move = parse_position(self._game, written)
        mine, theirs = (1, 2) if first_to_move else (2, 1)
        self._cells = [{0: EMPTY, 1: mine, -1: theirs}[int(it)] for it in self._game.cells(state).ravel()]
        self._mover = 0 if first_to_move else 1
        self._changed()

    def put(self, name: str) -> None:
        """A click on a square puts the chosen piece there, or takes it away if it is there already."""
        if name not in self._game.square_names:
            raise Refusal(f"There is no square '{name[:8]}'.")
        square = self._game.square_names.index(name)
        self._cells[square] = self._after(square)
        self._changed()

    def _changed(self) -> None:
        self._n_changes += 1
        self.refresh()

    def _after(self, square: int) -> int:
        return EMPTY if self._cells[square] == self._piece else self._piece

    @property
    def view(self) -> dict[str, Any]:
        """For the board: every square can be clicked."""
        names, width = self._game.square_names, self._game.shape[1]
        rows = range(0, self._game.n_squares, width)
        return view_of(self._usual) | {
            "ply": self._n_changes,
            "now": self._n_changes,
            "cells": [self._cells[start : start + width] for start in rows],
            "moves": [list(names[start : start + width]) for start in rows],
            "steps": {},
            "changes": {name: [(square, self._after(square))] for square, name in enumerate(names)},
            "last": [],
            "dotted": False,
            "free": True,
            "label": f"{self._game.title}, a position to set up: arrow keys to move, Enter to put a piece",
        }


def _toggles(name: str, labels: Sequence[str], act: Callable[[int], None]) -> list[ui.html]:
    """Buttons of which one is pressed; labels are markup."""
    buttons = [button("", partial(act, number), "quiet", id=f"{name}-{number}") for number in range(len(labels))]
    for it, label in zip(buttons, labels, strict=True):
        it.set_content(label)
    return buttons
