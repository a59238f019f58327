"""Watching players learn: all runs, compared with each other, and a form to start a training."""

import asyncio

from randori.app.page.comparing import Comparing
from randori.app.page.frame import frame
from randori.app.page.parts import text
from randori.app.page.training_form import TrainingForm
from randori.app.service.claims import WHY_NOT, Who
from randori.app.service.menu import Menu
from randori.app.service.trainings import Trainings
from randori.app.service.watched_run import Status, WatchedRun
from randori.errors import UserError

_MOST_RUNS = 50


async def show(who: Who, menu: Menu, trainings: Trainings) -> None:
    with frame("Learning", "/learning"):
        text("h1", "Watch learning")
        text(
            "p",
            "A training plays thousands of games in its own process. It continues when you leave this page, "
            "and you can resume it after the server has stopped.",
            "note",
        )
        if trainings.may_start(who):
            await TrainingForm(who, trainings).build()
        else:
            text("p", WHY_NOT, "note").props("id=why-not")
        text("h2", "Runs")
        runs, complaints = await asyncio.to_thread(_newest, who, trainings)
        if runs:
            Comparing(menu, runs).build()
        else:
            text("p", "There is no run yet.", "note")
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
