"""The league: every method by CPU time, in an interactive chart, and every snapshot to play against."""

import asyncio
from html import escape
from pathlib import Path
from typing import Any

from nicegui import ui

from randori.app.page.charts import Drawn, Lines
from randori.app.page.frame import frame
from randori.app.page.meeting import Meeting
from randori.app.page.parts import box, button, choice, scrolling, set_text, text
from randori.app.service.leagues import OURS, called, in_time, league, leagues, player_file, spec_of
from randori.app.service.menu import game_named, offered
from randori.app.service.refusals import Refusal
from randori.arena.ratings import at_bound
from randori.experiments.league import QUESTIONS, Question
from randori.experiments.league.drawing import CPU_SECONDS, accuracy_curves, rating_curves, rating_levels
from randori.experiments.league.standing import Standing, added_by_search, standings

_RATING, _ACCURACY = "rating", "accuracy"
_DRAWN = {_RATING: "ratings", _ACCURACY: "right moves"}
_NONE = (
    "There is no league here yet. `randori league --games connect4 --budget 1m` makes one: every method learns for the same "
    "CPU time, and all its snapshots play each other."
)


async def show(meeting: Meeting, name: str, game: str) -> None:
    """The league and the game of these names, or the first of each."""
    with frame("League", "/league"):
        text("h1", "League")
        found = await asyncio.to_thread(leagues, meeting.menu.runs)
        if not found:
            text("p", _NONE, "note").props("id=no-league")
            return
        text(
            "p",
            "Every method learns each game for the same CPU time. Its snapshots play each other and the rungs of the "
            "ladder: by knowledge alone, without a search, and as players, with equal CPU time per move.",
            "note",
        )
        chosen = name if name in found else next(iter(found))
        read = await asyncio.to_thread(league, meeting.menu.runs, chosen)
        if len(found) > 1:
            choice("League", {it: _called(it) for it in found}, chosen, lambda it: ui.navigate.to(f"/league?name={it}"))
        LeagueView(meeting, chosen, found[chosen], read).build(game)


def _called(name: str) -> str:
    return "the included league" if name == OURS else name


class LeagueView:
    """One game at a time, and one question."""

    def __init__(self, meeting: Meeting, name: str, folder: Path, read: dict[str, Any]) -> None:
        self._meeting, self._name, self._folder, self._league = meeting, name, folder, read
        self._games = {it["game"]: it for it in read["games"] if it["game"] in offered()}
        self._question: Question = "player"
        self._drawn_value = _RATING
        self._snapshot = ""

    def build(self, game: str) -> None:
        if not self._games:
            text("p", "None of its games is played here.", "note")
            return
        self._game = game if game in self._games else max(self._games, key=self._spread)
        with box("div", "form"):
            choice("Game", {name: it["title"] for name, it in self._games.items()}, self._game, self._choose_game)
            choice(
                "Question", {str(it): title for it, title in QUESTIONS.items()}, self._question, self._choose_question
            )
            choice("Draw", _DRAWN, self._drawn_value, self._choose_drawn)
        self._chart_place = ui.element("div").classes("charts one")
        self._meet_place = ui.element("div")
        self._table = scrolling("", "Ranks")
        text("p", f"Made by {self._league['command']}", "note")
        self._draw()

    def _spread(self, name: str) -> float:
        """Elo between the strongest line of a game and the weakest: where it is large, there is something to see."""
        elos = [it.elo for it in standings(self._games[name], self._question)]
        return max(elos, default=0.0) - min(elos, default=0.0)

    @property
    def _of_game(self) -> dict[str, Any]:
        return self._games[self._game]

    def _choose_game(self, name: str) -> None:
        if name in self._games:
            self._game = name
            self._draw()

    def _choose_question(self, question: str) -> None:
        for it in QUESTIONS:
            if it == question:
                self._question = it
                self._draw()

    def _choose_drawn(self, drawn: str) -> None:
        if drawn in _DRAWN:
            self._drawn_value = drawn
            self._draw()

    def _draw(self) -> None:
        self._chart_place.clear()
        with self._chart_place:
            drawing = self._drawing()
            if drawing is None:
                text("p", "The right moves of this game are not known.", "note")
            else:
                Drawn().build(drawing, self._choose_point)
                text(
                    "p",
                    "Click a point to choose the player of that moment; click a name to hide its curve.",
                    "note",
                )
        self._table.set_content(_tables(self._of_game, self._question))
        self._show_meeting(next(iter(self._snapshots()), ""))

    def _drawing(self) -> Lines | None:
        found, question = self._of_game, self._question
        title = f"{found['title']}, {QUESTIONS[question].lower()}: {_DRAWN[self._drawn_value]}"
        if self._drawn_value == _ACCURACY:
            curves = accuracy_curves(found, question)
            return Lines(title, CPU_SECONDS, "share of right moves", curves, log_x=True) if curves else None
        curves = rating_curves(found, question)
        levels = rating_levels(found, question, curves) if curves else []
        return Lines(title, CPU_SECONDS, "rating (random = 0)", curves, levels, log_x=True) if curves else None

    def _snapshots(self) -> dict[str, dict[str, Any]]:
        """The snapshots that the question rates, by name; the longest trained of each line first."""
        rows = [it for it in self._of_game["snapshots"] if it[self._question] is not None and it["file"] is not None]
        lines = [it["name"] for it in self._of_game["lines"]]
        ordered = sorted(rows, key=lambda it: (lines.index(it["line"]), -(it["cpu_seconds"] or 0.0)))
        return {it["name"]: it for it in ordered}

    def _choose_point(self, title: str, cpu_seconds: float) -> None:
        """The snapshot that is nearest to a point of the chart."""
        titles = {it["name"]: it["title"] for it in self._of_game["lines"]}
        near = {
            name: abs(it["cpu_seconds"] - cpu_seconds)
            for name, it in self._snapshots().items()
            if titles[it["line"]] == title and it["cpu_seconds"] is not None
        }
        if near:
            self._show_meeting(min(near, key=lambda it: near[it]))

    def _show_meeting(self, chosen: str) -> None:
        """A list of all snapshots, and a button to play against the chosen one."""
        self._meet_place.clear()
        snapshots = self._snapshots()
        if chosen not in snapshots:
            return
        with self._meet_place:
            text("h2", "Play against a snapshot")
            with box("div", "form"):
                listed = {name: _listed(self._of_game, it, self._question) for name, it in snapshots.items()}
                choice("Snapshot", listed, chosen, self._choose_snapshot)
            self._missing = text("p", "", "note").props("id=train-it")
            with box("div", "controls"):
                self._button = button("", self._meet, "main", id="meet")
        self._choose_snapshot(chosen)

    def _choose_snapshot(self, name: str) -> None:
        snapshots = self._snapshots()
        if name not in snapshots:
            return
        self._snapshot, row = name, snapshots[name]
        is_here = player_file(self._folder, self._game, row) is not None
        self._button.set_visibility(is_here)
        set_text(self._button, f"Meet {called(self._of_game, row)}")
        advice = f"Its player is not stored here. Train it yourself: {row['command']}"
        set_text(self._missing, "" if is_here else advice)

    async def _meet(self) -> None:
        if self._snapshot not in self._snapshots():
            raise Refusal("Choose a snapshot first.")
        spec = spec_of(self._name, self._snapshot, self._question)
        await self._meeting.meet(game_named(self._game), spec)


def _listed(of_game: dict[str, Any], row: dict[str, Any], question: Question) -> str:
    seed = "" if row["seed"] is None else f", seed {row['seed']}"
    rating = row[question]["rating"]
    strength = "" if rating is None else ": " + at_bound(f"{rating['elo']:.0f}", rating["extrapolated"])
    return f"{called(of_game, row)}{seed}{strength}"


def _tables(of_game: dict[str, Any], question: Question) -> str:
    """Ranks, and what search adds."""
    heads = "".join(
        f"<th>{it}</th>" for it in ("rank", "rating", "95% interval", "right moves", "ms per move", "learned for")
    )
    rows = "".join(map(_row, standings(of_game, question)))
    added = "".join(
        f"<tr><td>{escape(it.title)}</td><td>{round(it.elo):+d}</td><td>{it.interval[0]:.0f} to {it.interval[1]:.0f}</td></tr>"
        for it in added_by_search(of_game)
    )
    ranks = f"<table class=differences><caption>Ranks that the intervals allow</caption><tr><td></td>{heads}</tr>{rows}</table>"
    if not added:
        return ranks
    columns = "<tr><td></td><th>Elo</th><th>95% interval</th></tr>"
    return f"{ranks}<table class=differences><caption>What search adds</caption>{columns}{added}</table>"


def _row(it: Standing) -> str:
    cells = (
        it.rank.words,
        at_bound(f"{it.elo:.0f}", it.extrapolated),
        f"{it.interval[0]:.0f} to {it.interval[1]:.0f}",
        "" if it.accuracy is None else f"{it.accuracy[0]:.3f}",
        "" if it.milliseconds is None else f"{it.milliseconds:.2f}",
        "" if it.cpu_seconds is None else in_time(it.cpu_seconds),
    )
    return f"<tr><td>{escape(it.title)}</td>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
