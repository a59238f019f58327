"""The analysis board: any move can be tried at any place, and what was tried is kept beside the game."""

import asyncio
import json
from collections.abc import Mapping
from functools import partial

from nicegui import ui

from randori.app.page import study_files
from randori.app.page.board import BoardElement, piece_sign, side_names, view_of
from randori.app.page.course import MoveList, walk_buttons
from randori.app.page.frame import Visit, frame
from randori.app.page.in_words import pieces, played, result
from randori.app.page.numbers import CHANCE, JUDGE, OFF, NumbersPanel
from randori.app.page.parts import box, button, choice, event_handler, link, picture, set_text, text
from randori.app.page.setting_up import SettingUp
from randori.app.service.analysis import LONGEST_ADDRESS, PATH, Analysis
from randori.app.service.menu import game_named, offered
from randori.app.service.refusals import Unknown
from randori.app.service.room import PERSON, Room
from randori.core.game import Game
from randori.core.variations import Variations
from randori.errors import UserError
from randori.formats import Study
from randori.formats.study import unless_usual

_GOES_ON = (
    "Your game continues. Try any move. Numbers count as a hint, and a game with a hint does not count for your rating."
)


async def show(visit: Visit, game: Game, query: Mapping[str, str]) -> None:
    """Raises Refusal if the moves cannot be read."""
    visit.rooms.pace.take(visit.profile.id)
    visit.rooms.preparations.want(game)
    study = await study_files.read(visit.rooms, game, query.get("moves", "")[:LONGEST_ADDRESS])
    analysis = Analysis(game, study, study.moves.end_of())
    at = query.get("at", "")
    if at.isascii() and at.isdigit() and len(at) < 5:
        analysis = analysis.at(int(at))
    room = await _own_game(visit, query.get("room", ""), game)
    with frame(f"Analysis of {game.title}", PATH):
        view = Analysing(visit, analysis, room, query)
        await view.build()


async def _own_game(visit: Visit, id: str, game: Game) -> Room | None:
    """The visitor's game that is analysed; None for anybody else who opens the address."""
    try:
        room = await visit.rooms.find(visit.profile.id, id) if id else None
    except Unknown:
        return None
    return room if room is not None and room.game is game else None


class Analysing:
    """The view of an analysis. Every step has its own address, so a reload shows the same position."""

    def __init__(self, visit: Visit, analysis: Analysis, room: Room | None, query: Mapping[str, str]) -> None:
        self._visit, self._analysis, self._room = visit, analysis, room
        self._game, self._sides = analysis.game, side_names(analysis.game)
        self._client, self._address = ui.context.client, ""
        self._before: Analysis | None = None
        """The analysis before the last deletion, until the next change."""
        self._setting_up: SettingUp | None = None
        self._usual_mind = OFF if self._goes_on else JUDGE
        self._usual_unit = self._game.counts or CHANCE
        self._numbers = NumbersPanel(
            visit.rooms,
            visit.profile.id,
            self._game,
            query.get("numbers", self._usual_mind),
            query["unit"] if query.get("unit") in (CHANCE, self._usual_unit) else self._usual_unit,
            self._show,
        )
        if room is not None and self._goes_on:
            self._numbers.before = partial(visit.rooms.assist, visit.profile.id, room.id)

    @property
    def _goes_on(self) -> bool:
        return self._room is not None and not self._room.is_over and PERSON in self._room.seats

    async def build(self) -> None:
        entries = await asyncio.to_thread(self._visit.rooms.menu.entries, self._game)
        below = (self._room.person_seat if self._room is not None else None) or 0
        with box("div", "playing analysing"):
            with box("section", "stage", aria_label="Board"):
                self._counts = {1 - below: self._seat(1 - below)}
                self._board = BoardElement().on("choose", event_handler(lambda event: self._on_choose(event.args)))
                self._counts[below] = self._seat(below)
                self._controls()
                self._status = text("p", "", "status").props("role=status aria-live=polite")
            with box("aside", "beside") as self._beside:
                text("h1", "Analysis", "quiet")
                if self._goes_on:
                    text("p", _GOES_ON, "note")
                self._numbers.build(entries.values())
                self._build_moves()
                self._ways()
            self._set_up_box = ui.element("aside").classes("beside setting-up")
        self._show()

    def _seat(self, seat: int) -> ui.html:
        with box("div", "strip"):
            picture(piece_sign(self._game, seat))
            text("span", self._sides[seat], "name")
            return text("span", "", "count")

    def _controls(self) -> None:
        with box("div", "controls walk") as self._walk:
            walk_buttons(*(partial(self._step, it) for it in ("Home", "ArrowLeft", "ArrowRight", "End")))
            self._pass_button = button("Pass", partial(self._play, "pass"), "main", id="pass")

    def _build_moves(self) -> None:
        self._list = MoveList()
        self._list.props.update(marks={}, sides=list(self._sides), tree=True)
        self._list.on("go", event_handler(lambda event: self._go(event.args)))
        self._list.on("walk", event_handler(lambda event: self._step(str(event.args))))
        with box("div", "controls"):
            self._main_button = button("Make it the main line", self._make_main, "quiet", id="make-main")
            self._delete_button = button("Delete from here", self._delete, "quiet", id="delete")
            self._undo_button = button("Undo", self._undo, "quiet", id="undo")

    def _ways(self) -> None:
        study_files.open_panel(self._visit.rooms, self._visit.profile.id, self._game)
        study_files.save_panel(self._game, lambda: self._analysis)
        with box("div", "controls"):
            if self._room is not None:
                link("Back to the game", f"/game/{self._room.id}", "button main", id="to-game")
            if self._game.cells_suffice:
                button("Set up a position", self._set_up, id="set-up")
        games = {it: game_named(it).title for it in offered()}
        choice("Game", games, self._game.name, lambda name: ui.navigate.to(f"{PATH}?game={name}")).props("id=game")

    def _show(self) -> None:
        """Shows the current position; called again when more numbers are known."""
        is_set_up = self._setting_up is not None
        for element in (self._walk, self._status, self._beside, *self._counts.values()):
            element.set_visibility(not is_set_up)
        self._set_up_box.set_visibility(is_set_up)
        if self._setting_up is not None:
            self._show_board(self._setting_up.view)
            return
        it, room = self._analysis, self._analysis.room(self._visit.profile.id)
        numbers = self._numbers.look_at(it)
        self._show_board(view_of(room) | {"numbers": numbers, "free": True})
        listed = it.listed(self._sides)
        if any(self._list.props.get(name) != value for name, value in listed.items()):
            self._list.props.update(listed)
            self._list.update()
        set_text(self._status, _standing(room))
        for seat, element in self._counts.items():
            n = pieces(room, seat)
            set_text(element, "" if n is None else f"{n} {self._game.counts}")
        self._pass_button.set_visibility(not room.is_over and room.board.must_pass)
        self._main_button.set_visibility(not it.is_main)
        self._delete_button.set_visibility(bool(it.line))
        self._undo_button.set_visibility(self._before is not None)
        self._keep_address()

    def _show_board(self, view: dict[str, object]) -> None:
        if self._board.props.get("view") != view:
            self._board.props.update({"view": view, "playable": True})
            self._board.update()

    def _keep_address(self) -> None:
        """Puts the address of what is shown into the browser."""
        more = {
            "room": self._room.id if self._room is not None else "",
            "numbers": self._numbers.mind if self._numbers.mind != self._usual_mind else "",
            "unit": self._numbers.unit if self._numbers.unit != self._usual_unit else "",
        }
        address = self._analysis.address(**{name: value for name, value in more.items() if value})
        if address != self._address:
            self._address = address
            self._client.run_javascript(f"history.replaceState(history.state, '', {json.dumps(address)})")

    def _turn(self, analysis: Analysis, before: Analysis | None = None) -> None:
        """Shows another position, or another tree."""
        if analysis.study is not self._analysis.study:
            self._before = before
        self._analysis = analysis
        self._show()

    def _go(self, number: object) -> None:
        if isinstance(number, int):
            self._turn(self._analysis.at(number))

    def _step(self, key: str) -> None:
        self._turn(self._analysis.walked(key))

    def _on_choose(self, choice: dict[str, object]) -> None:
        """A click on the board: a move and the ply that it was meant for, or a square to put a piece on."""
        name = str(choice.get("move"))
        if self._setting_up is not None:
            self._setting_up.put(name)
            return
        try:
            if choice.get("ply") == len(self._analysis.line):
                self._play(name)
            else:
                self._board.run_method("takeBack")
        except UserError:
            self._board.run_method("takeBack")  # the board already shows the move
            raise

    def _play(self, name: str) -> None:
        self._turn(self._analysis.played(name))

    def _make_main(self) -> None:
        self._turn(self._analysis.with_main(), self._analysis)

    def _delete(self) -> None:
        self._turn(self._analysis.without(), self._analysis)

    def _undo(self) -> None:
        if self._before is not None:
            self._turn(self._before)

    def _set_up(self) -> None:
        self._setting_up = SettingUp(self._analysis.room(self._visit.profile.id), self._show)
        self._set_up_box.clear()
        with self._set_up_box:
            text("h1", "Set up a position", "quiet")
            self._setting_up.build()
            with box("div", "controls"):
                button("Analyse it", self._finish, "main", id="set-up-done")
                button("Cancel", self._cancel, id="set-up-cancel")

    def _cancel(self) -> None:
        self._setting_up = None
        self._set_up_box.clear()
        self._show()

    def _finish(self) -> None:
        """The position gets its own address, so the browser's Back returns to the analysis."""
        assert self._setting_up is not None
        start = unless_usual(self._game, self._setting_up.position)
        ui.navigate.to(Analysis(self._game, Study(start, Variations())).address())


def _standing(room: Room) -> str:
    """Who has moved, and who is to move."""
    last = f"{played(room, room.ply)}. " if room.ply else ""
    if room.is_over:
        return f"{last}{result(room, None)}"
    side = side_names(room.game)[room.to_move].capitalize()
    return f"{last}{side} {'has no move: pass' if room.board.must_pass else 'to move'}."
