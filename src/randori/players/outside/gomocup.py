"""Gomoku programs that speak the protocol of the Gomocup as players."""

import re
import time
from dataclasses import dataclass

import numpy as np

from randori.core.game import Game, States
from randori.core.options import spec_of
from randori.core.player import Choice
from randori.errors import UserError
from randori.formats.points import action_at
from randori.players.outside.program import NoAnswer, ProgramFailed, quoted
from randori.players.outside.talk import START_SECONDS, Pool, Talk, check_program, checked, choose_each

# Some brains take themselves to be thinking a little longer than their answer takes to us, and drop what comes then.
_PAUSE_SECONDS = 0.03
# A brain that has not answered a RESTART by then has dropped it.
_RESTART_SECONDS = 2.0


class _GomocupTalk(Talk):
    """A brain that speaks the protocol of the Gomocup."""

    farewell = "END"

    def __init__(self, player: "Gomocup") -> None:
        self._size, self._seconds = player.game.shape[0], player.seconds
        self._is_empty = True
        """Whether there is nothing on its board."""
        self._spoke = 0.0
        """When it last said something, as `time.monotonic` counts."""
        super().__init__(player.command, player.start)

    def greet(self, deadline: float) -> None:
        self._begin(deadline)
        limits = {"timeout_turn": int(1000 * self._seconds), "timeout_match": 0, "time_left": 2147483647}
        for key, value in {**limits, "max_memory": 0, "game_type": 1, "rule": 0}.items():
            self.program.send(f"INFO {key} {value}")

    def move(self, commands: str) -> str:
        """Its answer to the position that the commands set up on an empty board."""
        if not self._is_empty:
            self._restart()
        self._is_empty = False
        self.program.send(commands)
        return self._answer(self.move_deadline(self._seconds), passing_over=("OK",))

    def _begin(self, deadline: float) -> None:
        self.program.send(f"START {self._size}")
        reply = self._answer(deadline)
        if not reply.upper().startswith("OK"):
            raise ProgramFailed(f"'{self.program.command}' refused a board of size {self._size} ({quoted(reply)})")

    def _restart(self) -> None:
        reply = self._ask_to_restart(time.monotonic() + _RESTART_SECONDS) or self._ask_to_restart(self.setup_deadline())
        if reply is None:
            raise NoAnswer(f"'{self.program.command}' did not answer RESTART")
        if not reply.upper().startswith("OK"):
            self._begin(self.setup_deadline())

    def _ask_to_restart(self, deadline: float) -> str | None:
        time.sleep(max(0.0, self._spoke + _PAUSE_SECONDS - time.monotonic()))
        self.program.send("RESTART")
        try:
            return self._answer(deadline)
        except NoAnswer:
            return None

    def _answer(self, deadline: float, passing_over: tuple[str, ...] = ()) -> str:
        """The next line that is not a message."""
        beside = ("MESSAGE", "DEBUG", "SUGGEST", *passing_over)
        reply = self.line_where(lambda it: bool(it.strip()) and not it.strip().upper().startswith(beside), deadline)
        self._spoke = time.monotonic()
        return reply.strip()


_GOMOCUP: Pool[_GomocupTalk] = Pool()


@dataclass(frozen=True)
class Gomocup:
    """A Gomoku brain that speaks the protocol of the Gomocup (Piskvork). Each position is set up with BOARD."""

    game: Game
    command: str
    seconds: float = 30.0
    """For one move; more forfeits the game."""
    start: float = START_SECONDS
    """To get ready, in seconds; more and there is no match."""

    def __post_init__(self) -> None:
        check_program(self.command, self.seconds, self.start)
        if "gomocup" not in self.game.knowledge.protocols:
            raise UserError(f"The protocol of the Gomocup is for Gomoku, not {self.game.title}; use 'gtp'.")

    @property
    def name(self) -> str:
        return spec_of("gomocup", self)

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return choose_each(self.game, states, lambda row: self._ask(states[row : row + 1]))

    def _ask(self, state: States) -> int:
        with _GOMOCUP.borrow(self, lambda: _GomocupTalk(self)) as talk:
            reply = talk.move(_board_commands(self.game, state))
            point = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", reply)
            action = action_at(self.game, int(point[1]), int(point[2])) if point else None
            return checked(self.game, state, action, self.command, reply)


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
