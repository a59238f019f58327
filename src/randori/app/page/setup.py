"""The first view: which game, whom to meet, who begins; and one's games so far."""

import asyncio
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from nicegui import ui

from randori.app.page.board import side_names
from randori.app.page.emblems import emblem
from randori.app.page.farewell import farewell
from randori.app.page.frame import Visit, frame
from randori.app.page.parts import Twice, box, button, link, tell, telling, text
from randori.app.page.patience import GETTING_READY
from randori.app.page.tiles import Tiles, words
from randori.app.service import partner, pupils
from randori.app.service.menu import PARTNERS, Entry, Menu, game_named, offered
from randori.app.service.refusals import Refusal
from randori.app.service.room import PERSON
from randori.app.service.store import KeptGame
from randori.core.game import Game
from randori.errors import UserError
from randori.methods.som.pupil import check_maps, has_maps

FIRST_GAME = "othello8"
"""Chosen already for whoever comes."""
_LISTED = 12
"""Of one's games."""
_SECONDS_TO_LIST, _SECONDS_UNTIL_NEXT_LOOK = 1.0, 0.5
_SEATS = {"first": "I begin", "second": "I follow", "both": "Two people", "watch": "I watch"}


async def show(came: Visit) -> None:
    with frame("Play", "/"):
        kept = await asyncio.to_thread(came.rooms.store.games, came.profile.id, _LISTED)
        await _list_soon(came.rooms.menu, game_named(FIRST_GAME))
        Setup(came, await _lessons(came, bool(kept))).build()
        await _about_me(came, bool(kept))
        _earlier(came.rooms.menu, kept)
        if kept or came.profile.name:
            farewell()


class Setup:
    """The choices for a new game."""

    def __init__(self, came: Visit, lessons: dict[str, int]) -> None:
        self._came, self._lessons = came, lessons
        self._game, self._seat = game_named(FIRST_GAME), "first"
        self._opponents: list[str] = []

    def build(self) -> None:
        text("h1", "Choose a game")
        games = [game_named(name) for name in offered()]
        Tiles("Game", {it.name: _game_tile(it) for it in games}, self._game.name, self._choose_game, "games")
        self._whom()
        with box("div", "start"):
            button("Play", self._play, "main", id="start")
        self._record()

    @ui.refreshable_method
    def _whom(self) -> None:
        if not self._came.rooms.menu.is_listed(self._game):
            text("p", GETTING_READY, "note")
            ui.timer(_SECONDS_UNTIL_NEXT_LOOK, self._whom.refresh, once=True)
            return
        entries = dict(self._came.rooms.menu.entries(self._game))
        for spec in PARTNERS if self._seat == "watch" else ():
            entries.pop(spec, None)
        self._opponents = [partner.SPEC if partner.SPEC in entries else _gentle(entries), "random"]
        text("h2", "Who begins")
        first, second = side_names(self._game)
        Tiles("Who begins", {key: words(told) for key, told in _SEATS.items()}, self._seat, self._choose_seat, "seats")
        if self._seat != "both":
            text("h2", f"{first.capitalize()} (begins)" if self._seat == "watch" else "Opponent")
            self._list(entries, 0)
            self._about_pupil()
        if self._seat == "watch":
            text("h2", second.capitalize())
            self._list(entries, 1)

    def _list(self, entries: dict[str, Entry], place: int) -> None:
        if pupils.SPEC in entries:
            n = self._lessons[self._game.name]
            told = f"knows what {_games(n)} with you taught it" if n else "knows nothing yet: teach it by playing"
            entries = entries | {pupils.SPEC: replace(entries[pupils.SPEC], summary=told)}
        tiles = {spec: _opponent_tile(it) for spec, it in entries.items()}
        Tiles("Opponent", tiles, self._opponents[place], partial(self._choose_opponent, place), "opponents")

    def _about_pupil(self) -> None:
        """What it has had of you, with a way to take that back; or why there is none."""
        if self._seat == "watch":
            return
        try:
            check_maps(self._game)
        except UserError as error:
            text("p", str(error), "note")
            return
        n = self._lessons[self._game.name]
        with box("div", "pupil"):
            text("span", f"Your pupil in {self._game.title}: {_games(n)} with you so far.", "note")
            if n:
                Twice("Let it forget", "Forget all of it?", self._forget, id="forget").build()

    async def _forget(self) -> None:
        await self._came.rooms.pupils.forget(self._came.profile.id, self._game)
        self._lessons[self._game.name] = 0
        self._whom.refresh()
        tell("Your pupil knows nothing again.")

    async def _choose_game(self, name: str) -> None:
        self._game = game = game_named(name)
        self._came.rooms.preparations.want(game)
        await _list_soon(self._came.rooms.menu, game)
        if self._game is game:
            self._whom.refresh()

    def _choose_seat(self, seat: str) -> None:
        self._seat = seat
        self._whom.refresh()

    def _choose_opponent(self, place: int, spec: str) -> None:
        self._opponents[place] = spec

    def _seats(self) -> tuple[str, str]:
        opponent, other = self._opponents
        seats = {"first": (PERSON, opponent), "second": (opponent, PERSON), "both": (PERSON, PERSON)}
        return seats.get(self._seat, (opponent, other))

    async def _play(self, moves: str = "") -> None:
        if not self._came.rooms.menu.is_listed(self._game):
            raise Refusal(GETTING_READY)
        room = await self._came.rooms.open(self._came.profile.id, self._game.name, self._seats(), moves)
        ui.navigate.to(f"/game/{room.id}")

    def _record(self) -> None:
        with box("details", "record"):
            text("summary", "Go on from a transcript")
            text(
                "p",
                "Moves as people write them, such as f5d6c3 or 4453; the game and the seats are those chosen above.",
            )
            with box("label", "field wide"):
                text("span", "Transcript")
                area = ui.element("textarea").props("rows=3 spellcheck=false id=transcript-in")
            typed = {"moves": ""}
            area.on(
                "input", lambda event: typed.update(moves=str(event.args)), js_handler="(e) => emit(e.target.value)"
            )
            button("Play on", lambda: self._play(typed["moves"][:4000]), id="play-on")


async def _list_soon(menu: Menu, game: Game) -> None:
    """Has the players listed in a thread, and waits for a moment: longer only where something has to be compiled."""
    listing = asyncio.ensure_future(asyncio.to_thread(menu.entries, game))
    await asyncio.wait({listing}, timeout=_SECONDS_TO_LIST)


async def _lessons(came: Visit, has_played: bool) -> dict[str, int]:
    """How many games one's pupils have had, by game. Most who come at once are new: for them nothing is looked up."""
    taught = [it for it in map(game_named, offered()) if has_maps(it)]
    if not has_played:
        return {it.name: 0 for it in taught}
    return {it.name: len(await came.rooms.pupils.lessons(came.profile.id, it)) for it in taught}


def _games(n: int) -> str:
    return "no game" if n == 0 else "1 game" if n == 1 else f"{n} games"


def _gentle(entries: dict[str, Entry]) -> str:
    """Where there is no companion: the trained player whose strength is known best, else the rules of thumb."""
    trained = [spec for spec, it in entries.items() if it.is_trained and spec.startswith("zoo/")]
    return trained[0] if trained else "heuristic"


@lru_cache(maxsize=256)
def _game_tile(game: Game) -> str:
    rows, columns = game.shape
    drawn = f'<div class="emblem">{emblem(game.knowledge.look.kind)}</div>'
    return drawn + words(game.title.removesuffix(f" {rows}x{columns}"), f"{columns} x {rows}")


def _opponent_tile(entry: Entry) -> str:
    rating = "" if entry.strength is None else entry.strength.figure
    return f'{words(entry.title, entry.summary)}<span class="rating">{rating}</span>'


async def _about_me(came: Visit, has_played: bool) -> None:
    text("h2", "You")
    with box("label", "field"):
        text("span", "What may we call you?")
        name = ui.element("input").props("maxlength=40 autocomplete=nickname id=name")
        name.props["value"] = came.profile.name

    async def rename(event: Any) -> None:
        called = "".join(it for it in str(event.args) if it.isprintable()).strip()[:40]
        await came.rooms.rename(came.token, called)
        tell(f"Welcome, {called}." if called else "You have no name now.")

    name.on("change", telling(rename), js_handler="(event) => emit(event.target.value)")
    ratings = await came.rooms.ratings(came.profile.id) if has_played else {}
    for rating in ratings.values():
        told = f"{game_named(rating.game).title}: {rating.elo:.0f} ± {rating.deviation:.0f} after {rating.games} games"
        text("p", told, "note")


def _earlier(menu: Menu, kept: list[KeptGame]) -> None:
    shown = [it for it in kept if it.game in offered()]
    if not shown:
        return
    text("h2", "Your games")
    with box("ul", "earlier"):
        for it in shown:
            with box("li"):
                first, second = (_seat(menu, it, place) for place in (0, 1))
                link(f"{game_named(it.game).title}: {first} - {second}", f"/game/{it.id}")
                with box("span", "note"):
                    text("span", _result(it))
                    if it.result is not None:
                        link("Review", f"/game/{it.id}/review")


def _seat(menu: Menu, kept: KeptGame, place: int) -> str:
    spec = kept.seats[place]
    return "you" if spec == PERSON else menu.title(game_named(kept.game), spec)


def _result(kept: KeptGame) -> str:
    if kept.result is None:
        return "goes on"
    return {1.0: "1 : 0", 0.0: "0 : 1"}.get(kept.result, "drawn")
