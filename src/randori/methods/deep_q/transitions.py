"""From games to lessons: which position follows a choice, and what it brought on the way."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.core.game import DRAW, WIN, Actions, Bools, Game, Ints, States
from randori.core.record import Games
from randori.core.replay import replayed
from randori.methods.deep_q.config import DeepQConfig


class Transitions(NamedTuple):
    """A row for each choice: the action was worth `rewards + factors * (what the next position is worth)`."""

    states: States
    actions: Actions
    rewards: NDArray[np.float32]
    factors: NDArray[np.float32]
    """The discount, 0 where the game was over before; below 0 where the next position is the opponent's."""
    next_states: States
    next_actions: Actions
    """What was played there."""


@dataclass(frozen=True)
class _Course:
    """A batch of games ply by ply, with a ply beyond the last; a row is finished from `lengths` on."""

    states: States  # [T, B, words]
    actions: Actions  # [T, B], -1 after the end
    choices: Bools  # [T, B]: more than a forced pass
    lengths: Ints  # [B]
    stones: NDArray[np.float64]  # [2, T, B]: share of the board that is mine and theirs, for the side to move

    def own_stones(self, ply: int, at: NDArray[np.int64], rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """What the side that moved at `ply` holds at later plies."""
        return np.asarray(self.stones[(at - ply) % 2, at, rows])


def transitions(games: Games, config: DeepQConfig, seats: tuple[int, ...]) -> Transitions:
    """What the given seats, 0 for who began, can learn from the games. Plies of the opening are not choices."""
    course = _course(games)
    stride = 1 if config.bootstrap == "opponent" else 2
    following = _next_choice(course, stride)
    parts = [
        _lessons(games, course, following, ply, stride, config)
        for ply in range(games.opening_plies, games.actions.shape[1])
        if ply % 2 in seats
    ]
    return Transitions(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _course(games: Games) -> _Course:
    game, n = games.game, len(games)
    states = replayed(game, games.actions)
    actions = np.vstack([games.actions.T, np.full((1, n), -1, np.int16)])
    passing = np.zeros_like(actions, np.bool_) if game.pass_action is None else actions == game.pass_action
    stones = np.stack([[(game.cells(row) == side).mean(axis=(1, 2)) for row in states] for side in (1, -1)])
    return _Course(states, actions, (actions >= 0) & ~passing, games.lengths, stones)


def _next_choice(course: _Course, stride: int) -> NDArray[np.int64]:
    """`[T + stride, B]`: the first ply from here on, in strides, with a choice; where there is none, one past all."""
    n_plies, n = course.choices.shape
    following = np.full((n_plies + stride, n), n_plies - 1 + stride)
    for ply in reversed(range(n_plies)):
        following[ply] = np.where(course.choices[ply], ply, following[ply + stride])
    return following


def _lessons(
    games: Games, course: _Course, following: NDArray[np.int64], ply: int, stride: int, config: DeepQConfig
) -> Transitions:
    """The choices of one ply."""
    rows = np.flatnonzero(course.choices[ply])
    rewards, discounts = np.zeros(len(rows)), np.ones(len(rows))
    place, over = np.full(len(rows), ply), np.zeros(len(rows), np.bool_)
    for _ in range(config.steps):
        ahead = following[np.minimum(place + stride, len(following) - 1), rows]
        place = np.where(over, place, ahead)
        ended = ~over & (place >= course.lengths[rows])
        rewards[ended] += discounts[ended] * _final_rewards(games, rows[ended], ply, config)
        if config.shaping:
            at = np.minimum(place, course.lengths[rows])
            rewards += np.where(over, 0.0, discounts * course.own_stones(ply, at, rows))
        over |= ended
        discounts[~over] *= config.discount
    sign = np.where((place - ply) % 2 == 0, 1.0, -1.0)
    place = np.where(over, 0, place)
    return Transitions(
        course.states[ply, rows],
        course.actions[ply, rows],
        rewards.astype(np.float32),
        np.where(over, 0.0, discounts * sign).astype(np.float32),
        course.states[place, rows],
        course.actions[place, rows],
    )


def _final_rewards(games: Games, rows: NDArray[np.intp], ply: int, config: DeepQConfig) -> NDArray[np.float64]:
    """For the side that moved at `ply`; outcomes are for the side that began."""
    outcomes = games.outcomes[rows] * (1 if ply % 2 == 0 else -1)
    return np.select([outcomes == WIN, outcomes == DRAW], [config.win, config.draw], config.loss)


class Replay:
    """The last transitions, as many as there is room for; the oldest is overwritten first."""

    def __init__(self, game: Game, size: int) -> None:
        words = game.words
        self._size, self._next, self.filled = size, 0, 0
        self._columns: dict[str, NDArray[Any]] = {
            "states": np.zeros((size, words), np.uint64),
            "actions": np.zeros(size, np.int16),
            "rewards": np.zeros(size, np.float32),
            "factors": np.zeros(size, np.float32),
            "next_states": np.zeros((size, words), np.uint64),
            "next_actions": np.zeros(size, np.int16),
        }

    def add(self, added: Transitions) -> None:
        n = min(len(added.actions), self._size)
        places = (self._next + np.arange(n)) % self._size
        for name, column in self._columns.items():
            column[places] = getattr(added, name)[-n:]
        self._next = int(self._next + n) % self._size
        self.filled = min(self._size, self.filled + n)

    def take(self, places: NDArray[np.int64]) -> Transitions:
        return Transitions(**{name: column[places] for name, column in self._columns.items()})

    def state(self) -> dict[str, Any]:
        return {"next": self._next, "columns": {name: it[: self.filled] for name, it in self._columns.items()}}

    def restore(self, state: dict[str, Any]) -> None:
        self._next, self.filled = state["next"], len(state["columns"]["actions"])
        for name, kept in state["columns"].items():
            self._columns[name][: self.filled] = kept
