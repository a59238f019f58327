"""Programs that speak the Go Text Protocol as players."""

import time
from dataclasses import dataclass

import numpy as np

from randori.core.game import Actions, Game, States
from randori.core.options import spec_of
from randori.core.player import Choice
from randori.errors import UserError
from randori.formats.points import Coordinates, action_of_vertex, vertex
from randori.players.outside.program import ProgramFailed
from randori.players.outside.talk import Pool, Talk, check_program, checked, choose_each


class _GtpTalk(Talk):
    """An engine that speaks GTP, and the actions that have been played on its board."""

    farewell = "quit"

    def __init__(self, player: "Gtp") -> None:
        self._player = player
        self.line: list[int] | None = None
        super().__init__(player.command)

    def greet(self) -> None:
        self.ask("protocol_version", self.START_SECONDS)
        self.ask(f"boardsize {self._player.game.shape[0]}", self.START_SECONDS)
        if self._player.clock:
            # No main time; the byo-yomi period is the time for one stone.
            self.ask(f"time_settings 0 {max(1, int(self._player.seconds))} 1", self.START_SECONDS)

    def ask(self, command: str, seconds: float) -> str:
        """The text of a successful answer. Ids are not used: some engines answer errors with a wrong one."""
        self.program.send(command)
        return self._answer(command, time.monotonic() + seconds)

    def tell(self, commands: list[str], seconds: float) -> None:
        """Commands whose answers say nothing, sent together: waiting for each would take most of the time."""
        if commands:
            self.program.send("\n".join(commands))
        deadline = time.monotonic() + seconds
        for command in commands:
            self._answer(command, deadline)

    def _answer(self, command: str, deadline: float) -> str:
        # What an engine prints beside the protocol is passed over.
        while not (line := self.program.receive(deadline)).startswith(("=", "?")):
            pass
        answer = [line]
        while line := self.program.receive(deadline).strip():
            answer.append(line)
        text = "\n".join([answer[0][1:], *answer[1:]]).strip()
        if answer[0].startswith("?"):
            raise ProgramFailed(f"'{self.program.command}' refused '{command}' ({text})")
        return text


_GTP: Pool[_GtpTalk] = Pool()


@dataclass(frozen=True)
class Gtp:
    """An engine that speaks the Go Text Protocol. It cannot be shown a position, only be led to it."""

    game: Game
    command: str
    seconds: float = 30.0
    """For one move; more forfeits the game."""
    coordinates: str = "board"
    """`board`: as the game's own move names; `go`: rows from the bottom and no column I."""
    clock: bool = False
    """Whether the engine is told the time; some then leave the strength that their command set."""

    def __post_init__(self) -> None:
        check_program(self.command, self.seconds)
        if self.coordinates not in ("board", "go"):
            raise UserError(f"Coordinates are 'board' or 'go', not '{self.coordinates}'.")

    @property
    def name(self) -> str:
        return spec_of("gtp", self)

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        """Only possible where no moves have been played."""
        start = self.game.start(1)
        if (states != start).any():
            raise UserError(f"'{self.name}' needs the moves that led to a position: let it play whole games.")
        return self.choose_after(np.empty((len(states), 0), np.int16), states, rng)

    def choose_after(self, actions: Actions, states: States, rng: np.random.Generator) -> Choice:
        return choose_each(self.game, states, lambda row: self._ask(actions[row].tolist(), states[row : row + 1]))

    def _ask(self, history: list[int], state: States) -> int:
        coordinates: Coordinates = "go" if self.coordinates == "go" else "board"
        with _GTP.borrow(self, lambda: _GtpTalk(self)) as talk:
            talk.tell(self._commands(talk.line, history), talk.SETUP_SECONDS)
            talk.line = None
            said = talk.ask(f"genmove {_colour(len(history))}", self.seconds + talk.GRACE_SECONDS)
            # Some answer `5 f5`, with an id that nobody gave.
            move = said.split()[-1] if said else ""
            if move.lower() == "resign":
                raise ProgramFailed(f"'{self.command}' resigned")
            action = checked(self.game, state, action_of_vertex(self.game, move, coordinates), self.command, said)
            talk.line = [*history, action]
            return action

    def _commands(self, known: list[int] | None, history: list[int]) -> list[str]:
        """What leads an engine from what it has on its board, None where that is not known, to where a game stands."""
        commands = []
        if known is None or history[: len(known)] != known:
            commands, known = ["clear_board"], []
        coordinates: Coordinates = "go" if self.coordinates == "go" else "board"
        for ply in range(len(known), len(history)):
            commands.append(f"play {_colour(ply)} {vertex(self.game, history[ply], coordinates)}")
        return commands


def _colour(ply: int) -> str:
    return "white" if ply % 2 else "black"
