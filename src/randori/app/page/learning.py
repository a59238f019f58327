"""Watching players learn: the runs there are, and a training of one's own."""

import asyncio

from nicegui import ui

from randori import methods
from randori.app.page.frame import frame
from randori.app.page.parts import box, choice, link, retell, telling, text
from randori.app.service.menu import game_named, offered
from randori.app.service.trainings import BUDGETS, Trainings, WatchedRun
from randori.errors import UserError

_MOST_RUNS = 50


async def show(trainings: Trainings) -> None:
    with frame("Learning", "/learning"):
        text("h1", "Watch learning")
        text(
            "p",
            "A training plays thousands of games in a process of its own; it goes on when you leave this page.",
            "note",
        )
        _Start(trainings).build()
        text("h2", "Runs")
        runs, complaints = await asyncio.to_thread(_newest, trainings)
        if not runs:
            text("p", "There is no run yet.", "note")
        with box("div", "runs"):
            for watched in runs:
                _row(watched, trainings.is_going_on(watched.name))
        for complaint in complaints:
            text("p", complaint, "note")


def _newest(trainings: Trainings) -> tuple[list[WatchedRun], list[str]]:
    """The runs that can be shown, and why others cannot."""
    runs, complaints = [], []
    for name in trainings.names()[:_MOST_RUNS]:
        try:
            runs.append(trainings.run(name))
        except UserError as error:
            complaints.append(str(error))
    return runs, complaints


def _row(watched: WatchedRun, goes_on: bool) -> None:
    with box("div", "run"):
        link(watched.name, f"/learning/{watched.name}", "name")
        text("span", f"{watched.learner}, {watched.game}", "note")
        text("span", watched.rating, "rating")
        text("span", "learning" if goes_on else "", "note")


_FIRST_CHOICES = {"learner": "evolution", "game": "tictactoe", "budget": "1m"}
# What the lists show goes along with the press: of a page that is still connecting, a choice may arrive after it.
_SEND_CHOICES = "(event) => emit([...event.target.closest('.form').querySelectorAll('select')].map((it) => it.value))"


class _Start:
    """The form that starts a training."""

    def __init__(self, trainings: Trainings) -> None:
        self._trainings = trainings

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
            start.on("click", telling(lambda event: self._start(*map(str, event.args))), js_handler=_SEND_CHOICES)
        self._refusal = text("p", "", "status").props("role=alert id=refusal")

    def _start(self, learner: str, game: str, budget: str) -> None:
        try:
            name = self._trainings.start(learner, game, budget)
        except UserError as error:
            retell(self._refusal, str(error))  # which may be a command to type: it has to stay
            return
        ui.navigate.to(f"/learning/{name}")
