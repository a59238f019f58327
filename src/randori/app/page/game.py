"""The view of one game: its board, its course, and what players think of it."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

import numpy as np
from nicegui import background_tasks, ui
from numpy.typing import NDArray

from randori.app.page.board import BoardElement, act_on, piece_sign, side_names, view_of
from randori.app.page.course import Course
from randori.app.page.dueling import show_duel
from randori.app.page.frame import Visit, frame
from randori.app.page.in_words import past, pieces, standing
from randori.app.page.links import ShareElement, record_path
from randori.app.page.minds import Minds
from randori.app.page.parts import (
    box,
    button,
    button_here,
    change,
    choice,
    event_handler,
    link,
    notify,
    picture,
    set_text,
    text,
)
from randori.app.page.patience import GETTING_READY, explained
from randori.app.service import partner
from randori.app.service.analysis import Analysis
from randori.app.service.duels import Duels
from randori.app.service.refusals import Refusal, TooMany, Unavailable, Unknown
from randori.app.service.reviews import chances
from randori.app.service.room import PERSON, GoneOn, Room
from randori.errors import UserError

_SPEEDS = {"2": "slow", "0.8": "steady", "0.2": "quick"}
"""Seconds between two moves of a game that is watched."""
_SPEED = "0.8"
_SECONDS_UNTIL_NEXT_TRY = 1.0


async def show(visit: Visit, duels: Duels, id: str) -> None:
    try:
        room = await visit.rooms.find(visit.profile.id, id)
    except Unknown as error:
        ui.context.client.status_code = error.status
        with frame("No such game", "/"):
            text("h1", "There is no such game")
            text("p", f"{error} Perhaps it was started in another browser.")
            link("Begin a new one", "/", "button main")
        return
    if room.duel is not None:
        await show_duel(visit, duels, room)
        return
    with frame(room.game.title, "/"):
        Playing(visit, room).build()


class Playing:
    """The view of one game. Whoever changes the game, here or in another tab, `follow` shows its new state."""

    def __init__(self, visit: Visit, room: Room) -> None:
        self._rooms, self._room, self._profile = visit.rooms, room, visit.profile
        self._client = ui.context.client
        self._task: asyncio.Task[None] | None = None
        self._judged_room: Room | None = None
        self._changed = 0.0
        self._sides = side_names(room.game)
        self._counts: dict[int, ui.html] = {}
        self._course = Course(room.game, self._look_at)
        self._hint: int | None = None
        self._liking: NDArray[np.float64] | None = None
        self._chances: list[float] = []
        self._looked_at: int | None = None
        """The ply of an earlier position, where the person looks at one."""
        self._asked_to_resign = False
        self._shows_thoughts = False
        self._is_watched = PERSON not in room.seats

    def build(self) -> None:
        with box("div", "playing"):
            with box("section", "stage", aria_label="Board"):
                below = self._seat_below()
                self._seat(1 - below)
                self._board = BoardElement().on("choose", event_handler(lambda event: self._on_choose(event.args)))
                self._seat(below)
                self._status = text("p", "", "status").props("role=status aria-live=polite")
                self._account = text("p", "", "note")
                self._controls()
            with box("aside", "beside"):
                text("h1", self._room.game.title, "quiet")
                self._course.build_curve()
                self._course.build_moves()
                with box("div", "controls"):
                    self._analyse = link("Analyse", "", "button quiet", id="analyse")
                self._minds = Minds(self._rooms, self._room)
                self._record()
        self.refresh()
        self._rooms.followers.add(self._room.id, self.follow)
        self._client.on_delete(lambda: self._rooms.followers.remove(self._room.id, self.follow))
        if self._is_watched:
            self._clock = ui.timer(float(_SPEED), self._step, immediate=False)
        else:
            ui.timer(0, self._wake, once=True)

    def _seat_below(self) -> int:
        seat = self._room.person_seat
        return 0 if seat is None else seat

    def _seat(self, seat: int) -> None:
        with box("div", "strip"):
            picture(piece_sign(self._room.game, seat))
            text("span", self._name(seat), "name")
            text("span", self._sides[seat], "note")
            self._counts[seat] = text("span", "", "count")

    def _name(self, seat: int) -> str:
        spec = self._room.seats[seat]
        if spec == PERSON:
            return self._profile.name or (
                "You" if self._room.person_seat is not None else self._sides[seat].capitalize()
            )
        return self._rooms.menu.title(self._room.game, spec)

    def _controls(self) -> None:
        with box("div", "controls") as self._during:
            if self._is_watched:
                self._run_button = button("Pause", self._toggle, id="run")
                choice("Speed", _SPEEDS, _SPEED, self._set_speed)
            else:
                self._pass_button = self._button("Pass", partial(self._rooms.move, name="pass"), "main", id="pass")
                self._button("Undo", self._rooms.undo, id="undo")
                self._button("Hint", self._give_hint, id="hint")
                self._thoughts_button = button("Opponent's thoughts", self._toggle_thoughts, id="thoughts")
                change(self._thoughts_button, aria_pressed="false")
                self._resign_button = self._button("Resign", self._resign, "quiet apart", id="resign")
        with box("div", "controls") as self._afterwards:
            link("Review", f"/game/{self._room.id}/review", "button main", id="review")
            button("Rematch", self._rematch, id="rematch")
            self._share = ShareElement("", "Share", "share")
            link("New game", "/", "button")
        self._back_button = button("Back to the game", self._look_at_now, "main", id="now")

    def _button(
        self, label: str, act: Callable[[Room], Awaitable[object]], classes: str = "plain", **attributes: str
    ) -> ui.html:
        return button_here(label, lambda ply: self._act(ply, act), classes, **attributes)

    def _record(self) -> None:
        with box("details", "record"):
            text("summary", "Transcript")
            self._transcript = text("output", "", "transcript")
            with box("div", "controls"):
                button("Copy", self._copy, id="copy")
                self._link = link("A link to this game for others", "", id="link")

    def refresh(self) -> None:
        """Shows the current position, or the earlier one that the person looks at."""
        room, ply = self._room, self._looked_at
        shown = room if ply is None else replace(room, board=room.board.first(ply), resigned=None)
        view = view_of(room, self._liking, self._hint) if ply is None else view_of(shown) | {"now": room.ply}
        self._board.props["view"] = view
        self._board.props["playable"] = room.persons_turn and ply is None
        self._board.update()
        self._show_controls()
        status = standing(room, self._name(room.to_move)) if ply is None else past(room, ply)
        set_text(self._status, status)
        set_text(self._account, room.account)
        for seat, element in self._counts.items():
            n = pieces(shown, seat)
            set_text(element, "" if n is None else f"{n} {room.game.counts}")
        set_text(self._transcript, room.transcript or "no move yet")
        change(self._link, href=record_path(room))
        self._share.lead_to(record_path(room))
        change(self._analyse, href=Analysis.of_game(room.game, room.board.history, ply).address(room=room.id))
        self._course.show(room.board.history, room.ply if ply is None else ply)

    def _show_controls(self) -> None:
        """After the end, only what one can do next."""
        room, is_back = self._room, self._looked_at is not None
        self._back_button.set_visibility(is_back)
        self._during.set_visibility(not room.is_over and not is_back)
        self._afterwards.set_visibility(room.is_over and not is_back)
        self._minds.set_visibility(not room.is_over)
        if not self._is_watched:
            self._pass_button.set_visibility(room.persons_turn and room.board.must_pass)
            set_text(self._resign_button, "Really resign?" if self._asked_to_resign else "Resign")

    def _look_at(self, ply: int) -> None:
        """Shows the position after this many moves; meanwhile the game continues."""
        if 0 <= ply <= self._room.ply:
            self._looked_at = None if ply == self._room.ply else ply
            self.refresh()

    def _look_at_now(self) -> None:
        self._look_at(self._room.ply)

    def follow(self, room: Room) -> None:
        """Shows the current state of the game."""
        if room.version == self._room.version:
            return
        if not room.stands_as(self._room):
            self._hint = self._liking = self._looked_at = None
            self._asked_to_resign = False
            both = zip(room.board.history, self._room.board.history, strict=False)
            n_same = next((ply for ply, (one, other) in enumerate(both) if one != other), min(room.ply, self._room.ply))
            self._chances = self._chances[: n_same + 1]
            self._changed = time.monotonic()
        self._room = self._minds.room = room
        self.refresh()
        self._wake()

    def _wake(self) -> None:
        if self._task is None or self._task.done():
            self._task = background_tasks.create(self._go_on())

    async def _go_on(self) -> None:
        """Lets the opponent move and shows what players think, until there is nothing new."""
        last_error = ""
        while self._judged_room is not self._room and not self._client.is_deleted:
            room = self._room
            try:
                if room.players_turn and not self._is_watched:
                    self.follow(await self._reply(room))
                else:
                    await self._think_along(room)
                    self._judged_room = room
            except TooMany:
                await asyncio.sleep(_SECONDS_UNTIL_NEXT_TRY)
            except UserError as error:
                if str(error) != last_error and not self._client.is_deleted:
                    with self._client:
                        notify(str(error))
                last_error = str(error)
                if not isinstance(error, Unavailable):
                    return
                await asyncio.sleep(_SECONDS_UNTIL_NEXT_TRY)

    async def _reply(self, room: Room) -> Room:
        async with explained(partial(set_text, self._status, GETTING_READY)):
            return await self._rooms.reply(room)

    async def _step(self) -> None:
        """Makes the next move of a game that is watched, unless another tab has just made it."""
        if time.monotonic() - self._changed < 0.8 * self._clock.interval:
            return
        try:
            self.follow(await self._reply(self._room))
        except (TooMany, Unavailable):
            return  # the clock tries again
        self._clock.active = self._room.players_turn

    async def _think_along(self, room: Room) -> None:
        await self._judge(room)
        await self._minds.show()
        if self._shows_thoughts and room.persons_turn:
            liking = (await self._rooms.mind(room, self._opponent())).liking
            if self._room is room:
                self._liking = liking
                self.refresh()

    def _opponent(self) -> str:
        seat = self._room.person_seat
        spec = self._room.seats[1 - seat] if seat is not None else PERSON
        if spec == PERSON or partner.is_companion(spec):
            raise Refusal("This opponent keeps its thoughts to itself.")
        return spec

    async def _judge(self, room: Room) -> None:
        """Updates the curve; plies that were judged before are not judged again."""
        before = self._chances[: room.ply]
        states = room.board.states[len(before) :]
        found = before + await self._rooms.thinking.about(partial(chances, room.game, states, len(before)))
        if self._room.stands_as(room):
            self._chances = found
            self._course.judge(found)

    async def _on_choose(self, choice: dict[str, object]) -> None:
        """A move by the board: its name and the ply that it was meant for."""
        try:
            await self._act(choice.get("ply"), partial(self._rooms.move, name=str(choice.get("move"))))
        except UserError:
            self._board.run_method("takeBack")  # the board already shows the move
            raise

    async def _act(self, ply: object, act: Callable[[Room], Awaitable[object]]) -> None:
        await act_on(self._room, ply, act, self.follow)

    async def _give_hint(self, room: Room) -> None:
        mind = await self._rooms.hint(room)
        if not self._room.stands_as(room):
            raise GoneOn(self._room)
        self._hint = mind.action
        self.refresh()
        notify(f"Hint: {self._room.game.move_names[mind.action]}")

    async def _resign(self, room: Room) -> None:
        """Asks first."""
        if self._asked_to_resign:
            await self._rooms.resign(room)
            return
        self._asked_to_resign = True
        self._show_controls()

    async def _rematch(self) -> None:
        """The same two with their seats swapped."""
        first, second = self._room.seats
        room = await self._rooms.open(self._profile.id, self._room.game.name, (second, first))
        ui.navigate.to(f"/game/{room.id}")

    async def _toggle_thoughts(self) -> None:
        self._opponent()
        self._shows_thoughts, self._liking = not self._shows_thoughts, None
        change(self._thoughts_button, aria_pressed="true" if self._shows_thoughts else "false")
        self.refresh()
        self._judged_room = None
        self._wake()

    def _toggle(self) -> None:
        self._clock.active = not self._clock.active and self._room.players_turn
        set_text(self._run_button, "Pause" if self._clock.active else "Resume")

    def _set_speed(self, seconds: str) -> None:
        if seconds in _SPEEDS:
            self._clock.interval = float(seconds)

    def _copy(self) -> None:
        ui.clipboard.write(self._room.transcript)
        notify("The transcript is on the clipboard.")
