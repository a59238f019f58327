"""A button to delete everything about oneself."""

from nicegui import ui

from randori.app.page.parts import Twice, box, text

_DELETE = """fetch("/api/profile", {method: "DELETE"}).then(async (answer) =>
    answer.ok ? location.assign("/") : alert((await answer.json()).detail))"""


def farewell() -> None:
    """Deletes all data about a visitor, once they have confirmed it."""
    with box("div", "farewell"):
        text(
            "span",
            "We know you by a cookie, and keep your name, games, ratings and what your pupil has learned.",
            "note",
        )
        Twice("Delete it all", "Delete all of it for good?", _leave, id="delete-me").build()


def _leave() -> None:
    ui.run_javascript(_DELETE)
