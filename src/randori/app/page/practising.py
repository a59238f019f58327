"""The view of a course: a position, the person's move, the verdict on it, and the line that shows why."""

from functools import partial, reduce

from nicegui import ui

from randori.app.page.board import BoardElement, piece_sign, view_of
from randori.app.page.frame import Visit, frame
from randori.app.page.parts import box, button, event_handler, link, picture, set_text, text
from randori.app.service.practice import Posed, Practice, Standing, Tried
from randori.app.service.refusals import TooMany, Unknown
from randori.app.service.room import PERSON, Room
from randori.core.game import Game
from randori.core.game_so_far import GameSoFar
from randori.core.notation import action_of
from randori.practice import Goal, task

_SECONDS_A_STEP = 0.9
_PRESSED = "(event) => { const it = event.target.closest('[data-step]'); if (it) emit(Number(it.dataset.step)); }"
_FOCUS = "document.querySelector('{}')?.focus({{preventScroll: true}})"
_CLAIMS = {
    Goal.WIN: "Proved by the solver: this move wins against every defence, and no other does.",
    Goal.DRAW: "Proved by the solver: this move keeps the draw, and every other loses.",
    Goal.MOST: "Proved by the solver: the margins of all moves are known.",
    Goal.THREATS: "Proved by searching threats to their end: this move wins against every reply, and no other move wins by "
    "threats. Slower wins are not ruled out.",
    Goal.BETTER: "Not proved: the strongest player here prefers this move and thinks that every other is a mistake.",
}


async def show(visit: Visit, practice: Practice, game: Game, own: bool) -> None:
    with frame(f"Practice: {game.title}", "/practice"):
        view = Practising(visit, practice, game, own)
        view.build()
        await view.go_on()


class Practising:
    """The view of a course, or of the visitor's own mistakes."""

    def __init__(self, visit: Visit, practice: Practice, game: Game, own: bool) -> None:
        self._practice, self._profile, self._game, self._own = practice, visit.profile.id, game, own
        self._client = ui.context.client
        self._posed: Posed | None = None
        self._tried: Tried | None = None
        self._step = 0
        """How many moves of the line are shown."""

    def build(self) -> None:
        with box("div", "playing practising"):
            with box("section", "stage", aria_label="Board"):
                with box("div", "strip task"):
                    self._sign = picture("")
                    self._task = text("h1", "", "name")
                self._board = BoardElement().on(
                    "choose", event_handler(lambda event: self._try(str(event.args.get("move"))))
                )
                self._status = text("p", "", "status").props("role=status aria-live=polite")
                self._line = picture("", "better-line")
                self._line.on("click", event_handler(lambda event: self._show_step(event.args)), js_handler=_PRESSED)
                self._controls()
            with box("aside", "beside"):
                text("p", f"{self._game.title}, {'your own mistakes' if self._own else 'the course'}", "note")
                self._standing = picture("", "standing")
                self._about = text("p", "", "note")
                self._ways()
        start = Room("puzzle", self._profile, GameSoFar(self._game), (PERSON, PERSON))
        self._board.props.update(view=view_of(start), playable=False)
        self._walk = ui.timer(_SECONDS_A_STEP, self._walk_on, active=False)
        if self._own:
            ui.timer(0, self._look_through, once=True)

    def _controls(self) -> None:
        with box("div", "controls"):
            self._again_button = button("Try again", self._again, "main", id="again")
            self._answer_button = button("Show the answer", partial(self._try, None), id="answer")
            self._next_button = button("Next", self._next, id="next")

    def _ways(self) -> None:
        """Links from the course to one's mistakes or back, and to all courses."""
        with box("div", "controls"):
            if self._own:
                link("The course", f"/practice/{self._game.name}", "button")
            else:
                link("My mistakes", f"/practice/{self._game.name}/mistakes", "button", id="mistakes")
            link("All courses", "/practice", "button")

    async def go_on(self) -> None:
        """Poses the next puzzle, or says that there is none."""
        self._tried, self._step = None, 0
        self._walk.deactivate()
        try:
            self._posed = await self._practice.pose(self._profile, self._game.name, self._own)
        except Unknown as error:
            self._posed = None
            set_text(self._status, str(error))
        self._show()
        self._show_standing(await self._practice.standing(self._profile, self._game, self._own))

    async def _next(self) -> None:
        await self.go_on()
        self._focus(".stage .board")

    def _again(self) -> None:
        self._tried, self._step = None, 0
        self._show()
        self._focus(".stage .board")

    async def _try(self, move: str | None) -> None:
        if self._posed is None or self._solved:
            return
        self._tried = await self._practice.hear(self._profile, self._game.name, self._posed.puzzle.id, move)
        self._step = 1
        self._walk.activate()
        self._show()
        self._show_standing(await self._practice.standing(self._profile, self._game, self._own))
        self._focus("#next" if self._solved else "#again")

    @property
    def _solved(self) -> bool:
        """Whether the answer is known by now."""
        return self._tried is not None and self._tried.answer.line[0] == self._posed_answer

    @property
    def _posed_answer(self) -> str:
        return "" if self._posed is None else self._posed.puzzle.answer

    def _focus(self, selector: str) -> None:
        """Moves the keyboard's focus: the button that was pressed may be hidden now."""
        self._client.run_javascript(_FOCUS.format(selector))

    def _walk_on(self) -> None:
        """Plays the line move by move, until it ends or somebody steps through it."""
        if self._tried is None or self._step >= len(self._tried.answer.line):
            self._walk.deactivate()
        else:
            self._step += 1
            self._show_board()

    def _show_step(self, step: object) -> None:
        if self._tried is not None and isinstance(step, int) and 0 < step <= len(self._tried.answer.line):
            self._walk.deactivate()
            self._step = step
            self._show_board()

    def _show(self) -> None:
        posed, tried = self._posed, self._tried
        is_asked = posed is not None and tried is None
        self._next_button.set_visibility(posed is not None and not is_asked)
        main, plain = ("main", "plain") if self._solved else ("plain", "main")
        self._next_button.classes(main, remove=plain)
        self._again_button.set_visibility(tried is not None and not self._solved)
        self._answer_button.set_visibility(posed is not None and not self._solved)
        self._board.set_visibility(posed is not None)
        if posed is None:
            set_text(self._task, "Nothing to practise yet")
            return
        self._sign.set_content(piece_sign(self._game, posed.room.to_move))
        set_text(self._task, task(self._game, posed.puzzle, posed.room.to_move))
        set_text(self._status, _before_try(posed) if tried is None else _after_try(tried))
        set_text(self._about, _CLAIMS[posed.puzzle.goal] if self._solved else "")
        self._show_board()

    def _show_board(self) -> None:
        assert self._posed is not None
        room, line = self._posed.room, () if self._tried is None else self._tried.answer.line
        actions = [action_of(self._game, it) for it in line[: self._step]]
        board = reduce(GameSoFar.after, [it for it in actions if it is not None], room.board)
        self._board.props["view"] = view_of(Room(room.id, room.profile, board, room.seats))
        self._board.props["playable"] = self._tried is None
        self._board.update()
        self._line.set_content(_steps(line, self._step))

    def _show_standing(self, it: Standing) -> None:
        skill = it.skill
        change = 0 if self._tried is None else round(self._tried.skill.elo) - round(self._tried.before.elo)
        moved = f' <small class="{"up" if change > 0 else "down"}">{change:+d}</small>' if change else ""
        cells = {"Rating": f"{skill.elo:.0f}{moved}", "In a row": str(skill.streak)}
        if it.puzzles:
            cells["Met"] = f"{it.met} of {it.puzzles}"
        if it.due:
            cells["To repeat"] = str(it.due)
        rows = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in cells.items())
        self._standing.set_content(f"<dl>{rows}</dl>")

    async def _look_through(self) -> None:
        """Searches the visitor's games for mistakes, one after the other; the first that it finds is posed at once."""
        left = 1
        while left and not self._client.is_deleted:
            try:
                left = await self._practice.examine(self._profile, self._game.name)
            except TooMany:
                return  # the next visit continues
            set_text(self._about, f"Looking through your games: {left} left." if left else "")
            if self._posed is None:
                await self.go_on()


def _before_try(posed: Posed) -> str:
    rated = "" if posed.puzzle.rating is None else f"This one is rated {posed.puzzle.rating:.0f}."
    return rated if posed.counts else f"{rated} You saw it recently, so it does not count today.".strip()


def _after_try(tried: Tried) -> str:
    again = tried.answer.right and not tried.counted
    return f"{tried.answer.words}{' A second try does not count.' if again else ''}"


def _steps(line: tuple[str, ...], step: int) -> str:
    """Moves of a line, each a button that shows it."""
    if len(line) < 2:
        return ""
    buttons = "".join(
        f'<button type="button" class="step" data-step="{number}" aria-pressed="{"true" if number == step else "false"}">'
        f"{move}</button>"
        for number, move in enumerate(line, start=1)
    )
    return f"<span>What follows:</span> {buttons}"
