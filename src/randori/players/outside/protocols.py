"""Programs of others as players: engines that speak GTP, NBoard or Gomocup, run beside ours.

An engine that dies, gives no answer in time or plays an illegal move forfeits that game; the next game gets a new one.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from randori.core.game import Actions, Game, States
from randori.core.notation import action_of
from randori.core.options import spec_of
from randori.core.player import Choice
from randori.core.record import Forfeit
from randori.errors import UserError
from randori.formats.ggf import board_value
from randori.formats.points import Coordinates, action_at, action_of_vertex, vertex
from randori.formats.positions import position_text
from randori.players.outside.program import Child, ChildFailed, Pool, check_command

START_SECONDS = 60.0
"""For a program to load its tables and say that it is there."""
SETUP_SECONDS = 10.0
"""For a program to take note of a position."""
GRACE_SECONDS = 1.0
"""Beyond the time for a move: pipes and a busy machine take theirs."""


def _choose_each(game: Game, states: States, ask: Callable[[int], int]) -> Choice:
    """Asks for the action in one row after the other; a forced one needs no question."""
    legal = game.legal(states)
    actions = np.full(len(states), -1, np.int16)
    forfeits = []
    for row in range(len(states)):
        if legal[row].sum() == 1:
            actions[row] = legal[row].argmax()
            continue
        try:
            actions[row] = ask(row)
        except ChildFailed as failure:
            forfeits.append(Forfeit(row, f"{failure}."))
    return Choice(actions, None, tuple(forfeits))


def _checked(game: Game, state: States, action: int | None, command: str, said: str) -> int:
    if action is None or not game.legal(state)[0, action]:
        raise ChildFailed(f"'{command}' played '{said}', which is not legal there")
    return action


def _check(command: str, seconds: float) -> None:
    check_command(command)
    if not 0 < seconds < 1e6:
        raise UserError(f"The seconds for a move must be a positive number, not {seconds:g}.")


class _GtpTalk:
    """An engine that speaks GTP, and the actions that have been played on its board."""

    def __init__(self, player: "Gtp") -> None:
        self._child = Child(player.command)
        self.line: list[int] | None = None
        try:
            self.ask("protocol_version", START_SECONDS)
            self.ask(f"boardsize {player.game.shape[0]}", START_SECONDS)
            if player.clock:
                # No main time; the byo-yomi period is the time for one stone.
                self.ask(f"time_settings 0 {max(1, int(player.seconds))} 1", START_SECONDS)
        except ChildFailed:
            self._child.end()
            raise

    def ask(self, command: str, seconds: float) -> str:
        """The text of a successful answer. Ids are not used: some engines answer errors with a wrong one."""
        self._child.send(command)
        return self._answer(command, time.monotonic() + seconds)

    def tell(self, commands: list[str], seconds: float) -> None:
        """Commands whose answers say nothing, sent together: waiting for each would take most of the time."""
        if commands:
            self._child.send("\n".join(commands))
        deadline = time.monotonic() + seconds
        for command in commands:
            self._answer(command, deadline)

    def _answer(self, command: str, deadline: float) -> str:
        # What an engine prints beside the protocol is passed over.
        while not (line := self._child.receive(deadline)).startswith(("=", "?")):
            pass
        answer = [line]
        while line := self._child.receive(deadline).strip():
            answer.append(line)
        text = "\n".join([answer[0][1:], *answer[1:]]).strip()
        if answer[0].startswith("?"):
            raise ChildFailed(f"'{self._child.command}' refused '{command}' ({text})")
        return text

    def end(self) -> None:
        self._child.end("quit")


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
        _check(self.command, self.seconds)
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
        return _choose_each(self.game, states, lambda row: self._ask(actions[row].tolist(), states[row : row + 1]))

    def _ask(self, history: list[int], state: States) -> int:
        coordinates: Coordinates = "go" if self.coordinates == "go" else "board"
        with _GTP.borrow(self, lambda: _GtpTalk(self)) as talk:
            talk.tell(self._commands(talk.line, history), SETUP_SECONDS)
            talk.line = None
            said = talk.ask(f"genmove {_colour(len(history))}", self.seconds + GRACE_SECONDS)
            # Some answer `5 f5`, with an id that nobody gave.
            move = said.split()[-1] if said else ""
            if move.lower() == "resign":
                raise ChildFailed(f"'{self.command}' resigned")
            action = _checked(self.game, state, action_of_vertex(self.game, move, coordinates), self.command, said)
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


class _NboardTalk:
    """An engine that speaks NBoard's protocol; the number of the last ping tells old answers from new ones."""

    def __init__(self, player: "Nboard") -> None:
        self.child = Child(player.command)
        self.n_pings = 0
        try:
            self.child.send(f"nboard 2\nset depth {player.depth}")
            self.synchronise(START_SECONDS)
        except ChildFailed:
            self.child.end()
            raise

    def synchronise(self, seconds: float) -> None:
        self.n_pings += 1
        self.child.send(f"ping {self.n_pings}")
        deadline = time.monotonic() + seconds
        while self.child.receive(deadline).split() != ["pong", str(self.n_pings)]:
            pass

    def end(self) -> None:
        self.child.end("quit")


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

    def __post_init__(self) -> None:
        _check(self.command, self.seconds)
        if "nboard" not in self.game.knowledge.protocols:
            raise UserError(f"NBoard's protocol is for Othello, not {self.game.title}; use 'gtp' or 'gomocup'.")
        if self.depth < 1:
            raise UserError(f"The depth must be 1 or more, not {self.depth}.")

    @property
    def name(self) -> str:
        return spec_of("nboard", self)

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return _choose_each(self.game, states, lambda row: self._ask(states[row : row + 1]))

    def _ask(self, state: States) -> int:
        # Whoever is to move is Black: the engine sees the same position whichever colour it has.
        board = board_value(self.game, position_text(self.game, state, True))
        with _NBOARD.borrow(self, lambda: _NboardTalk(self)) as talk:
            talk.child.send(f"set game (;GM[Othello]PC[randori]TY[{self.game.shape[0]}]BO[{board}];)")
            talk.synchronise(SETUP_SECONDS)
            talk.child.send("go")
            deadline = time.monotonic() + self.seconds + GRACE_SECONDS
            while not (line := talk.child.receive(deadline)).startswith("==="):
                pass
            # `=== F5/1.00/0.1`, or with spaces between the parts
            words = re.split(r"[/\s]", line[3:].strip())
            return _checked(self.game, state, action_of(self.game, words[0]), self.command, line)


class _GomocupTalk:
    """A brain that speaks the protocol of the Gomocup."""

    def __init__(self, player: "Gomocup") -> None:
        self.child = Child(player.command)
        self._size = player.game.shape[0]
        try:
            self.start()
            milliseconds = int(1000 * player.seconds)
            for key, value in (
                ("timeout_turn", milliseconds),
                ("timeout_match", 0),
                ("time_left", 2147483647),
                ("max_memory", 0),
                ("game_type", 1),
                ("rule", 0),
            ):
                self.child.send(f"INFO {key} {value}")
        except ChildFailed:
            self.child.end()
            raise

    def start(self) -> None:
        self.child.send(f"START {self._size}")
        said = self.answer(START_SECONDS)
        if not said.upper().startswith("OK"):
            raise ChildFailed(f"'{self.child.command}' refused a board of size {self._size} ({said})")

    def restart(self) -> None:
        self.child.send("RESTART")
        if not self.answer(SETUP_SECONDS).upper().startswith("OK"):
            self.start()

    def answer(self, seconds: float) -> str:
        """The next line that is no message."""
        deadline = time.monotonic() + seconds
        while True:
            line = self.child.receive(deadline).strip()
            if line and not line.upper().startswith(("MESSAGE", "DEBUG", "SUGGEST")):
                return line

    def end(self) -> None:
        self.child.end("END")


_GOMOCUP: Pool[_GomocupTalk] = Pool()


@dataclass(frozen=True)
class Gomocup:
    """A Gomoku brain that speaks the protocol of the Gomocup (Piskvork). Each position is set up with BOARD."""

    game: Game
    command: str
    seconds: float = 30.0
    """For one move; more forfeits the game."""

    def __post_init__(self) -> None:
        _check(self.command, self.seconds)
        if "gomocup" not in self.game.knowledge.protocols:
            raise UserError(f"The protocol of the Gomocup is for Gomoku, not {self.game.title}; use 'gtp'.")

    @property
    def name(self) -> str:
        return spec_of("gomocup", self)

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return _choose_each(self.game, states, lambda row: self._ask(states[row : row + 1]))

    def _ask(self, state: States) -> int:
        with _GOMOCUP.borrow(self, lambda: _GomocupTalk(self)) as talk:
            talk.restart()
            talk.child.send(_board_commands(self.game, state))
            said = talk.answer(self.seconds + GRACE_SECONDS)
            point = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", said)
            action = action_at(self.game, int(point[1]), int(point[2])) if point else None
            return _checked(self.game, state, action, self.command, said)


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
