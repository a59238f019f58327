"""The view of a review: the curve of a game, its mistakes, and every position with the move that was better."""

import asyncio
import time
from functools import reduce
from html import escape

from nicegui import ui

from randori.app.page.board import BoardElement, piece_sign, side_names, view_of
from randori.app.page.course import Course, walk_buttons
from randori.app.page.frame import Visit, frame
from randori.app.page.friends import names_of_friends
from randori.app.page.in_words import past, result
from randori.app.page.parts import box, button, change, event_handler, link, notify, picture, set_text, text
from randori.app.service.analysis import Analysis
from randori.app.service.menu import game_named
from randori.app.service.refusals import TooMany
from randori.app.service.reviews import UnderWay
from randori.app.service.room import PERSON, Room
from randori.core.game_so_far import GameSoFar
from randori.review import PHASES, Judged, Review
from randori.review.words import line_of, percent, sentences

_SECONDS_BETWEEN = 0.15
_SECONDS_UNTIL_NEXT_TRY = 1.0
_PRESSED = "(event) => {{ const it = event.target.closest('[data-{0}]'); if (it) emit(Number(it.dataset.{0})); }}"


async def show_room(visit: Visit, id: str) -> None:
    """Raises Refusal if there is no such game, or it is not over."""
    room = await visit.rooms.find(visit.profile.id, id)
    under_way = visit.rooms.reviews.of_room(room)
    names = [_name(visit, room, seat) for seat in (0, 1)] if room.duel is None else await names_of_friends(visit, room)
    with frame(f"Review of {room.game.title}", "/review"):
        Reviewing(visit, room, under_way, names).build()


async def show_record(visit: Visit, game_name: str, moves: str) -> None:
    """Raises Refusal if the moves cannot be read."""
    visit.rooms.pace.take(visit.profile.id)
    under_way = await visit.rooms.reviews.of_record(game_name, moves)
    game = game_named(game_name)
    start = Room("record", visit.profile.id, GameSoFar(game), (PERSON, PERSON))
    room = reduce(Room.after, under_way.review.actions, start)
    with frame(f"Review of {game.title}", "/review"):
        Reviewing(visit, room, under_way, [it.capitalize() for it in side_names(game)]).build()


class Reviewing:
    """The view of a review, while it is being made and afterwards."""

    def __init__(self, visit: Visit, room: Room, under_way: UnderWay, names: list[str]) -> None:
        self._reviews, self._under_way, self._room, self._names = visit.rooms.reviews, under_way, room, names
        self._client = ui.context.client
        self._mine = room.person_seat if room.duel is None else room.seat_of(visit.profile.id)
        self._ply, self._step = room.ply, 0
        self._course = Course(room.game, self._go)

    @property
    def _review(self) -> Review:
        return self._under_way.review

    def build(self) -> None:
        below = self._mine or 0
        with box("div", "playing reviewing"):
            with box("section", "stage", aria_label="Board"):
                self._seat(1 - below)
                self._board = BoardElement()
                self._seat(below)
                self._controls()
                with box("div", "verdict"):
                    self._status = text("p", "", "status").props("role=status aria-live=polite")
                    self._line = picture("", "better-line")
                    self._line.on(
                        "click", event_handler(lambda event: self._try(event.args)), js_handler=_PRESSED.format("step")
                    )
            with box("aside", "beside"):
                text("h1", "Review", "quiet")
                text(
                    "p",
                    f"{self._room.game.title}. {result(self._room, self._mine) if self._room.is_over else ''}",
                    "note",
                )
                self._course.build_curve(everywhere=True)
                self._progress = text("p", "", "note")
                self._accuracy = picture("", "accuracy")
                self._mistakes = picture("", "mistakes")
                self._mistakes.on(
                    "click", event_handler(lambda event: self._go(event.args)), js_handler=_PRESSED.format("ply")
                )
                self._course.build_moves()
                self._ways()
        self._show()
        ui.timer(0, self._follow, once=True)

    def _seat(self, seat: int) -> None:
        with box("div", "strip"):
            picture(piece_sign(self._room.game, seat))
            text("span", self._names[seat], "name")
            side = side_names(self._room.game)[seat]
            text("span", "" if self._names[seat].lower() == side else side, "note")

    def _controls(self) -> None:
        with box("div", "controls walk"):
            walk_buttons(
                lambda: self._go(0),
                lambda: self._go(self._ply - 1),
                lambda: self._go(self._ply + 1),
                lambda: self._go(self._room.ply),
            )
            button("Next mistake", self._go_to_mistake, "plain apart", id="next-mistake")

    def _ways(self) -> None:
        with box("div", "controls"):
            if self._room.id != "record":
                link("To the game", f"/game/{self._room.id}", "button")
            self._analyse = link("Analyse", "", "button", id="analyse")
            link("New game", "/", "button")

    async def _follow(self) -> None:
        """Shows what is found, a few times a second."""
        shown = 0.0
        while not self._review.complete and not self._client.is_deleted:
            try:
                await self._reviews.more(self._under_way)
            except TooMany:
                await asyncio.sleep(_SECONDS_UNTIL_NEXT_TRY)
            if time.monotonic() - shown > _SECONDS_BETWEEN or self._review.complete:
                self._show()
                shown = time.monotonic()

    def _go(self, ply: int) -> None:
        if 0 <= ply <= self._room.ply:
            self._ply, self._step = ply, 0
            self._show()

    def _go_to_mistake(self) -> None:
        """Goes to the next mistake; after the last, to the first."""
        plies = [it.ply + 1 for it in self._review.marked]
        if not plies:
            notify("No move is marked.")
            return
        self._go(next((it for it in plies if it > self._ply), plies[0]))

    def _try(self, step: int) -> None:
        """Shows this many moves of the better line; the same number again goes back."""
        judged = self._judged
        if judged is not None and 0 < step <= len(judged.verdict.line):
            self._step = 0 if step == self._step else step
            self._show()

    @property
    def _judged(self) -> Judged | None:
        """The move that led to the position shown."""
        return self._review.moves[self._ply - 1] if self._ply else None

    def _show(self) -> None:
        review, judged = self._review, self._judged
        marks = {it.ply + 1: str(it.mark) for it in review.marked}
        self._course.show(review.actions, self._ply, marks)
        self._course.judge(review.chances)
        of_room = {} if self._room.id == "record" else {"room": self._room.id}
        change(self._analyse, href=Analysis.of_game(review.game, review.actions, self._ply).address(**of_room))
        self._show_board(judged)
        set_text(self._status, self._in_words(judged))
        _renew(self._line, "" if judged is None else _line(review, judged, self._step))
        n_closely = f"{review.n_closely} of {len(review.moves)} moves"
        set_text(self._progress, "" if review.complete else f"Looking closely: {n_closely} so far.")
        _renew(self._accuracy, _accuracy(review, self._names))
        _renew(self._mistakes, _mistakes(review, self._names))

    def _show_board(self, judged: Judged | None) -> None:
        board = self._room.board.first(self._ply)
        hint = None
        if judged is not None and self._step:
            board = reduce(GameSoFar.after, judged.verdict.line[: self._step], self._room.board.first(self._ply - 1))
        elif judged is not None and judged.mark is not None and judged.verdict.action != judged.action:
            hint = judged.verdict.action
        room = Room(self._room.id, self._room.profile, board, self._room.seats)
        view = view_of(room, hint=hint) | {"hint_word": "better"}
        if self._board.props.get("view") != view:
            self._board.props.update({"view": view, "playable": False})
            self._board.update()

    def _in_words(self, judged: Judged | None) -> str:
        if judged is None:
            return past(self._room, self._ply)
        is_you = self._mine == judged.seat
        who = "You" if is_you else side_names(self._room.game)[judged.seat].capitalize()
        return sentences(self._room.game, judged, who)


def _name(visit: Visit, room: Room, seat: int) -> str:
    spec = room.seats[seat]
    if spec != PERSON:
        return visit.rooms.menu.title(room.game, spec)
    return visit.profile.name or ("You" if room.person_seat is not None else side_names(room.game)[seat].capitalize())


def _renew(element: ui.html, markup: str) -> None:
    """Changes the markup only if it differs: a button that somebody is about to press stays."""
    if element.content != markup:
        element.set_content(markup)


def _line(review: Review, judged: Judged, step: int) -> str:
    """Moves of the better line, each a button that shows it."""
    if judged.mark is None or not line_of(review.game, judged):
        return ""
    moves = line_of(review.game, judged).split()
    pressed = [f' aria-pressed="{"true" if number == step else "false"}"' for number in range(1, len(moves) + 1)]
    buttons = [
        f'<button type="button" class="step" data-step="{number}"{it}>{move}</button>'
        for number, (move, it) in enumerate(zip(moves, pressed, strict=True), start=1)
    ]
    return f"<span>Better:</span> {''.join(buttons)}"


def _accuracy(review: Review, names: list[str]) -> str:
    """A table: both sides, overall and by phase."""
    rows = []
    for seat, name in enumerate(names):
        found = review.accuracy(seat)
        shown = ["" if it is None else percent(it) for it in (found.overall, *found.phases)]
        cells = "".join(f"<td>{it}</td>" for it in shown)
        rows.append(f'<tr><td class="name">{piece_sign(review.game, seat)} {escape(name)}</td>{cells}</tr>')
    heads = "".join(f"<th scope=col>{it}</th>" for it in ("accuracy", *PHASES))
    return f"<table><thead><tr><td></td>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _mistakes(review: Review, names: list[str]) -> str:
    """A list of the marked moves, each a button that leads there."""
    if not review.marked:
        return '<p class="note">No mistakes.</p>' if review.complete else ""
    items = "".join(f"<li>{_mistake(review, it, names[it.seat])}</li>" for it in review.marked)
    return f"<h2>Mistakes</h2><ul>{items}</ul>"


def _mistake(review: Review, it: Judged, name: str) -> str:
    cost = f"{it.verdict.discs:.0f} {review.game.counts}" if not it.verdict.cost else percent(it.verdict.cost)
    return (
        f'<button type="button" data-ply="{it.ply + 1}" aria-label="Move {it.ply + 1}, {escape(name)}, '
        f'{review.game.move_names[it.action]}: {it.mark}, {cost}">{piece_sign(review.game, it.seat)}'
        f'<span class="which">{it.ply + 1}. {review.game.move_names[it.action]}</span>'
        f'<span class="called mark-{it.mark.replace(" ", "-") if it.mark else ""}">{it.mark}</span><span>{cost}</span></button>'
    )
