"""The way to a review of any game: its record is pasted, or loaded from a file."""

from urllib.parse import urlencode

from nicegui import ui

from randori.app.page.frame import Visit, frame
from randori.app.page.parts import box, button, choice, tell, text
from randori.app.service.menu import game_named, offered

_LONGEST = 20_000
"""Characters of a record."""
_LOADED = f"(event) => event.target.files[0]?.text().then((it) => emit(it.slice(0, {_LONGEST})))"


async def show(came: Visit, chosen: str) -> None:
    with frame("Review a game", "/review"):
        text("h1", "Review a game")
        text(
            "p",
            "Paste the moves of a game, or load them from a file: a transcript such as f5d6c3 or 4453, SGF or GGF. "
            "Your own games have a button for it when they are over.",
        )
        Form(came, chosen).build()


class RecordInput:
    """A record to paste or to load."""

    def __init__(self) -> None:
        self.record = ""

    def build_file(self) -> None:
        with box("label", "field"):
            text("span", "File")
            file = ui.element("input").props("type=file accept=.txt,.sgf,.ggf id=record-file")
        file.on("change", lambda event: self._load(event.args), js_handler=_LOADED)

    def build_area(self) -> None:
        with box("label", "field wide"):
            text("span", "Moves")
            self._area = ui.element("textarea").props("rows=6 spellcheck=false id=record-in")
        self._area.on("input", lambda event: self._take(event.args), js_handler="(e) => emit(e.target.value)")

    def _take(self, record: object) -> None:
        self.record = str(record)[:_LONGEST]

    def _load(self, record: object) -> None:
        self._take(record)
        self._area.props["value"] = self.record
        self._area.update()


class Form:
    """Which game, and its record."""

    def __init__(self, came: Visit, chosen: str) -> None:
        self._came, self._game, self._input = came, chosen, RecordInput()

    def build(self) -> None:
        with box("div", "form"):
            choice("Game", {it: game_named(it).title for it in offered()}, self._game, self._choose)
            self._input.build_file()
        self._input.build_area()
        button("Review", self._review, "main", id="review-record")

    def _choose(self, name: str) -> None:
        self._game = name

    async def _review(self) -> None:
        """What was read becomes an address, so that a review can be kept or passed on."""
        self._came.rooms.pace.take(self._came.profile.id)
        made = (await self._came.rooms.reviews.of_record(self._game, self._input.record)).review
        if not made.actions:
            tell("There is no move in it yet.")
            return
        moves = " ".join(made.game.move_names[it] for it in made.actions)
        ui.navigate.to(f"/review?{urlencode({'game': made.game.name, 'moves': moves})}")
