"""The course of a game as elements of the page: the curve of chances, and the list of moves."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from randori.app.page.board import side_names
from randori.app.page.parts import Act, button, event_handler
from randori.core.game import Game

Go = Callable[[int], None]


class Curve(ui.element, component="curve.js"):
    """Emits `go` with the ply of the position that somebody wants to see."""


class MoveList(ui.element, component="moves.js"):
    """Emits `go` as well."""


def walk_buttons(first: Act, back: Act, on: Act, last: Act) -> None:
    """Steps through positions."""
    button("\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}", first, aria_label="First position", id="first")
    button("\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", back, aria_label="Back", id="back")
    button("\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}", on, aria_label="On", id="on")
    button("\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}", last, aria_label="Last position", id="last")


class Course:
    """A curve and a list that show the same moves; `go` gets the ply that somebody wants to see."""

    def __init__(self, game: Game, go: Go) -> None:
        self._names, self._sides, self._go = game.move_names, list(side_names(game)), go
        self._elements: list[ui.element] = []

    def build_curve(self, everywhere: bool = False) -> None:
        """With `everywhere`, the left and right keys work on the whole page."""
        self._add(Curve(), chances=[], everywhere=everywhere)

    def build_moves(self) -> None:
        self._add(MoveList())

    def show(self, actions: Sequence[int], ply: int, marks: Mapping[int, str] | None = None) -> None:
        """The board shows the position after `ply` moves; `marks` belong to moves, counted from 1."""
        moves = [self._names[it] for it in actions]
        self._update(moves=moves, ply=ply, marks={str(it): mark for it, mark in (marks or {}).items()})

    def judge(self, chances: Sequence[float | None]) -> None:
        """Chances of the side that began, 0 .. 1; None if they are not known yet."""
        self._update(chances=[None if it is None else round(it, 3) for it in chances])

    def _add(self, element: ui.element, **props: Any) -> None:
        element.props.update({"moves": [], "marks": {}, "ply": 0, "sides": self._sides, **props})
        element.on("go", event_handler(lambda event: self._go(event.args) if isinstance(event.args, int) else None))
        self._elements.append(element)

    def _update(self, **props: Any) -> None:
        for element in self._elements:
            changed = {
                key: value for key, value in props.items() if key in element.props and element.props[key] != value
            }
            if changed:
                element.props.update(changed)
                element.update()
