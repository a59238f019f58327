"""Talks with programs: how one begins and ends, and programs that wait for the next question."""

import atexit
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import ClassVar, Generic, TypeVar

import numpy as np

from randori.core.game import Game, States
from randori.core.player import Choice
from randori.core.record import Forfeit
from randori.errors import UserError
from randori.players.outside.program import Program, ProgramFailed, check_command

AnyTalk = TypeVar("AnyTalk", bound="Talk")


class Talk:
    """A running program and what we know of the position it looks at. Protocols say how it is greeted."""

    START_SECONDS: ClassVar[float] = 60.0
    """For a program to load its tables and say that it is there."""
    SETUP_SECONDS: ClassVar[float] = 10.0
    """For a program to take note of a position."""
    GRACE_SECONDS: ClassVar[float] = 1.0
    """Beyond the time for a move: pipes and a busy machine take theirs."""
    farewell: ClassVar[str]

    def __init__(self, command: str) -> None:
        self.program = Program(command)
        try:
            self.greet()
        except ProgramFailed:
            self.program.end()
            raise

    def greet(self) -> None:
        """Until the program is ready for a question."""
        raise NotImplementedError

    def line_where(self, is_meant: Callable[[str], bool], seconds: float) -> str:
        """The next line that is meant for us; what a program prints beside the protocol is passed over."""
        deadline = time.monotonic() + seconds
        while not is_meant(line := self.program.receive(deadline)):
            pass
        return line

    def end(self) -> None:
        self.program.end(self.farewell)


class Pool(Generic[AnyTalk]):
    """Programs that wait for the next position.

    They save the time to start one and nothing else: what a program is asked never depends on what it was asked before,
    and one that failed does not come back.
    """

    def __init__(self) -> None:
        self._idle: dict[Hashable, list[AnyTalk]] = {}
        atexit.register(self.end)

    @contextmanager
    def borrow(self, key: Hashable, start: Callable[[], AnyTalk]) -> Iterator[AnyTalk]:
        idle = self._idle.setdefault(key, [])
        talk = idle.pop() if idle else start()
        try:
            yield talk
        except BaseException:
            talk.end()
            raise
        idle.append(talk)

    def end(self) -> None:
        for idle in self._idle.values():
            while idle:
                idle.pop().end()


def check_program(command: str, seconds: float) -> None:
    check_command(command)
    if not 0 < seconds < 1e6:
        raise UserError(f"The seconds for a move must be a positive number, not {seconds:g}.")


def choose_each(game: Game, states: States, ask: Callable[[int], int]) -> Choice:
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
        except ProgramFailed as failure:
            forfeits.append(Forfeit(row, f"{failure}."))
    return Choice(actions, None, tuple(forfeits))


def checked(game: Game, state: States, action: int | None, command: str, said: str) -> int:
    """The action that a program has said, where it is legal."""
    if action is None or not game.legal(state)[0, action]:
        raise ProgramFailed(f"'{command}' played '{said}', which is not legal there")
    return action
