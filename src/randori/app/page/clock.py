"""Clocks on the page: what is chosen for a game, and how much is left in it."""

from collections.abc import Callable
from itertools import count
from typing import Any

from nicegui import ui

from randori.app.page.parts import box, entry, event_handler, text
from randori.app.page.tiles import Tiles, words
from randori.app.service.duel import MOST_INCREMENT, MOST_MINUTES, Duel, Pace, now
from randori.app.service.refusals import Invalid
from randori.app.service.room import Room

_NONE, _OWN = "none", "own"
_PACES = ("3+2", "5+0", "10+5", "30+0")
_TILES = {
    _NONE: words("No clock"),
    **{it: words(it) for it in _PACES},
    _OWN: words("Other"),
}
_sent = count()


class ClockElement(ui.element, component="clock.js"):
    """Counts down in the browser, without traffic."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self.props.update({"left": 0.0, "runs": False, "sent": 0, "label": label})

    def show(self, room: Room, duel: Duel, seat: int) -> None:
        """Shows the time of a seat."""
        self.set_visibility(duel.clock is not None)
        if duel.clock is None:
            return
        is_on = duel.clock.since is not None and not room.is_over
        left = duel.clock.left_at(room.to_move, now()) if is_on else duel.clock.left
        self.props.update({"left": left[seat], "runs": is_on and seat == room.to_move, "sent": next(_sent)})
        self.update()


class ClockChoice:
    """The choice of a clock for both sides; `chosen` is called when it changes."""

    def __init__(self, chosen: Callable[[], None]) -> None:
        self._chosen, self._choice = chosen, _NONE
        self._own: dict[str, Any] = {"minutes": "15", "increment": "10"}

    @property
    def pace(self) -> Pace | None:
        """Raises Invalid if the numbers do not make a clock."""
        if self._choice == _NONE:
            return None
        minutes, increment = self._choice.split("+") if self._choice in _PACES else self._own.values()
        try:
            return Pace.of(float(minutes), float(increment))
        except ValueError:
            raise Invalid("Write minutes and seconds as numbers, such as 15 and 10.") from None

    @property
    def in_words(self) -> str:
        try:
            pace = self.pace
        except Invalid as error:
            return str(error)
        return "No clock." if pace is None else f"{pace.in_words}."

    @ui.refreshable_method
    def build(self) -> None:
        text("h2", "Clock")
        Tiles("Clock", _TILES, self._choice, self._choose, "sizes clocks")
        text("p", "5+3 means 5 minutes for each side, and 3 seconds more for every move.", "note")
        if self._choice == _OWN:
            with box("div", "form"):
                self._field("Minutes for each side", "minutes", MOST_MINUTES)
                self._field("Seconds more for every move", "increment", MOST_INCREMENT)

    def _field(self, label: str, name: str, most: float) -> None:
        limits = {"type": "number", "min": "0", "max": f"{most:g}", "step": "any", "id": f"clock-{name}"}
        field = entry(label, self._own[name], **limits)

        def write(event: Any) -> None:
            self._own[name] = str(event.args)
            self._chosen()

        field.on("input", event_handler(write), js_handler="(event) => emit(event.target.value)")

    def _choose(self, choice: str) -> None:
        is_other_form = _OWN in (choice, self._choice)
        self._choice = choice
        if is_other_form:
            self.build.refresh()
        self._chosen()
