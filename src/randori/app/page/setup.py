"""The first view: the choice of game, opponent and seat, a button that begins the game, and the visitor's own games."""

import asyncio
from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

from nicegui import ui

from randori import games
from randori.app.page.board import side_names
from randori.app.page.clock import ClockChoice
from randori.app.page.emblems import emblem
from randori.app.page.farewell import farewell
from randori.app.page.frame import Visit, frame
from randori.app.page.how_to import example, how_to_play
from randori.app.page.opponents import Opponents
from randori.app.page.parts import Twice, box, button, change, event_handler, link, notify, picture, set_text, text
from randori.app.page.patience import GETTING_READY
from randori.app.page.tiles import Tiles, words
from randori.app.service import partner
from randori.app.service.duel import FRIEND, drawn
from randori.app.service.duels import Duels
from randori.app.service.menu import Entry, Menu, game_named, is_partner, offered
from randori.app.service.refusals import Refusal
from randori.app.service.room import PERSON
from randori.app.service.store import KeptGame, KeptRating
from randori.core.game import Family, Game
from randori.errors import UserError
from randori.methods.som.pupil import check_maps, has_maps

FIRST_GAME = "othello8"
"""The game that is chosen at first."""
_LISTED = 12
"""Of one's games."""
_SECONDS_TO_LIST, _SECONDS_UNTIL_NEXT_LOOK = 1.0, 0.5
_SEATS = {
    "first": "I begin",
    "second": "My opponent begins",
    "lot": "At random",
    "both": "Two people",
    "watch": "I watch",
}
_WITHOUT_ME = ("both", "watch")
"""Seats that leave the person who chooses without an opponent."""


async def show(visit: Visit, duels: Duels) -> None:
    with frame("Play", "/"):
        kept = await asyncio.to_thread(visit.rooms.store.games, visit.profile.id, _LISTED)
        ratings, last = await visit.rooms.ratings(visit.profile.id) if kept else {}, _last(kept)
        await _list_soon(visit.rooms.menu, last[0])
        Setup(visit, duels, await _lessons(visit, bool(kept)), ratings, last).build()
        _about_me(visit, ratings)
        _earlier(visit, kept)
        if kept or visit.profile.name:
            farewell()


def _last(kept: list[KeptGame]) -> tuple[Game, str]:
    """The game that somebody played last, and from which seat."""
    for it in kept:
        if it.game in offered() and PERSON in it.seats:
            return game_named(it.game), "first" if it.seats[0] == PERSON else "second"
    return game_named(FIRST_GAME), "first"


class Setup:
    """The choices for a new game. The card at the top sums them up and begins the game."""

    def __init__(
        self,
        visit: Visit,
        duels: Duels,
        lessons: dict[str, int],
        ratings: Mapping[str, KeptRating],
        last: tuple[Game, str],
    ) -> None:
        self._visit, self._duels, self._lessons, self._ratings = visit, duels, lessons, ratings
        self._clock = ClockChoice(self._describe)
        self._game, self._seat = last
        self._opponents: list[str] = []
        """The specs of the two opponents chosen; empty until the players of the game are listed."""
        self._example: dict[str, Any] | None = None
        """The picture beside the rules, while they are shown."""

    def build(self) -> None:
        self._card()
        text("h2", "Game")
        families = {it.name: _family_tile(it) for it in _families().values()}
        Tiles("Game", families, self._game.family.name, self._choose_family, "games")
        self._boards()
        self._whom()
        text("h2", "Who begins")
        seats = {key: words(title) for key, title in _SEATS.items()}
        Tiles("Who begins", seats, self._seat, self._choose_seat, "seats")
        self._record()

    def _card(self) -> None:
        with box("section", "play-card", aria_label="Play"):
            self._emblem = picture("", "emblem")
            with box("div", "words"):
                self._headline = text("h1", "")
                self._summary = text("p", "", "note")
            button("Play", self._play, "main", id="start")

    def _describe(self) -> None:
        """Shows the choices in words."""
        self._emblem.set_content(emblem(self._game.knowledge.look.kind))
        board = self._game.title
        if not self._opponents:
            set_text(self._headline, board)
            set_text(self._summary, GETTING_READY)
            return
        titles = [self._title(spec) for spec in self._opponents]
        at_my_level = partner.is_companion(self._opponents[0])
        headline = f"Play against {titles[0]}"
        if at_my_level or self._meets_friend:
            headline = "Play at my level" if at_my_level else "Play a friend"
        description = {
            "first": f"{board}. You begin.",
            "second": f"{board}. Your opponent begins.",
            "lot": f"{board}. Chance decides who begins.",
            "both": f"{board}. Two people at one board.",
            "watch": f"{board}. {titles[0]} begins, {titles[1]} follows.",
        }[self._seat]
        if self._seat not in _WITHOUT_ME and at_my_level:
            rating = self._ratings.get(self._game.name)
            description = f"{description} {partner.partner(self._game, rating, self._opponents[0]).introduction()}"
        elif self._meets_friend:
            description = f"{description} {self._clock.in_words}"
        set_text(self._headline, {"both": "Play together", "watch": "Watch a game"}.get(self._seat, headline))
        set_text(self._summary, description)

    @property
    def _meets_friend(self) -> bool:
        return self._seat not in _WITHOUT_ME and self._opponents[0] == FRIEND

    def _title(self, spec: str) -> str:
        return "a friend" if spec == FRIEND else self._visit.rooms.menu.title(self._game, spec)

    @ui.refreshable_method
    def _boards(self) -> None:
        """The sizes of the game chosen, where it has several, and its rules."""
        boards = [it for it in map(game_named, offered()) if it.family.name == self._game.family.name]
        with box("div", "boards"):
            if len(boards) > 1:
                tiles = {it.name: words(_size(it)) for it in boards}
                Tiles("Size of the board", tiles, self._game.name, self._choose_game, "sizes")
            if self._game.knowledge.how_to_play is not None:
                label = f"How to play {self._game.family.title}"
                rules_button = button("?", self._toggle_rules, "round", id="rules", aria_label=label, title=label)
                change(rules_button, aria_expanded="false" if self._example is None else "true")
        if self._example is not None:
            how_to_play(self._game, self._example)

    async def _toggle_rules(self) -> None:
        shown = self._example is not None
        self._example = None if shown else await self._visit.rooms.thinking.about(partial(example, self._game))
        self._boards.refresh()

    @ui.refreshable_method
    def _whom(self) -> None:
        """The opponents for the chosen game and seat. Listing them may take a while; the card changes when it is done."""
        before, self._opponents = self._opponents, []
        if not self._visit.rooms.menu.is_listed(self._game):
            text("p", GETTING_READY, "note")
            ui.timer(_SECONDS_UNTIL_NEXT_LOOK, self._whom.refresh, once=True)
            self._describe()
            return
        entries = dict(self._visit.rooms.menu.entries(self._game))
        if self._seat == "watch":
            entries = {spec: it for spec, it in entries.items() if not is_partner(spec)}
        usual = partner.SPEC if partner.SPEC in entries else _gentle(entries)
        chosen = before[0] if before else usual
        stays = chosen in entries or (chosen == FRIEND and self._seat != "watch")
        self._opponents = [chosen if stays else usual, "random"]
        if self._seat != "both":
            first = side_names(self._game)[0].capitalize()
            text("h2", f"{first} (begins)" if self._seat == "watch" else "Opponent")
            self._list(entries, 0)
            self._about_pupil()
            self._time()
        if self._seat == "watch":
            text("h2", side_names(self._game)[1].capitalize())
            self._list(entries, 1)
        self._describe()

    def _list(self, entries: dict[str, Entry], place: int) -> None:
        n = self._lessons.get(self._game.name, 0)
        taught = f"Knows what {_games(n)} with you taught it." if n else "Knows nothing yet: teach it by playing."
        choose = partial(self._choose_opponent, place)
        Opponents("Opponent", entries, self._opponents[place], choose).build(taught, self._seat != "watch")

    @ui.refreshable_method
    def _time(self) -> None:
        if self._meets_friend:
            self._clock.build()

    def _about_pupil(self) -> None:
        """How many games the pupil has had, with a button to forget them; or why there is no pupil."""
        if self._seat == "watch":
            return
        try:
            check_maps(self._game)
        except UserError as error:
            text("p", str(error), "note")
            return
        if n := self._lessons[self._game.name]:
            with box("div", "pupil"):
                text("span", f"Your pupil in {self._game.title}: {_games(n)} with you so far.", "note")
                Twice("Let it forget", "Forget all of it?", self._forget, id="forget").build()

    async def _forget(self) -> None:
        await self._visit.rooms.pupils.forget(self._visit.profile.id, self._game)
        self._lessons[self._game.name] = 0
        self._whom.refresh()
        notify("Your pupil knows nothing again.")

    async def _choose_family(self, name: str) -> None:
        if name == self._game.family.name:
            return
        family = _families()[name]
        boards = [it for it in offered() if game_named(it).family.name == name]
        await self._choose_game(family.usual if family.usual in boards else boards[0])
        self._example = None
        self._boards.refresh()

    async def _choose_game(self, name: str) -> None:
        self._game = game = game_named(name)
        self._visit.rooms.preparations.want(game)
        await _list_soon(self._visit.rooms.menu, game)
        if self._game is game:
            self._whom.refresh()

    def _choose_seat(self, seat: str) -> None:
        self._seat = seat
        self._whom.refresh()

    def _choose_opponent(self, place: int, spec: str) -> None:
        is_other_form = (spec == FRIEND) != (self._opponents[place] == FRIEND)
        self._opponents[place] = spec
        if is_other_form:
            self._time.refresh()
        self._describe()

    def _seats(self) -> tuple[str, str]:
        opponent, other = self._opponents
        if self._seat == "lot":
            return (PERSON, opponent) if drawn(self._seat) == 0 else (opponent, PERSON)
        seats = {"first": (PERSON, opponent), "second": (opponent, PERSON), "both": (PERSON, PERSON)}
        return seats.get(self._seat, (opponent, other))

    async def _play(self, moves: str = "") -> None:
        if not self._opponents:
            raise Refusal(GETTING_READY)
        me, game = self._visit.profile.id, self._game.name
        if self._meets_friend:
            room = await self._duels.open(me, game, drawn(self._seat), self._clock.pace, moves)
        else:
            room = await self._visit.rooms.open(me, game, self._seats(), moves)
        ui.navigate.to(f"/game/{room.id}")

    def _record(self) -> None:
        with box("details", "record"):
            text("summary", "Continue from a transcript")
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
    """Lists the players in a thread and waits a moment: it takes longer only if something has to be compiled."""
    listing = asyncio.ensure_future(asyncio.to_thread(menu.entries, game))
    await asyncio.wait({listing}, timeout=_SECONDS_TO_LIST)


async def _lessons(visit: Visit, has_played: bool) -> dict[str, int]:
    """How many games the visitor's pupils have had, by game. Most visitors are new: nothing is looked up for them."""
    taught = [it for it in map(game_named, offered()) if has_maps(it)]
    if not has_played:
        return {it.name: 0 for it in taught}
    return {it.name: len(await visit.rooms.pupils.lessons(visit.profile.id, it)) for it in taught}


def _games(n: int) -> str:
    return "1 game" if n == 1 else f"{n} games"


def _gentle(entries: dict[str, Entry]) -> str:
    """Where there is no companion: the trained player whose strength is known best, else the rules of thumb."""
    trained = [spec for spec, it in entries.items() if it.is_trained and spec.startswith("zoo/")]
    return trained[0] if trained else "heuristic"


def _families() -> dict[str, Family]:
    """The families with a board on offer."""
    found = (game_named(it).family for it in offered())
    return {it.name: it for it in found}


def _size(game: Game) -> str:
    rows, columns = game.shape
    return f"{columns} x {rows}"


@lru_cache(maxsize=256)
def _family_tile(family: Family) -> str:
    sample = games.game(family.usual)
    return f'<div class="emblem">{emblem(sample.knowledge.look.kind)}</div>{words(family.title)}'


def _about_me(visit: Visit, ratings: Mapping[str, KeptRating]) -> None:
    text("h2", "You")
    with box("label", "field"):
        text("span", "What may we call you?")
        name = ui.element("input").props("maxlength=40 autocomplete=nickname id=name")
        name.props["value"] = visit.profile.name

    async def rename(event: Any) -> None:
        new_name = "".join(it for it in str(event.args) if it.isprintable()).strip()[:40]
        await visit.rooms.rename(visit.token, new_name)
        notify(f"Welcome, {new_name}." if new_name else "You have no name now.")

    name.on("change", event_handler(rename), js_handler="(event) => emit(event.target.value)")
    for rating in ratings.values():
        strength = (
            f"{game_named(rating.game).title}: {rating.elo:.0f} ± {rating.deviation:.0f} after {rating.games} games"
        )
        text("p", strength, "note")
    with box("p"):
        link("Your progress", "/progress", id="progress")


def _earlier(visit: Visit, kept: list[KeptGame]) -> None:
    shown = [it for it in kept if it.game in offered()]
    if not shown:
        return
    text("h2", "Your games")
    with box("ul", "earlier"):
        for it in shown:
            with box("li"):
                first, second = (_seat(visit, it, place) for place in (0, 1))
                link(f"{game_named(it.game).title}: {first} - {second}", f"/game/{it.id}")
                with box("span", "note"):
                    text("span", _result(it))
                    if it.result is not None:
                        link("Review", f"/game/{it.id}/review")


def _seat(visit: Visit, kept: KeptGame, place: int) -> str:
    spec = kept.seats[place]
    if kept.duel is not None:
        return "you" if (place == kept.duel.host_seat) == (kept.profile == visit.profile.id) else "a friend"
    return "you" if spec == PERSON else visit.rooms.menu.title(game_named(kept.game), spec)


def _result(kept: KeptGame) -> str:
    if kept.result is None:
        return "under way"
    if kept.duel is not None and kept.duel.guest is None and kept.resigned == kept.duel.host_seat:
        return "withdrawn"
    return {1.0: "1 : 0", 0.0: "0 : 1"}.get(kept.result, "drawn")
