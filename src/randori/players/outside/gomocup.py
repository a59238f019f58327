"""Gomoku programs that speak the protocol of the Gomocup as players."""

import re
from dataclasses import dataclass

import numpy as np

from randori.core.game import Game, States
from randori.core.options import spec_of
from randori.core.player import Choice
from randori.errors import UserError
from randori.formats.points import action_at
from randori.players.outside.program import ProgramFailed
from randori.players.outside.talk import Pool, Talk, check_program, checked, choose_each


class _GomocupTalk(Talk):
    """A brain that speaks the protocol of the Gomocup."""

    farewell = "END"

    def __init__(self, player: "Gomocup") -> None:
        self._size, self._seconds = player.game.shape[0], player.seconds
        super().__init__(player.command)

    def greet(self) -> None:
        self.start()
        told = {"timeout_turn": int(1000 * self._seconds), "timeout_match": 0, "time_left": 2147483647}
        for key, value in {**told, "max_memory": 0, "game_type": 1, "rule": 0}.items():
            self.program.send(f"INFO {key} {value}")

    def start(self) -> None:
        self.program.send(f"START {self._size}")
        said = self.answer(self.START_SECONDS)
        if not said.upper().startswith("OK"):
            raise ProgramFailed(f"'{self.program.command}' refused a board of size {self._size} ({said})")

    def restart(self) -> None:
        self.program.send("RESTART")
        if not self.answer(self.SETUP_SECONDS).upper().startswith("OK"):
            self.start()

    def answer(self, seconds: float) -> str:
        """The next line that is no message."""
        messages = ("MESSAGE", "DEBUG", "SUGGEST")
        return self.line_where(
            lambda it: bool(it.strip()) and not it.strip().upper().startswith(messages), seconds
        ).strip()


_GOMOCUP: Pool[_GomocupTalk] = Pool()


@dataclass(frozen=True)
class Gomocup:
    """A Gomoku brain that speaks the protocol of the Gomocup (Piskvork). Each position is set up with BOARD."""

    game: Game
    command: str
    seconds: float = 30.0
    """For one move; more forfeits the game."""

    def __post_init__(self) -> None:
        check_program(self.command, self.seconds)
        if "gomocup" not in self.game.knowledge.protocols:
            raise UserError(f"The protocol of the Gomocup is for Gomoku, not {self.game.title}; use 'gtp'.")

    @property
    def name(self) -> str:
        return spec_of("gomocup", self)

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return choose_each(self.game, states, lambda row: self._ask(states[row : row + 1]))

    def _ask(self, state: States) -> int:
        with _GOMOCUP.borrow(self, lambda: _GomocupTalk(self)) as talk:
            talk.restart()
            talk.program.send(_board_commands(self.game, state))
            said = talk.answer(self.seconds + talk.GRACE_SECONDS)
            point = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", said)
            action = action_at(self.game, int(point[1]), int(point[2])) if point else None
            return checked(self.game, state, action, self.command, said)


def _board_commands(game: Game, state: States) -> str:
    """BEGIN, or BOARD with the stones of both sides in turns: some brains count on the order."""
    cells = game.cells(state)[0].reshape(-1)
    mine, theirs = np.flatnonzero(cells == 1).tolist(), np.flatnonzero(cells == -1).tolist()
    if not theirs:
        return "BEGIN"
    stones = [(mine, 1), (theirs, 2)] if len(mine) == len(theirs) else [(theirs, 2), (mine, 1)]
    lines = []
    for number in range(len(theirs)):
        for squares, side in stones:
            if number < len(squares):
                row, column = divmod(squares[number], game.shape[1])
                lines.append(f"{column},{row},{side}")
    return "\n".join(["BOARD", *lines, "DONE"])
