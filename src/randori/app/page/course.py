"""The course of a game as elements of the page: the curve of chances, and the list of moves."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from randori.app.page.board import side_names
from randori.app.page.parts import Act, button, telling
from randori.core.game import Game

Go = Callable[[int], None]


class Curve(ui.element, component="curve.js"):
    """Emits `go` with how many moves have been made in the position that somebody wants to see."""


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
        """With `everywhere`, left and right are heard on the whole page."""
        self._add(Curve(), chances=[], everywhere=everywhere)

    def build_moves(self) -> None:
        self._add(MoveList())

    def show(self, actions: Sequence[int], ply: int, marks: Mapping[int, str] | None = None) -> None:
        """The position after `ply` moves is on the board; `marks` are by how many moves had then been made."""
        moves = [self._names[it] for it in actions]
        self._update(moves=moves, ply=ply, marks={str(it): mark for it, mark in (marks or {}).items()})

    def judge(self, chances: Sequence[float | None]) -> None:
        """Of the side that began, 0 .. 1, None where nobody has judged yet."""
        self._update(chances=[None if it is None else round(it, 3) for it in chances])

    def _add(self, element: ui.element, **props: Any) -> None:
        element.props.update({"moves": [], "marks": {}, "ply": 0, "sides": self._sides, **props})
        element.on("go", telling(lambda event: self._go(event.args) if isinstance(event.args, int) else None))
        self._elements.append(element)

    def _update(self, **props: Any) -> None:
        for element in self._elements:
            told = {key: value for key, value in props.items() if key in element.props and element.props[key] != value}
            if told:
                element.props.update(told)
                element.update()
