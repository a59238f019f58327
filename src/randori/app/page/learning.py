"""Watching players learn: the runs there are, and a training of one's own."""

import asyncio

from nicegui import ui

from randori import methods
from randori.app.page.frame import frame
from randori.app.page.parts import box, choice, link, retell, telling, text
from randori.app.service.claims import WHY_NOT, Who
from randori.app.service.menu import game_named, offered
from randori.app.service.refusals import Invalid
from randori.app.service.trainings import BUDGETS, Status, Trainings, WatchedRun
from randori.errors import UserError

_MOST_RUNS = 50


async def show(who: Who, trainings: Trainings) -> None:
    with frame("Learning", "/learning"):
        text("h1", "Watch learning")
        text(
            "p",
            "A training plays thousands of games in a process of its own; it goes on when you leave this page, "
            "and can be continued after the server has ended.",
            "note",
        )
        if trainings.may_start(who):
            _Start(who, trainings).build()
        else:
            text("p", WHY_NOT, "note").props("id=why-not")
        text("h2", "Runs")
        runs, complaints = await asyncio.to_thread(_newest, who, trainings)
        if not runs:
            text("p", "There is no run yet.", "note")
        with box("div", "runs"):
            for watched, status in runs:
                _row(watched, status)
        for complaint in complaints:
            text("p", complaint, "note")


def _newest(who: Who, trainings: Trainings) -> tuple[list[tuple[WatchedRun, Status]], list[str]]:
    """The runs that can be shown, and why others cannot."""
    runs, complaints = [], []
    for name in trainings.names()[:_MOST_RUNS]:
        try:
            runs.append((trainings.run(name), trainings.status(who, name)))
        except UserError as error:
            complaints.append(str(error))
    return runs, complaints


def _row(watched: WatchedRun, status: Status) -> None:
    with box("div", "run"):
        link(watched.name, f"/learning/{watched.name}", "name")
        text("span", f"{watched.learner}, {watched.game}", "note")
        text("span", watched.rating, "rating")
        text("span", status.words, "note")


_FIRST_CHOICES = {"learner": "evolution", "game": "tictactoe", "budget": "1m"}
# What the lists show goes along with the press: of a page that is still connecting, a choice may arrive after it.
_SEND_CHOICES = "(event) => emit([...event.target.closest('.form').querySelectorAll('select')].map((it) => it.value))"


class _Start:
    """The form that starts a training."""

    def __init__(self, who: Who, trainings: Trainings) -> None:
        self._who, self._trainings = who, trainings

    def build(self) -> None:
        kinds = {name: f"{name}: {kind.summary}" for name, kind in methods.all_methods().items()}
        with box("div", "form"):
            for key, label, options in (
                ("learner", "Learner", kinds),
                ("game", "Game", {name: game_named(name).title for name in offered()}),
                ("budget", "Time", BUDGETS),
            ):
                choice(label, options, _FIRST_CHOICES[key])
            start = text("button", "Start", "button main").props("type=button id=train")
            start.on("click", telling(lambda event: self._start(event.args)), js_handler=_SEND_CHOICES)
        self._refusal = text("p", "", "status").props("role=alert id=refusal")

    def _start(self, chosen: object) -> None:
        try:
            if not isinstance(chosen, list) or len(chosen) != len(_FIRST_CHOICES):
                raise Invalid("Choose a learner, a game and a time.")
            name = self._trainings.start(self._who, *map(str, chosen))
        except UserError as error:
            retell(self._refusal, str(error))  # which may be a command to type: it has to stay
            return
        ui.navigate.to(f"/learning/{name}")
