"""Watching players learn: the runs, their curves as they grow, and a training of one's own."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import ui

from randori import learners
from randori.app.page.frame import Visit, frame
from randori.app.page.parts import box, button, choice, link, picture, retell, text
from randori.app.service.menu import RUNS, game_named, offered
from randori.app.service.refusals import Refusal, Unknown
from randori.app.service.room import PERSON
from randori.app.service.trainings import BUDGETS, Trainings, WatchedRun
from randori.experiments.chart import Curve, line_chart

_SECONDS_A_LOOK = 2.0
_MOST_RUNS = 50
_MOST_CURVES = 6
_MOST_POINTS = 400


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
        runs = await asyncio.to_thread(_newest, trainings)
        if not runs:
            text("p", "There is no run yet.", "note")
        with box("div", "runs"):
            for watched in runs:
                _row(watched, trainings.is_going_on(watched.name))


def _newest(trainings: Trainings) -> list[WatchedRun]:
    return [trainings.run(name) for name in trainings.names()[:_MOST_RUNS]]


def _row(watched: WatchedRun, goes_on: bool) -> None:
    with box("div", "run"):
        link(watched.name, f"/learning/{watched.name}", "name")
        text("span", f"{watched.learner}, {watched.game}", "note")
        text("span", _rating(watched), "rating")
        text("span", "learning" if goes_on else "", "note")


class _Start:
    """The form that starts a training."""

    def __init__(self, trainings: Trainings) -> None:
        self._trainings = trainings
        self._chosen = {"learner": "evolution", "game": "tictactoe", "budget": "1m"}

    def build(self) -> None:
        kinds = {name: f"{name}: {kind.summary}" for name, kind in learners.kinds().items()}
        with box("div", "form"):
            for key, label, options in (
                ("learner", "Learner", kinds),
                ("game", "Game", {name: game_named(name).title for name in offered()}),
                ("budget", "Time", BUDGETS),
            ):
                choice(label, options, self._chosen[key], partial(self._choose, key))
            button("Start", self._start, "main", id="train")

    def _choose(self, key: str, value: str) -> None:
        self._chosen[key] = value

    async def _start(self) -> None:
        name = self._trainings.start(*(self._chosen[key] for key in ("learner", "game", "budget")))
        ui.navigate.to(f"/learning/{name}")


async def show_run(came: Visit, trainings: Trainings, name: str) -> None:
    with frame(name, "/learning"):
        Watching(came, trainings, name).build()


class Watching:
    """One run, looked at again every few seconds."""

    def __init__(self, came: Visit, trainings: Trainings, name: str) -> None:
        self._came, self._trainings, self._name = came, trainings, name
        self._seen = -1

    def build(self) -> None:
        text("h1", self._name)
        self._state = text("p", "", "status").props("role=status")
        with box("div", "controls"):
            button("Play against it", lambda: self._play(PERSON), "main", id="play-run")
            button("Watch it play itself", lambda: self._play(f"{RUNS}/{self._name}"), id="watch-run")
            button("Stop", lambda: self._trainings.stop(self._name), id="stop")
        self._charts = picture("", "charts")
        ui.timer(_SECONDS_A_LOOK, self._look)

    async def _look(self) -> None:
        goes_on = self._trainings.is_going_on(self._name)
        try:
            watched = await asyncio.to_thread(self._trainings.run, self._name)
        except Unknown as error:
            complaint = self._trainings.complaint(self._name)
            retell(self._state, complaint or ("Starting ..." if goes_on else str(error)))
            return
        retell(self._state, self._trainings.complaint(self._name) or _state(watched, goes_on))
        if len(watched.rows) != self._seen:
            self._seen = len(watched.rows)
            self._charts.set_content("".join(_charts(watched)))

    async def _play(self, other: str) -> None:
        watched = self._trainings.run(self._name)
        if not watched.has_player:
            raise Refusal("Its first player is not there yet: wait for the first checkpoint.")
        seats = (other, f"{RUNS}/{self._name}")
        room = await self._came.rooms.open(self._came.profile.id, watched.game, seats)
        ui.navigate.to(f"/game/{room.id}")


def _state(watched: WatchedRun, goes_on: bool) -> str:
    last = watched.rows[-1] if watched.rows else {"round": 0, "games": 0, "seconds": 0.0}
    told = f"{watched.learner} on {game_named(watched.game).title}: round {last['round']:,}, {last['games']:,} games"
    rating = _rating(watched)
    return f"{told}{', rating ' + rating if rating else ''}{', learning' if goes_on else ''}."


def _rating(watched: WatchedRun) -> str:
    if not watched.rated:
        return ""
    last = watched.rated[-1]["rating"]
    return f"{last['elo']:.0f} ({last['low']:.0f} .. {last['high']:.0f})"


def _charts(watched: WatchedRun) -> list[str]:
    rated = watched.rated
    ratings = [[row["rating"][key] for row in rated] for key in ("elo", "low", "high")]
    curve = Curve(watched.learner, [row["games"] for row in rated], *ratings)
    charts = [line_chart([curve], title="Rating", x_label="games", y_label="rating (random = 0)")] if rated else []
    for name in _metric_names(watched.rows)[:_MOST_CURVES]:
        rows = _thinned([row for row in watched.rows if row.get("metrics", {}).get(name) is not None])
        course = Curve(name, [row["games"] for row in rows], [row["metrics"][name] for row in rows])
        charts.append(line_chart([course], title=name, x_label="games", y_label=name))
    return [f"<figure>{chart}</figure>" for chart in charts]


def _metric_names(rows: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row.get("metrics", {})))


def _thinned(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    step = -(-len(rows) // _MOST_POINTS) or 1
    return rows[::step]
