"""The view of a game with a friend on another device: for each of the two, for those who watch, and to join it."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

from nicegui import background_tasks, ui
from starlette.responses import RedirectResponse, Response

from randori.app.page.board import BoardElement, act_on, piece_sign, side_names, view_of
from randori.app.page.clock import ClockElement
from randori.app.page.course import Course
from randori.app.page.frame import Visit, frame
from randori.app.page.friends import invitation_in_words, names_of_friends, offer_in_words, standing_of_friends
from randori.app.page.in_words import past, pieces
from randori.app.page.links import ShareElement, record_path
from randori.app.page.parts import (
    box,
    button,
    button_here,
    change,
    event_handler,
    link,
    notify,
    picture,
    set_text,
    text,
)
from randori.app.service.duel import Duel, What
from randori.app.service.duels import Duels
from randori.app.service.refusals import Forbidden
from randori.app.service.room import GoneOn, Room
from randori.errors import UserError


async def show_invitation(visit: Visit, duels: Duels, key: str) -> Response | None:
    """The page where a friend joins; once somebody has joined, the game. Raises Unknown."""
    room = await duels.invited_to(key)
    if room.seat_of(visit.profile.id) is not None:
        return RedirectResponse(f"/game/{room.id}", 303)
    if _duel(room).guest is None and not room.is_over:
        await _show_way_in(visit, duels, room)
    else:
        await show_duel(visit, duels, room)
    return None


async def show_next(duels: Duels, key: str) -> Response:
    """Takes people who watch to the rematch. Raises Unknown if there is none."""
    return RedirectResponse(f"/friend/{_duel(await duels.next_of(await duels.invited_to(key))).key}", 303)


async def show_duel(visit: Visit, duels: Duels, room: Room) -> None:
    room = await duels.settle(room)
    names = await names_of_friends(visit, room)
    with frame(room.game.title, "/"):
        Dueling(visit, duels, room, names).build()


async def _show_way_in(visit: Visit, duels: Duels, room: Room) -> None:
    heading, description = await invitation_in_words(visit, room)

    async def join() -> None:
        try:
            await duels.join(room, visit.profile.id)
        except (Forbidden, GoneOn):
            ui.navigate.reload()  # somebody was faster: now there is a game to watch
            return
        ui.navigate.to(f"/game/{room.id}")

    with frame(f"A game of {room.game.title}", "/"), box("div", "way-in"):
        with box("div", "words"):
            text("h1", heading)
            text("p", description)
            button("Join", join, "main", id="join")
            text("p", "The first to join takes the seat. Everybody else with this link can watch.", "note")
        with box("figure"):
            preview = BoardElement().classes("small")
            preview.props.update({"view": view_of(room), "playable": False})


class Dueling:
    """The view of one such game. Whoever changes the game, `follow` shows its new state."""

    def __init__(self, visit: Visit, duels: Duels, room: Room, names: list[str]) -> None:
        self._visit, self._duels, self._room, self._names = visit, duels, room, names
        self._mine = room.seat_of(visit.profile.id)
        self._client = ui.context.client
        self._course = Course(room.game, self._look_at)
        self._looked_at: int | None = None
        """The ply of an earlier position, where the person looks at one."""
        self._asked_to_resign = self._is_here = False
        self._clocks: dict[int, ClockElement] = {}
        self._notes: dict[int, ui.html] = {}
        self._name_labels: dict[int, ui.html] = {}

    @property
    def _duel(self) -> Duel:
        return _duel(self._room)

    def build(self) -> None:
        below = self._mine or 0
        with box("div", "playing dueling"):
            with box("section", "stage", aria_label="Board"):
                self._invitation()
                self._seat(1 - below)
                self._board = BoardElement().on("choose", event_handler(lambda event: self._on_choose(event.args)))
                self._seat(below)
                self._status = text("p", "", "status").props("role=status aria-live=polite")
                if self._mine is not None:
                    self._offers()
                self._controls()
            with box("aside", "beside"):
                text("h1", self._room.game.title, "quiet")
                if self._mine is None:
                    text("p", "You are watching.", "note")
                self._course.build_moves()
                self._record()
        self.refresh()
        self._attend()

    def _attend(self) -> None:
        """Follows the game while the page is open; the friend sees whether it is."""
        followers, id = self._visit.rooms.followers, self._room.id
        followers.add(id, self.follow, is_duel=True)
        self._duels.watch_clock(self._room)
        self._client.on_connect(lambda: self._be_here(True))
        self._client.on_disconnect(lambda: self._be_here(False))
        self._client.on_delete(lambda: followers.remove(id, self.follow))
        self._client.on_delete(lambda: self._be_here(False))

    def _be_here(self, is_here: bool) -> None:
        if self._mine is not None and is_here != self._is_here:
            self._is_here = is_here
            noted = self._duels.presence.enter if is_here else self._duels.presence.leave
            noted(self._room.id, self._mine)

    def _invitation(self) -> None:
        with box("section", "invitation", aria_label="Invitation") as self._invitation_box:
            if self._mine is not None and self._duel.guest is None:
                text("h2", "Send this link to your friend")
                ShareElement(f"/friend/{self._duel.key}", "Copy", "copy-invitation", "main", field=True)
                text("p", "The first to open it and press Join plays with you; everybody else watches.", "note")

    def _seat(self, seat: int) -> None:
        with box("div", "strip"):
            picture(piece_sign(self._room.game, seat))
            self._name_labels[seat] = text("span", self._names[seat], "name")
            self._notes[seat] = text("span", "", "note")
            self._clocks[seat] = ClockElement(f"Time of {side_names(self._room.game)[seat]}")

    def _offers(self) -> None:
        with box("div", "offer", role="status") as self._offer_bar:
            self._offer_text = text("span", "")
            self._accept_button = self._button("Accept", self._accept, "main", id="accept")
            self._decline_button = self._button("Decline", self._duels.decline, id="decline")

    def _controls(self) -> None:
        with box("div", "controls") as self._during:
            if self._mine is not None:
                self._pass_button = self._button("Pass", partial(self._duels.move, name="pass"), "main", id="pass")
                self._draw_button = self._button("Offer a draw", self._offer("draw"), id="draw")
                self._undo_button = self._button("Ask to take back", self._offer("undo"), id="undo")
                self._resign_button = self._button("Resign", self._resign, "quiet apart", id="resign")
        with box("div", "controls") as self._afterwards:
            if self._mine is not None:
                self._review = link("Review", f"/game/{self._room.id}/review", "button main", id="review")
                self._rematch_button = self._button("Rematch", self._offer("rematch"), id="rematch")
            self._next = link("To the rematch", "", "button", id="next")
            self._share = ShareElement("", "Share", "share")
            link("New game", "/", "button")
        self._back_button = button("Back to the game", lambda: self._look_at(self._room.ply), "main", id="now")

    def _button(
        self, label: str, act: Callable[[Room, int], Awaitable[object]], classes: str = "plain", **attributes: str
    ) -> ui.html:
        return button_here(label, lambda ply: self._act(ply, act), classes, **attributes)

    def _record(self) -> None:
        with box("details", "record"):
            text("summary", "Transcript")
            self._transcript = text("output", "", "transcript")
        with box("div", "watching") as self._watching:
            ShareElement(f"/friend/{self._duel.key}", "Copy a link to watch", "watch-link", "quiet")

    def refresh(self) -> None:
        """Shows the current position, or the earlier one that the person looks at."""
        room, ply = self._room, self._looked_at
        shown = room if ply is None else replace(room, board=room.board.first(ply), resigned=None, duel=None)
        self._board.props["view"] = view_of(shown) | {"now": room.ply}
        is_mine = room.persons_turn and room.to_move == self._mine and self._duel.guest is not None
        self._board.props["playable"] = is_mine and ply is None
        self._board.update()
        for seat in (0, 1):
            self._show_seat(shown, seat)
        friend_is_here = self._mine is None or self._is_there(1 - self._mine)
        standing = standing_of_friends(room, self._mine, self._names, friend_is_here)
        set_text(self._status, standing if ply is None else past(room, ply))
        set_text(self._transcript, room.transcript or "no move yet")
        self._course.show(room.board.history, room.ply if ply is None else ply)
        self._show_controls()

    def _is_there(self, seat: int) -> bool:
        return self._duels.presence.is_here(self._room.id, seat)

    def _show_seat(self, shown: Room, seat: int) -> None:
        set_text(self._name_labels[seat], self._names[seat])
        notes = [side_names(shown.game)[seat]]
        if (n := pieces(shown, seat)) is not None:
            notes.append(f"{n} {shown.game.counts}")
        if self._duel.guest is None and seat != self._duel.host_seat and not self._room.is_over:
            notes.append("invited")
        elif seat != self._mine and not self._room.is_over and not self._is_there(seat):
            notes.append("away")
        set_text(self._notes[seat], " \N{MIDDLE DOT} ".join(notes))
        self._clocks[seat].show(self._room, self._duel, seat)

    def _show_controls(self) -> None:
        room, duel, is_back = self._room, self._duel, self._looked_at is not None
        self._invitation_box.set_visibility(self._mine is not None and duel.guest is None and not room.is_over)
        self._watching.set_visibility(duel.guest is not None and not room.is_over)
        self._back_button.set_visibility(is_back)
        self._during.set_visibility(not room.is_over and not is_back)
        self._afterwards.set_visibility(room.is_over and not is_back)
        self._share.set_visibility(room.ply > 0)
        self._share.lead_to(record_path(room))
        self._next.set_visibility(duel.next is not None)
        change(self._next, href=f"/game/{duel.next}" if self._mine is not None else f"/friend/{duel.key}/next")
        if self._mine is not None:
            self._show_own_controls(self._mine)

    def _show_own_controls(self, mine: int) -> None:
        room, duel, offer = self._room, self._duel, self._duel.offer
        self._pass_button.set_visibility(room.persons_turn and room.to_move == mine and room.board.must_pass)
        for element in (self._draw_button, self._undo_button):
            element.set_visibility(duel.guest is not None and offer is None)
        self._review.set_visibility(room.ply > 0)
        self._rematch_button.set_visibility(duel.next is None and offer is None and duel.guest is not None)
        giving_up = "Resign" if duel.guest is not None else "Withdraw the invitation"
        set_text(self._resign_button, "Really resign?" if self._asked_to_resign else giving_up)
        self._offer_bar.set_visibility(offer is not None)
        set_text(self._offer_text, offer_in_words(duel, mine, self._names[1 - mine]))
        self._accept_button.set_visibility(offer is not None and offer.seat != mine)
        set_text(self._decline_button, "Withdraw" if offer is not None and offer.seat == mine else "Decline")

    def _look_at(self, ply: int) -> None:
        """Shows the position after this many moves; meanwhile the game continues."""
        if 0 <= ply <= self._room.ply:
            self._looked_at = None if ply == self._room.ply else ply
            self.refresh()

    def follow(self, room: Room) -> None:
        """Shows the current state of the game, even if somebody has only arrived or left."""
        before, self._room = self._room, room
        if not room.stands_as(before):
            self._looked_at, self._asked_to_resign = None, False
        self._duels.watch_clock(room)
        self.refresh()
        if _duel(before).guest != self._duel.guest:
            background_tasks.create(self._ask_names())
        if _duel(before).next is None and self._duel.next is not None and self._mine is not None:
            with self._client:
                ui.navigate.to(f"/game/{self._duel.next}")

    async def _ask_names(self) -> None:
        self._names = await names_of_friends(self._visit, self._room)
        if not self._client.is_deleted:
            self.refresh()

    async def _on_choose(self, choice: dict[str, object]) -> None:
        """A move by the board: its name and the ply that it was meant for."""
        try:
            await self._act(choice.get("ply"), partial(self._duels.move, name=str(choice.get("move"))))
        except UserError:
            self._board.run_method("takeBack")  # the board already shows the move
            raise

    async def _act(self, ply: object, act: Callable[[Room, int], Awaitable[object]]) -> None:
        await act_on(self._room, ply, lambda room: act(room, self._visit.profile.id), self.follow)

    def _offer(self, what: What) -> Callable[[Room, int], Awaitable[object]]:
        return partial(self._duels.offer, what=what)

    async def _accept(self, room: Room, profile: int) -> None:
        offer = _duel(room).offer
        if offer is None or offer.seat == self._mine:
            notify("That is no longer offered.")
            return
        await self._duels.offer(room, profile, offer.what)

    async def _resign(self, room: Room, profile: int) -> None:
        """Asks for confirmation if there is a game to lose."""
        if self._asked_to_resign or _duel(room).guest is None:
            await self._duels.resign(room, profile)
            return
        self._asked_to_resign = True
        self._show_controls()


def _duel(room: Room) -> Duel:
    assert room.duel is not None
    return room.duel
