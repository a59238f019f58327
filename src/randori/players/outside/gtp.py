"""Programs that speak the Go Text Protocol as players."""

from dataclasses import dataclass

import numpy as np

from randori.core.game import Actions, Game, States
from randori.core.options import spec_of
from randori.core.player import Choice
from randori.errors import UserError
from randori.formats.points import Coordinates, action_of_vertex, vertex
from randori.players.outside.program import ProgramFailed, quoted
from randori.players.outside.talk import START_SECONDS, Pool, Resigned, Talk, check_program, checked, choose_each

# An answer of more lines than any command has is cut off.
_MOST_LINES = 1000


class _Refused(ProgramFailed):
    """The engine answered a command with an error."""

    def __init__(self, engine: str, command: str, text: str) -> None:
        super().__init__(f"'{engine}' refused '{command}' ({quoted(text)})")
        self.command = command


class _GtpTalk(Talk):
    """An engine that speaks GTP, and the actions that have been played on its board."""

    farewell = "quit"

    def __init__(self, player: "Gtp") -> None:
        self._player = player
        self._coordinates: Coordinates = "go" if player.coordinates == "go" else "board"
        self._line: list[int] | None = None
        """None where it is not known."""
        self._takes_passes = True
        super().__init__(player.command, player.start)

    def greet(self, deadline: float) -> None:
        self.ask("protocol_version", deadline)
        self.ask(f"boardsize {self._player.game.shape[0]}", deadline)
        if self._player.clock:
            # No main time; the byo-yomi period is the time for one stone.
            self.ask(f"time_settings 0 {max(1, int(self._player.seconds))} 1", deadline)

    def ask(self, command: str, deadline: float) -> str:
        """The text of a successful answer. Ids are not used: some engines answer errors with a wrong one."""
        self.program.send(command)
        return self._answer(command, deadline)

    def lead_to(self, history: list[int]) -> None:
        """Sets the engine's board to the position of a game."""
        known, self._line = self._line, None
        try:
            self._send_all(self._commands(known, history))
        except _Refused as refused:
            if not (self._takes_passes and refused.command.endswith(" pass")):
                raise
            # Some pass by themselves where a side must, and refuse the command.
            self._takes_passes = False
            self._send_all(self._commands(None, history))
        self._line = history

    def move(self, seconds: float) -> str:
        """The engine's reply to genmove, in the position that it was led to."""
        assert self._line is not None
        n_plies, self._line = len(self._line), None
        return self.ask(f"genmove {_colour(n_plies)}", self.move_deadline(seconds))

    def has_moved(self, history: list[int]) -> None:
        self._line = history

    def _commands(self, known: list[int] | None, history: list[int]) -> list[str]:
        commands = []
        if known is None or history[: len(known)] != known:
            commands, known = ["clear_board"], []
        game = self._player.game
        for ply in range(len(known), len(history)):
            if history[ply] != game.pass_action or self._takes_passes:
                commands.append(f"play {_colour(ply)} {vertex(game, history[ply], self._coordinates)}")
        return commands

    def _send_all(self, commands: list[str]) -> None:
        """Sends commands whose answers carry no information all at once: waiting for each would take most of the time."""
        if commands:
            self.program.send("\n".join(commands))
        deadline = self.setup_deadline()
        refused = None
        for command in commands:
            try:
                self._answer(command, deadline)
            except _Refused as refusal:
                refused = refused or refusal  # the others may only follow from it
        if refused is not None:
            raise refused

    def _answer(self, command: str, deadline: float) -> str:
        answer = [self.line_where(lambda line: line.startswith(("=", "?")), deadline)]
        while line := self.program.receive(deadline).strip():
            if len(answer) < _MOST_LINES:
                answer.append(line)
        text = "\n".join([answer[0][1:], *answer[1:]]).strip()
        if answer[0].startswith("?"):
            raise _Refused(self.program.command, command, text)
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
    """Send the engine its time; some engines then ignore the strength that their command set."""
    start: float = START_SECONDS
    """To get ready, in seconds; more and there is no match."""

    def __post_init__(self) -> None:
        check_program(self.command, self.seconds, self.start)
        if self.coordinates not in ("board", "go"):
            raise UserError(f"The option coordinates must be 'board' or 'go', not '{self.coordinates}'.")

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
            talk.lead_to(history)
            reply = talk.move(self.seconds)
            # Some answer `5 f5`, with an id that nobody gave.
            move = reply.split()[-1] if reply else ""
            if move.lower() == "resign":
                raise Resigned(f"'{self.command}' resigned")
            action = checked(self.game, state, action_of_vertex(self.game, move, coordinates), self.command, reply)
            talk.has_moved([*history, action])
            return action


def _colour(ply: int) -> str:
    return "white" if ply % 2 else "black"
