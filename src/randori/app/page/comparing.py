"""Runs of a game compared: their ratings in one chart, their differences in a table."""

from collections.abc import Sequence
from html import escape
from typing import Any

from nicegui import ui

from randori import games
from randori.app.page.charts import Drawn
from randori.app.page.curves import ACROSS, ladder_of, ratings
from randori.app.page.parts import box, change, choice, event_handler, link, scrolling, text
from randori.app.page.values import spoken, words
from randori.app.service.menu import Menu, offered
from randori.app.service.watched_run import Status, WatchedRun

_AT_FIRST = 4
"""Runs that are ticked at first."""


class Comparing:
    """The list of runs, one game at a time; those that are ticked are drawn."""

    def __init__(self, menu: Menu, runs: Sequence[tuple[WatchedRun, Status]]) -> None:
        self._menu, self._runs = menu, runs
        self._game, self._across = runs[0][0].game, "games"
        self._chosen: list[str] = []

    def build(self) -> None:
        with box("div", "form"):
            names = list(dict.fromkeys(run.game for run, _ in self._runs))
            choice("Game", {it: _title(it) for it in names}, self._game, self._choose_game)
            choice("Draw over", ACROSS, self._across, self._choose_across)
        self._list = ui.element("div").classes("runs")
        self._chart_place = ui.element("div").classes("charts one")
        self._table = scrolling("", "Results of the runs")
        self._choose_game(self._game)

    def _of_game(self) -> list[tuple[WatchedRun, Status]]:
        return [it for it in self._runs if it[0].game == self._game]

    def _choose_game(self, name: str) -> None:
        self._game = name
        self._chosen = [run.name for run, _ in self._of_game() if run.rated][:_AT_FIRST]
        self._list.clear()
        with self._list:
            for run, status in self._of_game():
                self._row(run, status)
        self._draw()

    def _choose_across(self, across: str) -> None:
        if across in ACROSS:
            self._across = across
            self._draw()

    def _row(self, run: WatchedRun, status: Status) -> None:
        with box("div", "run"):
            tick = ui.element("input")
            ticked = {"checked": "checked"} if run.name in self._chosen else {}
            change(tick, **{"type": "checkbox", "aria-label": f"Compare {run.name}", **ticked})
            handler = event_handler(lambda event: self._tick(run.name, event.args is True))
            tick.on("change", handler, js_handler="(event) => emit(event.target.checked)")
            link(run.name, f"/learning/{run.name}", "name")
            text("span", run.learner, "note")
            text("span", run.rating, "rating")
            text("span", status.words, "note")

    def _tick(self, name: str, is_ticked: bool) -> None:
        kept = [it for it in self._chosen if it != name]
        self._chosen = [*kept, name] if is_ticked else kept
        self._draw()

    def _draw(self) -> None:
        runs = [run for run, _ in self._of_game() if run.name in self._chosen]
        drawing = ratings(runs, self._across, ladder_of(self._menu, self._game))
        self._chart_place.clear()
        with self._chart_place:
            if drawing is None:
                text("p", "Tick runs that have been rated to see their curves.", "note")
            else:
                Drawn().build(drawing)
                text(
                    "p",
                    "Point at a curve for its values; click a name to hide its curve; hold Ctrl and scroll to zoom.",
                    "note",
                )
        self._table.set_content(differences(runs) if runs else "")


def _title(name: str) -> str:
    return games.game(name).title if name in offered() else name


def differences(runs: Sequence[WatchedRun]) -> str:
    """A table: the result of each run, and the settings that differ between the runs that have them."""
    columns = "".join(f"<th>{escape(it.name)}</th>" for it in runs)
    rows = [_line(name, [_outcome(it)[name] for it in runs]) for name in ("rating", "games played", "CPU seconds")]
    names = dict.fromkeys(name for it in runs for name in it.settings)
    for name in names:
        values = {it.name: words(it.settings[name]) for it in runs if name in it.settings}
        if len(set(values.values())) > 1:
            rows.append(_line(spoken(name), [values.get(it.name, "") for it in runs]))
    what = "Results, and the settings that differ" if len(runs) > 1 else "Result"
    return f"<table class=differences><caption>{what}</caption><tr><td></td>{columns}</tr>{''.join(rows)}</table>"


def _outcome(run: WatchedRun) -> dict[str, str]:
    last: dict[str, Any] = run.rows[-1] if run.rows else {"games": 0, "cpu_seconds": 0.0}
    return {"rating": run.rating, "games played": f"{last['games']:,}", "CPU seconds": f"{last['cpu_seconds']:,.0f}"}


def _line(name: str, values: Sequence[str]) -> str:
    return f"<tr><td>{escape(name)}</td>{''.join(f'<td>{escape(it)}</td>' for it in values)}</tr>"
