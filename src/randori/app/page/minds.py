"""Minds side by side: the same position as players of different families see it."""

import asyncio

from nicegui import ui

from randori.app.page.board import BoardElement, view_of
from randori.app.page.graph import value_bar
from randori.app.page.parts import box, button, picture, text
from randori.app.service.menu import Entry
from randori.app.service.minds import Mind, ranked
from randori.app.service.room import Room
from randori.app.service.rooms import Rooms

_MOVES_TOLD = 3


class Minds:
    """A panel that is closed until it is asked for: reading several minds takes time."""

    def __init__(self, rooms: Rooms, room: Room) -> None:
        self.rooms, self.room, self._is_open = rooms, room, False
        with box("section", "minds", aria_label="Minds side by side") as self._section:
            with box("div", "heading"):
                text("h2", "Minds side by side")
                self._button = button("Compare", self._toggle, "quiet", id="minds")
            self._list = ui.element("div").classes("mind-list")

    def set_visibility(self, is_visible: bool) -> None:
        self._section.set_visibility(is_visible)

    async def _toggle(self) -> None:
        self._is_open = not self._is_open
        self._button.set_content("Close" if self._is_open else "Compare")
        self._list.clear()
        await self.show()

    async def show(self) -> None:
        """The position as it is now, where the panel is open."""
        room = self.room
        if not self._is_open or room.is_over:
            return
        families = await asyncio.to_thread(self.rooms.menu.families, room.game)
        read = [(it, await self.rooms.mind(room, it.spec)) for it in families]
        if room is not self.room:
            return  # the game has gone on, and so will whoever has made it do so
        self._list.clear()
        with self._list:
            for entry, mind in read:
                self._one(entry, mind)

    def _one(self, entry: Entry, mind: Mind) -> None:
        with box("article", "mind"):
            small = BoardElement().classes("small")
            view = view_of(self.room, mind.liking, mind.action)
            small.props["view"] = view | {"id": f"{view['id']}-{entry.family.replace(' ', '-')}", "label": entry.title}
            small.props["playable"] = False
            with box("div", "words"):
                text("span", entry.title, "name")
                text("span", entry.family, "note")
                picture(self._worth(mind), "value")
                text("span", f"would play {self.room.game.move_names[mind.action]}", "note")

    def _worth(self, mind: Mind) -> str:
        """A chance where the player estimates one, else its best moves with what they lack in its own unit."""
        if mind.value is not None:
            return value_bar(mind.value)
        if mind.behind is None:
            return '<span class="bar none">no number</span>'
        best, *others = ranked(mind)[:_MOVES_TOLD]
        names = self.room.game.move_names
        told = [f"<b>{names[best]}</b>", *(f"{names[it]} \N{MINUS SIGN}{mind.behind[it]:.2g}" for it in others)]
        # The scores are of the next positions; who looks further ahead may think better of it.
        sight = "" if best == mind.action else "at first sight "
        return f'<span class="scores" title="its own score, less than the best by">{sight}{", ".join(told)}</span>'
