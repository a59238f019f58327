"""Talks with programs: how one begins and ends, programs that wait for the next question, and when we give one up."""

import atexit
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

import numpy as np

from randori.core.game import Game, States
from randori.core.player import Choice, Player, PlayerFailed
from randori.core.record import Forfeit
from randori.errors import UserError
from randori.players.outside.program import NoAnswer, Program, ProgramFailed, check_command, quoted

AnyTalk = TypeVar("AnyTalk", bound="Talk")

START_SECONDS = 10.0
"""For a program to load its tables and say that it is there, unless its player says otherwise."""


class Resigned(Exception):
    """The program gives this game up, which is no failure of its."""


class Talk:
    """A running program and what we know of the position it looks at. Protocols say how it is greeted."""

    SETUP_SECONDS: ClassVar[float] = 10.0
    """For a program to take note of a position."""
    GRACE_SECONDS: ClassVar[float] = 1.0
    """Beyond the time for a move: pipes and a busy machine take theirs."""
    farewell: ClassVar[str]

    def __init__(self, command: str, start_seconds: float) -> None:
        self.program = Program(command)
        try:
            self.greet(time.monotonic() + start_seconds)
        except BaseException:
            self.program.end()
            raise

    def greet(self, deadline: float) -> None:
        """Until the program is ready for a question."""
        raise NotImplementedError

    def line_where(self, is_meant: Callable[[str], bool], deadline: float) -> str:
        """The next line that is meant for us; what a program prints beside the protocol is passed over."""
        while not is_meant(line := self.program.receive(deadline)):
            pass
        return line

    def move_deadline(self, seconds: float) -> float:
        return time.monotonic() + seconds + self.GRACE_SECONDS

    def setup_deadline(self) -> float:
        return time.monotonic() + self.SETUP_SECONDS

    def end(self) -> None:
        self.program.end(self.farewell)


@dataclass
class _Account(Generic[AnyTalk]):
    """What the programs of one player have done so far in this process."""

    idle: list[AnyTalk] = field(default_factory=list)
    n_answers: int = 0
    n_failures: int = 0

    def is_hopeless(self, failure: ProgramFailed) -> bool:
        """Three failures, and more than one in a hundred moves; or silence before there was any answer at all."""
        if self.n_answers == 0 and isinstance(failure, NoAnswer):
            return True
        return self.n_failures >= 3 and 100 * self.n_failures > self.n_answers

    def in_words(self) -> str:
        """The rest of a sentence about a failure."""
        if self.n_answers == 0:
            return " and never played a move"
        return f", which makes {self.n_failures} failures in {self.n_answers + self.n_failures} moves"


class Pool(Generic[AnyTalk]):
    """Programs that wait for the next position.

    They save the time to start one and nothing else: no question to a program depends on those before it, and one
    that failed is not used again.
    """

    def __init__(self) -> None:
        self._accounts: defaultdict[Player, _Account[AnyTalk]] = defaultdict(_Account)
        atexit.register(self.end)

    @contextmanager
    def borrow(self, player: Player, start: Callable[[], AnyTalk]) -> Iterator[AnyTalk]:
        """A program that is ready for a question. Raises PlayerFailed where none gets ready, or too many have failed."""
        account = self._accounts[player]
        try:
            talk = account.idle.pop() if account.idle else start()
        except ProgramFailed as failure:
            raise self._give_up(player, f"{failure} and never got ready to play") from None
        try:
            yield talk
        except Resigned:
            self._put_back(account, talk)
            raise
        except ProgramFailed as failure:
            # Whoever does not answer would not hear the farewell.
            talk.program.end() if isinstance(failure, NoAnswer) else talk.end()
            account.n_failures += 1
            if account.is_hopeless(failure):
                raise self._give_up(player, f"{failure}{account.in_words()}") from None
            raise
        except BaseException:
            talk.end()
            raise
        self._put_back(account, talk)

    def _put_back(self, account: _Account[AnyTalk], talk: AnyTalk) -> None:
        account.n_answers += 1
        account.idle.append(talk)

    def _give_up(self, player: Player, why: str) -> PlayerFailed:
        """Whoever tries again later, perhaps with a mended program, begins with a clean account."""
        _end_all(self._accounts.pop(player).idle)
        return PlayerFailed(
            player.name, f"{why}, so there is no score; run the command in a terminal to see what is wrong."
        )

    def end(self) -> None:
        for account in self._accounts.values():
            _end_all(account.idle)


def _end_all(idle: list[AnyTalk]) -> None:
    while idle:
        idle.pop().end()


def check_program(command: str, seconds: float, start: float) -> None:
    check_command(command)
    for what, given in (("for a move", seconds), ("to get ready", start)):
        if not 0 < given < 1e6:
            raise UserError(f"The seconds {what} must be a positive number, not {given:g}.")


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
        except Resigned as resigned:
            forfeits.append(Forfeit(row, f"{resigned}.", resigned=True))
    return Choice(actions, None, tuple(forfeits))


def checked(game: Game, state: States, action: int | None, command: str, reply: str) -> int:
    """The action that a program replied with. Raises ProgramFailed where it is not legal."""
    if action is None or not game.legal(state)[0, action]:
        raise ProgramFailed(f"'{command}' played '{quoted(reply)}', which is not legal there")
    return action
