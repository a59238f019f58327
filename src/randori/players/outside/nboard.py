"""Othello programs that speak NBoard's protocol as players."""

import re
from dataclasses import dataclass

import numpy as np

from randori.core.game import Game, States
from randori.core.notation import action_of
from randori.core.options import spec_of
from randori.core.player import Choice
from randori.errors import UserError
from randori.formats.ggf import board_value
from randori.formats.positions import position_text
from randori.players.outside.talk import START_SECONDS, Pool, Talk, check_program, checked, choose_each


class _NboardTalk(Talk):
    """An engine that speaks NBoard's protocol; the number of the last ping tells old answers from new ones."""

    farewell = "quit"

    def __init__(self, player: "Nboard") -> None:
        self._depth, self._n_pings = player.depth, 0
        super().__init__(player.command, player.start)

    def greet(self, deadline: float) -> None:
        self.program.send(f"nboard 2\nset depth {self._depth}")
        self.synchronise(deadline)

    def synchronise(self, deadline: float) -> None:
        self._n_pings += 1
        self.program.send(f"ping {self._n_pings}")
        self.line_where(lambda line: line.split() == ["pong", str(self._n_pings)], deadline)


_NBOARD: Pool[_NboardTalk] = Pool()


@dataclass(frozen=True)
class Nboard:
    """An Othello engine that speaks NBoard's protocol. Each position is set up as a game without moves."""

    game: Game
    command: str
    depth: int = 10
    """How deep the engine searches, by its own measure."""
    seconds: float = 30.0
    """For one move; more forfeits the game."""
    start: float = START_SECONDS
    """To get ready, in seconds; more and there is no match."""

    def __post_init__(self) -> None:
        check_program(self.command, self.seconds, self.start)
        if "nboard" not in self.game.knowledge.protocols:
            raise UserError(f"NBoard's protocol is for Othello, not {self.game.title}; use 'gtp' or 'gomocup'.")
        if self.depth < 1:
            raise UserError(f"The depth must be 1 or more, not {self.depth}.")

    @property
    def name(self) -> str:
        return spec_of("nboard", self)

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return choose_each(self.game, states, lambda row: self._ask(states[row : row + 1]))

    def _ask(self, state: States) -> int:
        # Whoever is to move is Black: the engine sees the same position whichever colour it has.
        board = board_value(self.game, position_text(self.game, state, True))
        with _NBOARD.borrow(self, lambda: _NboardTalk(self)) as talk:
            talk.program.send(f"set game (;GM[Othello]PC[randori]TY[{self.game.shape[0]}]BO[{board}];)")
            talk.synchronise(talk.setup_deadline())
            talk.program.send("go")
            line = talk.line_where(lambda line: line.startswith("==="), talk.move_deadline(self.seconds))
            # `=== F5/1.00/0.1`, or with spaces between the parts
            words = re.split(r"[/\s]", line[3:].strip())
            return checked(self.game, state, action_of(self.game, words[0]), self.command, line)
