"""Minds side by side: the same position as players of different families see it, one row each and one board for all."""

import asyncio

from nicegui import ui

from randori.app.page.board import BoardElement, view_of
from randori.app.page.graph import value_bar
from randori.app.page.parts import box, button, set_text, text
from randori.app.page.tiles import Tiles, words
from randori.app.service.menu import Entry
from randori.app.service.minds import Mind, ranked
from randori.app.service.room import Room
from randori.app.service.rooms import Rooms

_MOVES_LISTED = 3


class Minds:
    """A panel that is closed at first, since reading several minds takes time. Each is shown as soon as it is read."""

    def __init__(self, rooms: Rooms, room: Room) -> None:
        self.rooms, self.room, self._is_open = rooms, room, False
        self._entries: list[Entry] = []
        self._read: dict[str, Mind] = {}
        self._chosen = ""
        """The spec of the player whose thoughts the board shows."""
        with box("section", "minds", aria_label="Minds side by side") as self._section:
            with box("div", "heading"):
                text("h2", "Minds side by side")
                self._button = button("Compare", self._toggle, "quiet", id="minds")
            self._list = ui.element("div").classes("mind-list")

    def set_visibility(self, is_visible: bool) -> None:
        self._section.set_visibility(is_visible)

    async def _toggle(self) -> None:
        self._is_open = not self._is_open
        set_text(self._button, "Close" if self._is_open else "Compare")
        self._list.clear()
        self._entries = []
        await self.show()

    async def show(self) -> None:
        """Shows the current position if the panel is open: first who is thinking, then what they think."""
        room = self.room
        if not self._is_open or room.is_over:
            return
        if not self._entries:
            entries = await asyncio.to_thread(self.rooms.menu.families, room.game)
            if self._entries or not self._is_open:
                return  # the button was pressed again
            self._build(entries)
        self._read = {}
        for entry in self._entries:
            self._rows.set_content(entry.spec, words(entry.title, "is thinking ..."))
        for entry in self._entries:
            mind = await self.rooms.mind(room, entry.spec)
            if room is not self.room or not self._is_open:
                return  # the game has moved on, and `show` is called for the new position
            self._read[entry.spec] = mind
            self._rows.set_content(entry.spec, self._row(entry, mind))
            if entry.spec == self._chosen:
                self._draw()

    def _build(self, entries: list[Entry]) -> None:
        self._entries, self._chosen = entries, entries[0].spec
        with self._list:
            self._board = BoardElement().classes("small").props("tabindex=-1")
            self._board.props.update({"view": view_of(self.room), "playable": False})
            rows = {it.spec: words(it.title, "is thinking ...") for it in entries}
            self._rows = Tiles("Whose thoughts the board shows", rows, self._chosen, self._choose, "rows")

    def _choose(self, spec: str) -> None:
        self._chosen = spec
        if spec in self._read:
            self._draw()

    def _draw(self) -> None:
        mind = self._read[self._chosen]
        view = view_of(self.room, mind.liking, mind.action)
        title = next(it.title for it in self._entries if it.spec == self._chosen)
        self._board.props["view"] = view | {"id": f"{view['id']}-mind", "label": f"As {title} sees it"}
        self._board.update()

    def _row(self, entry: Entry, mind: Mind) -> str:
        played = self.room.game.move_names[mind.action]
        label = words(entry.title, f"would play {played}")
        return f'<span class="mind">{label}<span class="value">{self._worth(mind)}</span></span>'

    def _worth(self, mind: Mind) -> str:
        """A chance if the player estimates one, else its best moves and how far each is behind, in its own unit."""
        if mind.value is not None:
            return value_bar(mind.value)
        if mind.behind is None:
            return '<span class="bar none">no number</span>'
        best, *others = ranked(mind)[:_MOVES_LISTED]
        names = self.room.game.move_names
        scores = [f"<b>{names[best]}</b>", *(f"{names[it]} \N{MINUS SIGN}{mind.behind[it]:.2g}" for it in others)]
        # The scores are of the next positions; a player that looks further ahead may choose another move.
        sight = "" if best == mind.action else "at first sight "
        return f'<span class="scores" title="its own score: how far behind the best">{sight}{", ".join(scores)}</span>'
