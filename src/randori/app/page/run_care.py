"""What one can do with a run besides watching it: read its settings, rename it, download it, delete it."""

import asyncio
from urllib.parse import quote

from nicegui import ui

from randori.app.page.parts import Twice, box, button, entry, link, picture, text
from randori.app.page.values import facts_list
from randori.app.service.claims import Who
from randori.app.service.trainings import Trainings
from randori.app.service.watched_run import Status, WatchedRun

_LIMITS = {"rounds": "rounds at most", "budget": "seconds at most"}


class RunCare:
    """A folded section. Only those who may change the run see how."""

    def __init__(self, who: Who, trainings: Trainings, name: str) -> None:
        self._who, self._trainings, self._name, self._new_name = who, trainings, name, name

    def build(self) -> None:
        with box("details", "care"):
            text("summary", "Settings and files")
            self._settings = picture("", "facts")
            with box("div", "form") as self._changes:
                field = entry("Name", self._name, maxlength="60", id="run-name")
                field.on("input", lambda event: self._type(event.args), js_handler="(it) => emit(it.target.value)")
                button("Rename", self._rename, id="rename")
                link("Download", f"/learning/{quote(self._name)}/run.zip", "button", id="download", download="")
                Twice("Delete", "Delete this run for good?", self._delete, id="delete").build()
        self._changes.set_visibility(False)

    def show(self, watched: WatchedRun, status: Status) -> None:
        limits = {title: watched.recipe.get(key) for key, title in _LIMITS.items()}
        markup = facts_list(watched.settings | limits)
        if self._settings.content != markup:
            self._settings.set_content(markup)
        self._changes.set_visibility(status.may_change)

    def _type(self, name: object) -> None:
        self._new_name = str(name)

    async def _rename(self) -> None:
        new = await asyncio.to_thread(self._trainings.rename, self._who, self._name, self._new_name)
        ui.navigate.to(f"/learning/{new}")

    async def _delete(self) -> None:
        await asyncio.to_thread(self._trainings.delete, self._who, self._name)
        ui.navigate.to("/learning")
