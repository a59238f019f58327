"""A sample game of a learning player, replayed on a small board."""

from collections.abc import Callable
from functools import partial, reduce
from html import escape

import numpy as np
from nicegui import ui

from randori.app.page.board import BoardElement, piece_sign, side_names, view_of
from randori.app.page.frame import Visit
from randori.app.page.parts import box, button, picture, set_text, text
from randori.app.service.room import PERSON, Room
from randori.app.service.samples import sample_game
from randori.core.game import Game
from randori.core.game_so_far import GameSoFar

_SECONDS_A_PLY = 0.6


class Sample:
    """Empty until `play` is called; `follow` gets the transcript of each game."""

    def __init__(self, visit: Visit, game: Game, follow: Callable[[str], None]) -> None:
        self._visit, self._game, self._follow = visit, game, follow
        self._actions: list[int] = []
        self._room = self._at_start(PERSON, PERSON)

    def build(self) -> None:
        with box("section", "sample", aria_label="Sample game") as self._section:
            self._board = BoardElement()
            with box("div", "words"):
                self._who = picture("")
                self._status = text("p", "", "status").props("role=status")
                self._transcript = text("output", "", "transcript")
                with box("div", "controls"):
                    button("Again", self._again, id="again")
                    button("To the end", self._to_the_end, id="to-the-end")
                    button("Open on the board", self._open, id="open-sample")
        self._section.set_visibility(False)
        self._show()
        self._clock = ui.timer(_SECONDS_A_PLY, self._step, active=False)

    async def play(self, first: str, second: str) -> None:
        """Plays a game between two players of the menu."""
        menu, thinking = self._visit.rooms.menu, self._visit.rooms.thinking
        players = [await thinking.about(partial(menu.player, self._game, it)) for it in (first, second)]
        question = partial(sample_game, self._game, players[0], players[1], np.random.default_rng())
        self._actions = await thinking.about(question)
        self._room = self._at_start(first, second)
        signs = [
            f"{piece_sign(self._game, seat)} <b>{escape(menu.title(self._game, spec))}</b>"
            for seat, spec in enumerate(self._room.seats)
        ]
        self._who.set_content(" against ".join(signs))
        self._section.set_visibility(True)
        self._again()
        self._follow(self._whole().transcript)

    def _at_start(self, first: str, second: str) -> Room:
        return Room("sample", self._visit.profile.id, GameSoFar(self._game), (first, second))

    def _whole(self) -> Room:
        return reduce(Room.after, self._actions, self._at_start(*self._room.seats))

    def _again(self) -> None:
        self._room = self._at_start(*self._room.seats)
        self._clock.active = True
        self._show()

    def _to_the_end(self) -> None:
        self._clock.active = False
        self._room = self._whole()
        self._show()

    def _step(self) -> None:
        if self._room.ply == len(self._actions):
            self._clock.active = False
            return
        self._room = self._room.after(self._actions[self._room.ply])
        self._show()

    def _show(self) -> None:
        room = self._room
        self._board.props["view"] = view_of(room)
        self._board.props["playable"] = False
        self._board.update()
        ended = {None: "", 0.5: ": a draw"}.get(room.result)
        if ended is None:
            ended = f": {side_names(self._game)[0 if room.result == 1.0 else 1]} wins"
        set_text(self._status, f"Move {room.ply} of {len(self._actions)}{ended}.")
        set_text(self._transcript, room.transcript or "The first two moves are random.")

    async def _open(self) -> None:
        whole = self._whole()
        room = await self._visit.rooms.open(whole.profile, self._game.name, whole.seats, whole.transcript)
        ui.navigate.to(f"/game/{room.id}")
