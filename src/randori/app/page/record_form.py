"""A form to review any game: its record is pasted, or loaded from a file."""

from collections.abc import Awaitable, Callable
from urllib.parse import urlencode

from nicegui import ui

from randori.app.page.frame import Visit, frame
from randori.app.page.parts import box, button_sending, choice, notify, text
from randori.app.service.menu import game_named, offered

_LONGEST = 20_000
"""Characters of a record."""
_RECORD = "() => emit(document.getElementById('record-in').value)"
_LOADED = f"""(event) => event.target.files[0]?.text().then((record) => {{
    document.getElementById('record-in').value = record.slice(0, {_LONGEST});
}})"""


async def show(visit: Visit, chosen: str) -> None:
    with frame("Review a game", "/review"):
        text("h1", "Review a game")
        text(
            "p",
            "Paste the moves of a game, or load them from a file: a transcript such as f5d6c3 or 4453, SGF or GGF. "
            "Your own games have a button for it when they are over.",
        )
        Form(visit, chosen).build()


def record_file() -> None:
    """Loads a file into the area, without the server."""
    with box("label", "field"):
        text("span", "File")
        file = ui.element("input").props("type=file accept=.txt,.sgf,.ggf id=record-file")
    file.on("change", js_handler=_LOADED)


def record_area() -> None:
    with box("label", "field wide"):
        text("span", "Moves")
        ui.element("textarea").props(f"rows=6 maxlength={_LONGEST} spellcheck=false id=record-in")


def record_button(label: str, act: Callable[[str], Awaitable[None]], classes: str = "plain", **attributes: str) -> None:
    """`act` gets the record as it stands in the area when the button is pressed."""
    button_sending(_RECORD, label, lambda record: act(str(record)[:_LONGEST]), classes, **attributes)


class Form:
    """Which game, and its record."""

    def __init__(self, visit: Visit, chosen: str) -> None:
        self._visit, self._game = visit, chosen

    def build(self) -> None:
        with box("div", "form"):
            choice("Game", {it: game_named(it).title for it in offered()}, self._game, self._choose)
            record_file()
        record_area()
        record_button("Review", self._review, "main", id="review-record")

    def _choose(self, name: str) -> None:
        self._game = name

    async def _review(self, record: str) -> None:
        """The moves become an address, so that a review can be kept or shared."""
        self._visit.rooms.pace.take(self._visit.profile.id)
        review = (await self._visit.rooms.reviews.of_record(self._game, record)).review
        if not review.actions:
            notify("There is no move in it yet.")
            return
        moves = " ".join(review.game.move_names[it] for it in review.actions)
        ui.navigate.to(f"/review?{urlencode({'game': review.game.name, 'moves': moves})}")
