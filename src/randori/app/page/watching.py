"""The view of one run: its curves, sample games and pictures, and all its snapshots to play against."""

import asyncio
from functools import partial
from html import escape
from urllib.parse import quote

from nicegui import ui

from randori.app.page.charts import Drawn, Lines
from randori.app.page.curves import ACROSS, ladder_of, measured, ratings
from randori.app.page.frame import Visit, frame
from randori.app.page.parts import add_option, box, button, choice, picture, set_text, text
from randori.app.page.run_care import RunCare
from randori.app.page.sample import Sample
from randori.app.service.claims import Who
from randori.app.service.menu import game_named
from randori.app.service.pictures import captions, pictures_of
from randori.app.service.refusals import Refusal, Unknown
from randori.app.service.room import PERSON
from randori.app.service.samples import nearest_rung
from randori.app.service.trainings import SECONDS_LONGER, Trainings
from randori.app.service.watched_run import COMPLETE, Status, WatchedRun
from randori.methods.pictures import Pictures

_SECONDS_A_LOOK = 2.0
_NEWEST, _ITSELF, _RUNG = "newest", "itself", "rung"


async def show_run(visit: Visit, trainings: Trainings, name: str) -> None:
    with frame(name, "/learning"):
        Watching(visit, trainings, name).build()


class Watching:
    """Updates itself every few seconds."""

    def __init__(self, visit: Visit, trainings: Trainings, name: str) -> None:
        self._visit, self._trainings, self._name = visit, trainings, name
        self._who = Who.of(visit.token, visit.is_owner)
        self._watched: WatchedRun | None = None
        self._shown: tuple[int, tuple[int, ...]] = (-1, ())
        self._chosen, self._other, self._across = _NEWEST, _ITSELF, "games"
        self._drawn: dict[str, Drawn] = {}
        self._care = RunCare(self._who, trainings, name)
        self._pictures: RunPictures | None = None

    def build(self) -> None:
        text("h1", self._name)
        self._state = text("p", "", "status").props("role=status")
        with box("div", "controls"):
            self._whom()
            button("Play against it", self._meet, "main", id="play-run")
            button("Show a game", self._show_game, id="sample")
            self._stop = button("Stop", lambda: self._trainings.stop(self._who, self._name), id="stop")
            self._continue = button("Continue", lambda: self._trainings.go_on(self._who, self._name), id="continue")
            longer = f"{SECONDS_LONGER / 60:.0f} minutes more"
            self._longer = button(longer, lambda: self._trainings.learn_longer(self._who, self._name), id="longer")
            for it in (self._stop, self._continue, self._longer):
                it.set_visibility(False)
        self._sample_place = ui.element("div")
        with box("div", "charts") as self._first_charts:  # above the pictures; the others are below
            self._rating_place = ui.element("div").classes("place")  # it is rated after the first things are measured
        self._pictures_place = ui.element("div")
        self._charts = ui.element("div").classes("charts")
        self._care.build()
        ui.timer(_SECONDS_A_LOOK, self._look)

    def _whom(self) -> None:
        self._rounds = choice("Player", {_NEWEST: "the newest"}, self._chosen, self._choose)
        others = {_ITSELF: "itself", _RUNG: "the ladder's nearest", "random": "Random", "heuristic": "Heuristic"}
        choice("Its games are against", others, self._other, self._choose_other)
        choice("Draw over", ACROSS, self._across, self._choose_across)

    async def _choose(self, round: str) -> None:
        if round == _NEWEST or (round.isascii() and round.isdigit()):
            self._chosen = round
            await self._show_pictures()

    def _choose_other(self, other: str) -> None:
        self._other = other

    def _choose_across(self, across: str) -> None:
        if across in ACROSS and self._watched is not None:
            self._across = across
            self._draw(self._watched)

    async def _look(self) -> None:
        status = await asyncio.to_thread(self._trainings.status, self._who, self._name)
        self._stop.set_visibility(status.may_stop)
        self._continue.set_visibility(status.may_continue)
        self._longer.set_visibility(status.may_change and status.ended == COMPLETE)
        try:
            watched = await asyncio.to_thread(self._trainings.run, self._name)
            state = _state(watched, status)
        except Unknown as error:
            set_text(self._state, status.complaint or ("Starting ..." if status.goes_on else str(error)))
            return
        set_text(self._state, status.complaint or state)
        if self._watched is None:
            self._build_details(watched)
        self._watched = watched
        self._care.show(watched, status)
        extent = (len(watched.rows), watched.snapshots)
        for kept in (it for it in watched.snapshots if it not in self._shown[1]):
            add_option(self._rounds, str(kept), f"after round {kept:,}", place=1)  # the latest first
        if extent != self._shown:
            self._draw(watched)
            await self._show_pictures()
        self._shown = extent

    def _draw(self, watched: WatchedRun) -> None:
        """An existing chart gets its new curve, so that whoever has zoomed in stays where they are."""
        rating = ratings([watched], self._across, ladder_of(self._visit.rooms.menu, watched.game))
        if rating is not None:
            self._show_chart(rating, self._rating_place)
        for place, drawing in enumerate(measured(watched, self._across)):
            self._show_chart(drawing, self._first_charts if place == 0 else self._charts)

    def _show_chart(self, drawing: Lines, place: ui.element) -> None:
        if drawing.title in self._drawn:
            self._drawn[drawing.title].show(drawing)
            return
        with place:
            self._drawn[drawing.title] = Drawn()
            self._drawn[drawing.title].build(drawing)

    def _build_details(self, watched: WatchedRun) -> None:
        """Builds what depends on the game."""
        with self._sample_place:
            self._sample = Sample(self._visit, game_named(watched.game), self._follow)
            self._sample.build()

    def _player(self) -> tuple[WatchedRun, str]:
        watched = self._watched
        if watched is None or not (watched.has_player or watched.snapshots):
            raise Refusal("Its first player is not ready yet: wait a moment.")
        newest = None if watched.has_player else watched.snapshots[-1]
        return watched, watched.spec(newest if self._chosen == _NEWEST else int(self._chosen))

    async def _meet(self) -> None:
        watched, spec = self._player()
        room = await self._visit.rooms.open(self._visit.profile.id, watched.game, (PERSON, spec))
        ui.navigate.to(f"/game/{room.id}")

    async def _show_game(self) -> None:
        watched, spec = self._player()
        elo = watched.rated[-1]["rating"]["elo"] if watched.rated else 0.0
        rung = nearest_rung(game_named(watched.game), elo)
        await self._sample.play(spec, {_ITSELF: spec, _RUNG: rung}.get(self._other, self._other))

    async def _show_pictures(self) -> None:
        """Shows the pictures as soon as there is a player, if its method has any."""
        watched = self._watched
        pictures = None if watched is None else pictures_of(watched)
        if watched is None or pictures is None or not watched.has_player:
            return
        if self._pictures is None:
            texts = await self._visit.rooms.thinking.about(partial(captions, self._visit.rooms.menu, watched))
            with self._pictures_place:
                self._pictures = RunPictures(self._name, game_named(watched.game).title, pictures, texts)
                self._pictures.build()
        self._pictures.show(self._chosen, watched.rows[-1]["round"] if watched.rows else 0)

    def _follow(self, transcript: str) -> None:
        if self._pictures is not None:
            self._pictures.follow(self._chosen, transcript)


class RunPictures:
    """The pictures of a run, one at a time, and above them the last sample game as its player sees it."""

    def __init__(self, name: str, game_title: str, pictures: Pictures, captions: list[str]) -> None:
        self._place, self._pictures, self._captions = f"/learning/{quote(name)}", pictures, captions
        self._subject = f"{pictures.title} of {game_title}"
        self._number, self._round, self._version = "1", _NEWEST, 0

    def build(self) -> None:
        text("h2", self._pictures.title)
        text("p", self._pictures.summary, "note")
        self._game = picture("", "drawing")
        with box("div", "form"):
            numbered = {str(place): f"{place}: {caption}" for place, caption in enumerate(self._captions, start=1)}
            choice("Picture", numbered, self._number, self._choose)
        self._picture = picture("", "drawing")

    def _choose(self, number: str) -> None:
        self._number = number
        self.show(self._round, self._version)

    def show(self, round: str, version: int) -> None:
        """The picture of a player; the version only tells the browser that it has changed."""
        self._round, self._version = round, version
        query = f"number={quote(self._number)}&round={quote(round)}&version={version}"
        description = escape(f"{self._subject}, number {self._number}")
        self._picture.set_content(f'<img src="{self._place}/picture.svg?{query}" alt="{description}" loading="lazy">')

    def follow(self, round: str, transcript: str) -> None:
        query = f"moves={quote(transcript)}&round={quote(round)}&version={self._version}"
        description = escape(f"The sample game: {self._subject}")
        self._game.set_content(f'<img src="{self._place}/game.svg?{query}" alt="{description}">')


def _state(watched: WatchedRun, status: Status) -> str:
    last = watched.rows[-1] if watched.rows else {"round": 0, "games": 0, "seconds": 0.0}
    parts = [
        f"{watched.learner} on {game_named(watched.game).title}: round {last['round']:,}",
        f"{last['games']:,} games",
    ]
    parts += [f"rating {watched.rating}"] if watched.rating else []
    parts += [_left(watched.seconds_left)] if status.goes_on and watched.seconds_left is not None else []
    complaint = f" {watched.complaint}" if watched.complaint else ""
    return f"{', '.join(parts)}{f' ({status.words})' if status.words else ''}.{complaint}"


def _left(seconds: float) -> str:
    if seconds < 1:
        return "finishing its last round"
    return f"{seconds:.0f} s left" if seconds < 100 else f"{seconds / 60:.0f} minutes left"
