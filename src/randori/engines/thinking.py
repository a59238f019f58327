"""The player that thinks about the board of an engine within a time."""

import dataclasses
import time
from threading import Thread
from typing import Any

import numpy as np

from randori.core.game import Game, States
from randori.core.game_so_far import GameSoFar
from randori.engines.serving import Closing, Inbox
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

    The chance that it is handed depends on the seed and the position alone: an engine that is led to a position on
    another way, or once more, gives the same answer.
    """

    def __init__(self, player: Player, game: Game, inbox: Inbox, seed: int) -> None:
        self.player, self._game, self._inbox, self._seed = player, game, inbox, seed
        self._simulations_per_second = float("inf")
        self._warm_up()

    def choose(self, board: GameSoFar, seconds: float | None = None, interrupt: str | None = None) -> int | None:
        """The action on a board that is not over; None where the command that may interrupt came first.

        Where the player takes longer than `seconds`, a rule of thumb answers for it.
        """
        began = time.monotonic()
        limit = float("inf") if seconds is None else began + _USED * seconds
        player = self.player if seconds is None else self._within(_USED * seconds)
        thought = _Thought(player, board, self.random(board), self._inbox)
        if self._wait(thought, limit, interrupt):
            return None
        if thought.action is None and thought.error is None:
            self._notice_speed(player, time.monotonic() - began)
            return int(heuristic(self._game).choose(board.state, self.random(board)).actions[0])
        if thought.error is not None:
            raise ThinkingFailed(str(thought.error) or type(thought.error).__name__) from thought.error
        self._notice_speed(player, time.monotonic() - began)
        return thought.action

    def random(self, board: GameSoFar) -> np.random.Generator:
        return np.random.default_rng([self._seed, int(self._game.keys(board.state)[0])])

    def _wait(self, thought: "_Thought", limit: float, interrupt: str | None = None) -> bool:
        """Until the thought or the time ends; returns whether it was interrupted before."""
        inbox = self._inbox
        with inbox.changed:
            while not thought.ended:
                if interrupt is not None and inbox.holds(interrupt):
                    return True
                left = min(limit, inbox.ends) - time.monotonic()
                if left <= 0:
                    if limit > inbox.ends:
                        raise Closing
                    return False
                inbox.changed.wait(min(left, 3600.0))
        return False

    def _warm_up(self) -> None:
        """Lets everything load and compile, and measures a searching player, before the clock runs."""
        board = GameSoFar(self._game)
        simulations = _WARM_UP_SIMULATIONS
        self._try_out(board, simulations)
        board.play(int(board.legal.argmax()))
        while _has(self.player, "simulations"):
            seconds = self._try_out(board, simulations)
            if seconds > _WARM_UP_SECONDS or simulations >= self.player.simulations:  # type: ignore[attr-defined]
                self._simulations_per_second = simulations / seconds
                return
            simulations *= 4

    def _try_out(self, board: GameSoFar, simulations: int) -> float:
        """How many seconds a thought with at most so many simulations takes."""
        player: Any = self.player
        if _has(player, "simulations"):
            player = dataclasses.replace(player, simulations=min(simulations, player.simulations))
        began = time.monotonic()
        self._wait(_Thought(player, board, self.random(board), self._inbox), float("inf"))
        return time.monotonic() - began

    def _within(self, seconds: float) -> Player:
        """The player with the time, or with as many simulations as fit into it, where it has such an option."""
        player: Any = self.player
        changes: dict[str, Any] = {}
        if _has(player, "seconds") and isinstance(player.seconds, float):
            changes["seconds"] = min(player.seconds, seconds)
        if _has(player, "simulations"):
            fitting = min(_SEARCHED * self._simulations_per_second * seconds, player.simulations)
            changes["simulations"] = max(1, int(fitting))
        changed: Player = dataclasses.replace(player, **changes) if changes else player
        return changed

    def _notice_speed(self, player: Any, seconds: float) -> None:
        """What the last position took counts, but a forced move or one that ends the game is no measure."""
        if _has(player, "simulations"):
            speed = player.simulations / max(seconds, 1e-6)
            self._simulations_per_second = min(speed, 1.2 * self._simulations_per_second)


class _Thought:
    """One choice in a thread of its own. A thought that nobody waits for any more ends unheard."""

    def __init__(self, player: Player, board: GameSoFar, rng: np.random.Generator, inbox: Inbox) -> None:
        self.action: int | None = None
        self.error: Exception | None = None
        self.ended = False
        self._inbox = inbox
        actions = np.array([board.history], np.int16).reshape(1, -1)
        arguments = (player, actions, board.state, rng, board.usual_start)
        Thread(target=self._think, args=arguments, daemon=True).start()

    def _think(self, player: Player, actions: Any, state: States, rng: np.random.Generator, usual_start: bool) -> None:
        action, error = None, None
        try:
            # How a position came about is not known where it was set up.
            choice = choose_in_game(player, actions, state, rng) if usual_start else player.choose(state, rng)
            if choice.forfeits:
                raise UserError(choice.forfeits[0].reason)
            action = int(choice.actions[0])
        except Exception as failure:  # whatever a player raises, its engine answers and goes on
            error = failure
        with self._inbox.changed:
            self.action, self.error, self.ended = action, error, True
            self._inbox.changed.notify_all()


def _has(player: Any, option: str) -> bool:
    return dataclasses.is_dataclass(player) and any(it.name == option for it in dataclasses.fields(player))
