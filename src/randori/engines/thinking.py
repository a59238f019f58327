"""The player that thinks about the board of an engine within a time."""

import dataclasses
import time
from collections.abc import Callable
from threading import Thread
from typing import Any

import numpy as np

from randori.core.game import Game
from randori.core.game_so_far import GameSoFar
from randori.engines.serving import Inbox
from randori.errors import UserError
from randori.players import Player, choose_in_game
from randori.players.simple import heuristic

# The share of the time that is used: the rest is for the way to the other program and back.
_USED = 0.8
# A search is planned to take this much of it: positions differ, and so does what else the machine has to do.
_SEARCHED = 0.7
_WARM_UP_SIMULATIONS = 16
_WARM_UP_SECONDS = 0.1


class ThinkingFailed(Exception):
    """The player could not choose; the message says why."""


class Thinker:
    """Asks a player, in a thread of its own, for the move on a board.

    It gets ready during the conversation: the first time on a machine, kernels compile for up to half a minute. Its
    random numbers depend on the seed and the position alone: an engine that reaches a position in another way, or
    again, gives the same answer.
    """

    def __init__(self, player: Player, game: Game, inbox: Inbox, seed: int) -> None:
        self.player, self._game, self._inbox, self._seed = player, game, inbox, seed
        self._simulations_per_second = float("inf")
        self._warming_up = _Work(self._warm_up, inbox)

    def choose(self, board: GameSoFar, seconds: float | None = None, interrupt: str | None = None) -> int | None:
        """The action on a board that is not over; None where the interrupting command was faster.

        Where the player takes longer than `seconds`, a rule of thumb answers for it.
        """
        limit = float("inf") if seconds is None else time.monotonic() + _USED * seconds
        if self._wait(self._warming_up, limit, interrupt):
            return None
        if self._warming_up.ended:
            began = time.monotonic()
            player = self.player if seconds is None else self._within(max(0.0, limit - began))
            thought = _Work(self._thought(player, board), self._inbox)
            if self._wait(thought, limit, interrupt):
                return None
            if thought.error is not None:
                raise ThinkingFailed(str(thought.error) or type(thought.error).__name__) from thought.error
            self._notice_speed(player, time.monotonic() - began)
            if thought.result is not None:
                return thought.result
        return int(heuristic(self._game).choose(board.state, self.random(board)).actions[0])

    def random(self, board: GameSoFar) -> np.random.Generator:
        return np.random.default_rng([self._seed, int(self._game.keys(board.state)[0])])

    def _wait(self, work: "_Work", limit: float, interrupt: str | None = None) -> bool:
        """Until the work or the time ends; returns whether it was interrupted before."""
        inbox = self._inbox
        with inbox.changed:
            while not work.ended:
                if interrupt is not None and inbox.holds(interrupt):
                    return True
                left = limit - time.monotonic()
                if left <= 0:
                    return False
                inbox.changed.wait(min(left, 3600.0))
        return False

    def _warm_up(self) -> None:
        """Lets everything load and compile, and measures a searching player, before the clock runs.

        What boards and the rule of thumb need comes first: it is soon there, and answers for the player meanwhile.
        """
        board = GameSoFar(self._game)
        heuristic(self._game).choose(board.state, self.random(board))
        board.play(int(board.legal.argmax()))
        for ask in (self._game.outcome, self._game.cells, self._game.margin):
            ask(board.state)
        simulations = _WARM_UP_SIMULATIONS
        self._try_out(GameSoFar(self._game), simulations)
        while _has(self.player, "simulations") and not _is_timed(self.player):
            seconds = self._try_out(board, simulations)
            if seconds > _WARM_UP_SECONDS or simulations >= self.player.simulations:  # type: ignore[attr-defined]
                self._simulations_per_second = simulations / seconds
                return
            simulations *= 4

    def _try_out(self, board: GameSoFar, simulations: int) -> float:
        """The seconds for a move with at most this many simulations."""
        player: Any = self.player
        if _has(player, "simulations"):
            player = dataclasses.replace(player, simulations=min(simulations, player.simulations))
        if _is_timed(player):
            player = dataclasses.replace(player, seconds=min(_WARM_UP_SECONDS, player.seconds))
        began = time.monotonic()
        self._thought(player, board)()
        return time.monotonic() - began

    def _thought(self, player: Player, board: GameSoFar) -> Callable[[], int]:
        """What finds the player's action on the board as it is now: the board may change before a thought has ended."""
        actions, state, rng = np.array([board.history], np.int16).reshape(1, -1), board.state, self.random(board)
        # Where a position was set up, the moves before it are not known.
        follows = board.usual_start

        def think() -> int:
            choice = choose_in_game(player, actions, state, rng) if follows else player.choose(state, rng)
            if choice.forfeits:
                raise UserError(choice.forfeits[0].reason)
            return int(choice.actions[0])

        return think

    def _within(self, seconds: float) -> Player:
        """The player with the time, or with as many simulations as fit into it, where it has such an option."""
        player: Any = self.player
        changes: dict[str, Any] = {}
        if _is_timed(player):
            changes["seconds"] = min(player.seconds, seconds)
        elif _has(player, "simulations"):
            fitting = min(_SEARCHED * self._simulations_per_second * seconds, player.simulations)
            changes["simulations"] = max(1, int(fitting))
        changed: Player = dataclasses.replace(player, **changes) if changes else player
        return changed

    def _notice_speed(self, player: Any, seconds: float) -> None:
        """The time for the last position counts, but not if its move was forced or ended the game."""
        if _has(player, "simulations") and not _is_timed(player):
            speed = player.simulations / max(seconds, 1e-6)
            self._simulations_per_second = min(speed, 1.2 * self._simulations_per_second)


class _Work:
    """Work done in a thread of its own. If nobody waits for it any more, its result is dropped."""

    def __init__(self, function: Callable[[], int | None], inbox: Inbox) -> None:
        self.result: int | None = None
        self.error: Exception | None = None
        self.ended = False
        self._function, self._inbox = function, inbox
        Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        result, error = None, None
        try:
            result = self._function()
        except Exception as failure:  # whatever a player raises, its engine answers and goes on
            error = failure
        with self._inbox.changed:
            self.result, self.error, self.ended = result, error, True
            self._inbox.changed.notify_all()


def _has(player: Any, option: str) -> bool:
    return dataclasses.is_dataclass(player) and any(it.name == option for it in dataclasses.fields(player))


def _is_timed(player: Any) -> bool:
    """Whether it was given a time for each move."""
    return _has(player, "seconds") and player.seconds is not None
