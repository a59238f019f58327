"""One run as it goes on: its curves, sample games, its maps, and all that it was to play against."""

import asyncio
from functools import partial
from urllib.parse import quote

from nicegui import ui

from randori.app.page.curves import charts
from randori.app.page.frame import Visit, frame
from randori.app.page.parts import box, button, choice, picture, retell, text
from randori.app.page.sample import Sample
from randori.app.service.map_pictures import map_titles
from randori.app.service.menu import game_named
from randori.app.service.refusals import Refusal, Unknown
from randori.app.service.room import PERSON
from randori.app.service.samples import nearest_rung
from randori.app.service.trainings import Trainings, WatchedRun

_SECONDS_A_LOOK = 2.0
_FIRST_CHARTS = 2
"""Above the maps; the others are below."""
_NEWEST, _ITSELF, _RUNG = "newest", "itself", "rung"


async def show_run(came: Visit, trainings: Trainings, name: str) -> None:
    with frame(name, "/learning"):
        Watching(came, trainings, name).build()


class Watching:
    """Looked at again every few seconds."""

    def __init__(self, came: Visit, trainings: Trainings, name: str) -> None:
        self._came, self._trainings, self._name = came, trainings, name
        self._watched: WatchedRun | None = None
        self._shown: tuple[int, tuple[int, ...]] = (-1, ())
        self._chosen, self._other = _NEWEST, _ITSELF
        self._maps: Maps | None = None

    def build(self) -> None:
        text("h1", self._name)
        self._state = text("p", "", "status").props("role=status")
        with box("div", "controls"):
            self._whom()
            button("Play against it", self._meet, "main", id="play-run")
            button("Show a game", self._show_game, id="sample")
            button("Stop", lambda: self._trainings.stop(self._name), id="stop")
        self._sample_place = ui.element("div")
        self._first_charts = picture("", "charts")
        self._maps_place = ui.element("div")
        self._charts = picture("", "charts")
        ui.timer(_SECONDS_A_LOOK, self._look)

    @ui.refreshable_method
    def _whom(self) -> None:
        kept = self._watched.snapshots if self._watched is not None else ()
        rounds = {_NEWEST: "the newest"} | {str(it): f"after round {it:,}" for it in reversed(kept)}
        choice("Player", rounds, self._chosen, self._choose)
        others = {_ITSELF: "itself", _RUNG: "the ladder's nearest", "random": "Random", "heuristic": "Heuristic"}
        choice("Its games are against", others, self._other, self._choose_other)

    async def _choose(self, round: str) -> None:
        if round == _NEWEST or round.isdigit():
            self._chosen = round
            await self._show_maps()

    def _choose_other(self, other: str) -> None:
        self._other = other

    async def _look(self) -> None:
        goes_on = self._trainings.is_going_on(self._name)
        complaint = self._trainings.complaint(self._name)
        try:
            watched = await asyncio.to_thread(self._trainings.run, self._name)
        except Unknown as error:
            retell(self._state, complaint or ("Starting ..." if goes_on else str(error)))
            return
        retell(self._state, complaint or _state(watched, goes_on))
        if self._watched is None:
            self._build_details(watched)
        self._watched = watched
        seen = (len(watched.rows), watched.snapshots)
        if seen[1] != self._shown[1]:
            self._whom.refresh()
        if seen != self._shown:
            drawn = charts(watched)
            self._first_charts.set_content("".join(drawn[:_FIRST_CHARTS]))
            self._charts.set_content("".join(drawn[_FIRST_CHARTS:]))
            await self._show_maps()
        self._shown = seen

    def _build_details(self, watched: WatchedRun) -> None:
        """What depends on the game."""
        with self._sample_place:
            self._sample = Sample(self._came, game_named(watched.game), self._follow)
            self._sample.build()

    def _player(self) -> tuple[WatchedRun, str]:
        watched = self._watched
        if watched is None or not (watched.has_player or watched.snapshots):
            raise Refusal("Its first player is not there yet: wait a moment.")
        newest = None if watched.has_player else watched.snapshots[-1]
        return watched, watched.spec(newest if self._chosen == _NEWEST else int(self._chosen))

    async def _meet(self) -> None:
        watched, spec = self._player()
        room = await self._came.rooms.open(self._came.profile.id, watched.game, (PERSON, spec))
        ui.navigate.to(f"/game/{room.id}")

    async def _show_game(self) -> None:
        watched, spec = self._player()
        elo = watched.rated[-1]["rating"]["elo"] if watched.rated else 0.0
        rung = nearest_rung(game_named(watched.game), elo)
        await self._sample.play(spec, {_ITSELF: spec, _RUNG: rung}.get(self._other, self._other))

    async def _show_maps(self) -> None:
        """As soon as there is a player with maps."""
        watched = self._watched
        if watched is None or watched.learner != "som" or not watched.has_player:
            return
        if self._maps is None:
            asked = partial(map_titles, self._came.rooms.menu, watched, None)
            titles = await self._came.rooms.thinking.about(asked)
            with self._maps_place:
                self._maps = Maps(self._name, game_named(watched.game).title, titles)
                self._maps.build()
        self._maps.show(self._chosen, watched.rows[-1]["round"] if watched.rows else 0)

    def _follow(self, transcript: str) -> None:
        if self._maps is not None:
            self._maps.follow(self._chosen, transcript)


class Maps:
    """The maps of a run of the learner `som`: one at a time, and the way of the last sample game over all of them."""

    def __init__(self, name: str, title: str, stages: list[str]) -> None:
        self._place, self._title, self._stages = f"/learning/{quote(name)}", title, stages
        self._stage, self._round, self._version = "1", _NEWEST, 0

    def build(self) -> None:
        text("h2", "Maps")
        text("p", "Each neuron of a map stands for a position; games teach what the place is worth.", "note")
        self._path = picture("", "map")
        with box("div", "form"):
            numbered = {str(place): f"{place}: {told}" for place, told in enumerate(self._stages, start=1)}
            choice("Map", numbered, self._stage, self._choose)
        self._map = picture("", "map")

    def _choose(self, stage: str) -> None:
        self._stage = stage
        self.show(self._round, self._version)

    def show(self, round: str, version: int) -> None:
        """The map of a player; the version only tells the browser that it has changed."""
        self._round, self._version = round, version
        asked = f"stage={quote(self._stage)}&round={quote(round)}&version={version}"
        self._map.set_content(f'<img src="{self._place}/map.svg?{asked}" alt="A map of {self._title}" loading="lazy">')

    def follow(self, round: str, transcript: str) -> None:
        asked = f"moves={quote(transcript)}&round={quote(round)}&version={self._version}"
        told = f"The way of the sample game over the maps of {self._title}"
        self._path.set_content(f'<img src="{self._place}/path.svg?{asked}" alt="{told}">')


def _state(watched: WatchedRun, goes_on: bool) -> str:
    last = watched.rows[-1] if watched.rows else {"round": 0, "games": 0, "seconds": 0.0}
    told = f"{watched.learner} on {game_named(watched.game).title}: round {last['round']:,}, {last['games']:,} games"
    rating = watched.rating
    return f"{told}{', rating ' + rating if rating else ''}{', learning' if goes_on else ''}."
