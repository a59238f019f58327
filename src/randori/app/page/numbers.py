"""Numbers on the squares: what every move is worth, by the judge or by a player, as soon as it is known."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any

from nicegui import background_tasks, ui

from randori.app.page.parts import box, choice, set_text, text
from randori.app.page.patience import GETTING_READY, explained
from randori.app.service.analysis import Analysis
from randori.app.service.menu import Entry, is_partner
from randori.app.service.numbers import Number, Numbers, judged, numbers_of
from randori.app.service.refusals import TooMany
from randori.app.service.rooms import Rooms
from randori.core.game import Game
from randori.core.variations import Line
from randori.errors import UserError

OFF, JUDGE = "off", "judge"
CHANCE = "chance"
_SECONDS_UNTIL_NEXT_TRY = 1.0
_MOST_REMEMBERED = 300
_MOVES_LISTED = 4
_PROVED = {0.0: ("loss", "proved to lose"), 0.5: ("draw", "proved to draw"), 1.0: ("win", "proved to win")}


class NumbersPanel:
    """Whose numbers are shown, and in what unit. It thinks about one position at a time, the one that is shown."""

    def __init__(self, rooms: Rooms, profile: int, game: Game, mind: str, unit: str, show: Callable[[], None]) -> None:
        self._rooms, self._profile, self._game, self._show = rooms, profile, game, show
        self.mind, self.unit = mind, unit
        self.before: Callable[[], Awaitable[None]] | None = None
        """Awaited before anybody thinks: a game that is still under way notes that the person had help."""
        self._thinking: asyncio.Task[None] | None = None
        self._current: tuple[str, Line] | None = None
        """Whose numbers are shown, and of which position."""
        self._known: dict[tuple[str, Line], Numbers] = {}
        self._complete: set[tuple[str, Line]] = set()
        self._client = ui.context.client

    def build(self, entries: Iterable[Entry]) -> None:
        minds = {OFF: "off", JUDGE: "by the judge"}
        minds |= {it.spec: f"by {it.title}" for it in entries if not is_partner(it.spec) and it.family != "chance"}
        self.mind = self.mind if self.mind in minds else OFF
        with box("div", "form numbers-form"):
            choice("Numbers", minds, self.mind, self._choose).props("id=numbers")
            if self._game.counts is not None:
                units = {self._game.counts: self._game.counts, CHANCE: "chances"}
                choice("in", units, self.unit, self._measure).props("id=unit")
        self._status = text("p", "", "note numbers-status")
        self._client.on_delete(self._stop)

    def _choose(self, mind: str) -> None:
        self.mind = mind
        self._show()

    def _measure(self, unit: str) -> None:
        self.unit = unit if unit == self._game.counts else CHANCE
        self._show()

    def look_at(self, analysis: Analysis) -> dict[str, Any] | None:
        """What is known about the position so far, for the board. More is shown as it is found."""
        key = (self.mind, analysis.line)
        if self.mind == OFF or analysis.board.is_over:
            self._stop()
            self._current = None
            set_text(self._status, "")
            return None
        if key != self._current:
            self._stop()
            self._current = key
            set_text(self._status, "Thinking ...")
            if key not in self._complete:
                self._thinking = background_tasks.create(self._think(analysis, self.mind))
        known = self._known.get(key)
        return None if known is None else self._present(known)

    def _present(self, known: Numbers) -> dict[str, Any]:
        in_units = self.unit != CHANCE
        set_text(self._status, summary(self._game, known, in_units) or "This player has no numbers for single moves.")
        return shown(self._game, known, in_units)

    def _stop(self) -> None:
        if self._thinking is not None:
            self._thinking.cancel()
            self._thinking = None

    async def _think(self, analysis: Analysis, mind: str) -> None:
        while True:
            try:
                if self.before is not None:
                    await self.before()
                self._rooms.pace.take(self._profile)
                async with explained(partial(set_text, self._status, GETTING_READY)):
                    await self._ask(analysis, mind)
                self._complete.add((mind, analysis.line))
                return
            except TooMany:
                await asyncio.sleep(_SECONDS_UNTIL_NEXT_TRY)
            except UserError as error:
                set_text(self._status, str(error))
                return

    async def _ask(self, analysis: Analysis, mind: str) -> None:
        if mind != JUDGE:
            self._remember(analysis, mind, numbers_of(await self._rooms.mind(analysis.room(self._profile), mind)))
            return
        pieces = judged(self._game, analysis.board.state)
        while (found := await self._rooms.thinking.about(partial(next, pieces, None))) is not None:
            self._remember(analysis, mind, found)

    def _remember(self, analysis: Analysis, mind: str, found: Numbers) -> None:
        self._known[mind, analysis.line] = found
        if len(self._known) > _MOST_REMEMBERED:
            oldest = next(iter(self._known))
            del self._known[oldest]
            self._complete.discard(oldest)
        self._show()


def shown(game: Game, numbers: Numbers, in_units: bool) -> dict[str, dict[str, Any]]:
    """For the board, by the names of the moves; `in_units` of what the game counts, where that is known."""
    words = {action: _words(game, it, in_units) for action, it in numbers.items()}
    ranked = _ranked(numbers, in_units)
    best = {action for action in ranked if words[action] == words[ranked[0]]}
    return {
        game.move_names[action]: {
            "text": words[action][0],
            "label": words[action][1],
            "best": action in best,
            "rank": rank,
        }
        for rank, action in enumerate(ranked)
    }


def summary(game: Game, numbers: Numbers, in_units: bool) -> str:
    """The best moves in one line, for those who do not see the board, and for moves that have no square."""
    best = _ranked(numbers, in_units)[:_MOVES_LISTED]
    listed = ", ".join(f"{game.move_names[it]} {_words(game, numbers[it], in_units)[0]}" for it in best)
    return f"Best: {listed}" if listed else ""


def _ranked(numbers: Mapping[int, Number], in_units: bool) -> list[int]:
    def worth(action: int) -> tuple[float, ...]:
        it = numbers[action]
        return (it.margin, *it.order) if in_units and it.margin is not None else it.order

    return sorted(numbers, key=worth, reverse=True)


def _words(game: Game, it: Number, in_units: bool) -> tuple[str, str]:
    """The text on a square, and what a screen reader says."""
    if in_units and it.margin is not None:
        n = round(it.margin)
        how = "" if it.exact else "about "
        margin = "even" if n == 0 else f"{how}{abs(n)} {game.counts} {'more' if n > 0 else 'fewer'} than the other side"
        return _signed(n), f"proved: {margin}" if it.exact else margin
    if it.chance is not None:
        if it.exact and it.chance in _PROVED:
            return _PROVED[it.chance]
        return f"{100 * it.chance:.0f}%", f"chance {100 * it.chance:.0f}%"
    behind = it.behind or 0.0
    if behind == 0:
        return "best", "liked best"
    return f"\N{MINUS SIGN}{behind:.2g}", f"{behind:.2g} behind the best"


def _signed(n: int) -> str:
    return f"+{n}" if n > 0 else f"\N{MINUS SIGN}{-n}" if n < 0 else "0"
