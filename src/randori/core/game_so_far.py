"""A game under way, as engines, the page and the terminal follow it."""

from copy import copy
from functools import cached_property

from randori.core.game import ONGOING, Bools, Game, States


class GameSoFar:
    """A game under way. `first_to_move` tells whether the side that begins is to move: Black, or X."""

    def __init__(self, game: Game, start: States | None = None, first_began: bool = True) -> None:
        self.game = game
        self.history: list[int] = []
        self.usual_start = start is None
        self._start, self._first_began = start, first_began

    @cached_property
    def states(self) -> list[States]:
        """Every position so far, `[1, words]` each. Rules may have to compile first, so nobody waits who does not ask."""
        return [self.game.start(1) if self._start is None else self._start]

    @property
    def state(self) -> States:
        """`[1, words]`"""
        return self.states[-1]

    @property
    def first_to_move(self) -> bool:
        return (len(self.history) % 2 == 0) == self._first_began

    @property
    def legal(self) -> Bools:
        """`[A]`"""
        return self.game.legal(self.state)[0]

    @property
    def is_over(self) -> bool:
        return bool(self.game.outcome(self.state)[0] != ONGOING)

    @property
    def must_pass(self) -> bool:
        return self.game.pass_action is not None and bool(self.legal[self.game.pass_action])

    def play(self, action: int) -> None:
        """Raises ValueError where it is not legal."""
        self.states.append(self.game.play(self.state, [action]))
        self.history.append(action)

    def pass_on(self) -> None:
        """The side to move passes, as it must."""
        assert self.game.pass_action is not None
        self.play(self.game.pass_action)

    def after(self, action: int) -> "GameSoFar":
        """A board of its own on which this action has been played, too. Raises ValueError where it is not legal."""
        board = self.first(len(self.history))
        board.play(action)
        return board

    def first(self, plies: int) -> "GameSoFar":
        """A board of its own on which only the first so many have been played."""
        board = copy(self)
        board.states, board.history = self.states[: plies + 1], self.history[:plies]
        return board

    def undo(self) -> None:
        """Raises IndexError where nothing has been played."""
        self.history.pop()
        self.states.pop()
