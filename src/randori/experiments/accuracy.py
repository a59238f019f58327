"""The yardstick: how often a player's move keeps the exact value, on positions where the solver knows it.

Positions where every legal move keeps the value say nothing about a player; they are left out and counted separately.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from randori.arena import Score
from randori.core.game import LOSS, Bools, Game, States
from randori.core.positions import all_positions, has_few_positions
from randori.errors import UserError
from randori.players import Player
from randori.search.effort import random_endings
from randori.search.first_plies import early_outcome
from randori.search.solver import Solver, is_small, reach
from randori.workers import Shared, Workers

N_POSITIONS = 300

_BARREN_ROUNDS = 5  # without a new position, and there are hardly any more
_BATCH = 50


@dataclass(frozen=True)
class Exam:
    """Positions and the moves that keep their value; the same for every player."""

    game: Game
    states: States
    keeping: Bools
    """`[B, A]`"""
    alike: int
    """Positions left out because every legal move keeps the value."""


@dataclass(frozen=True)
class Accuracy:
    """The result of one player."""

    game: Game
    player: str
    positions: int
    kept: int
    alike: int

    @property
    def share(self) -> float:
        return self.kept / self.positions

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the share."""
        return Score(self.kept, 0, self.positions - self.kept, self.positions).interval

    def summary(self) -> dict[str, Any]:
        """The figures as plain values."""
        return {
            "game": self.game.name,
            "player": self.player,
            "positions": self.positions,
            "kept": self.kept,
            "share": round(self.share, 4),
            "interval": [round(end, 4) for end in self.interval],
            "alike": self.alike,
        }


def prepare_exam(
    game: Game,
    n_positions: int | None = None,
    seed: int = 0,
    on_positions: Callable[[int], None] = lambda n: None,
    left: tuple[int, int] | None = None,
) -> Exam:
    """Every position of Tic-Tac-Toe; of other games random ones, N_POSITIONS unless told otherwise.

    They have the least to the most moves `left`, or as many as the game itself names. A random position where the side to
    move can win at once is left out as well: even the weakest see that.
    """
    if n_positions is not None and n_positions < 1:
        raise UserError(f"Accuracy needs at least one position, not {n_positions}.")
    if seed < 0:
        raise UserError(f"A seed must be zero or a positive number, not {seed}.")
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    if left is not None:
        _check_left(game, left)
    if has_few_positions(game) and left is None:
        exam = _ask_about(game, all_positions(game))
        on_positions(len(exam.states))
        if n_positions is None or n_positions >= len(exam.states):
            return exam
        rows = np.sort(rng.choice(len(exam.states), n_positions, replace=False))
        return Exam(game, exam.states[rows], exam.keeping[rows], exam.alike)
    late = _late(game) if left is None else range(left[0], left[1] + 1)
    return _random_exam(game, n_positions or N_POSITIONS, late, rng, on_positions)


def _check_left(game: Game, left: tuple[int, int]) -> None:
    least, most = left
    first = game.start(1)
    if not 1 <= least <= most <= int(game.moves_left(first)[0]):
        raise UserError(
            f"Between 1 and {int(game.moves_left(first)[0])} moves are left in {game.title}, not {least} to {most}."
        )
    if most > reach(game) and early_outcome(game, first) is None:
        raise UserError(
            f"With more than {reach(game)} moves left {game.title} takes too long to solve, so the best moves are not known."
        )


def measure_accuracy(
    player: Player,
    exam: Exam,
    seed: int = 0,
    on_positions: Callable[[int], None] = lambda n: None,
    workers: Workers | None = None,
) -> Accuracy:
    """Lets the player move once in each position; its random numbers depend on the seed alone."""
    if not len(exam.states):
        raise UserError(f"No position of {exam.game.title} was found where the moves differ; ask for more positions.")
    batches = [slice(first, first + _BATCH) for first in range(0, len(exam.states), _BATCH)]
    shared = Shared(player)
    tasks = [(shared, exam.states[batch], exam.keeping[batch], seed, place) for place, batch in enumerate(batches)]
    staff = Workers(1) if workers is None else workers
    kept = staff.map(_kept, tasks, on_result=lambda place, _: on_positions(len(tasks[place][1])))
    return Accuracy(exam.game, player.name, len(exam.states), sum(kept), exam.alike)


def _kept(player: Player, states: States, keeping: Bools, seed: int, place: int) -> int:
    """How many of the moves in a batch keep the value."""
    key = (1, place) if place else (1,)  # the first as it was when one generator served all batches
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
    return int(keeping[np.arange(len(states)), player.choose(states, rng).actions].sum())


def _ask_about(game: Game, states: States) -> Exam:
    """An exam of those positions where not every move keeps the value."""
    keeping = Solver(game).keeping(states)
    asks = (keeping != game.legal(states)).any(axis=1)
    return Exam(game, states[asks], keeping[asks], int((~asks).sum()))


def _late(game: Game) -> range:
    """How many moves are left in the positions of the exam."""
    bounds = game.knowledge.exam
    if bounds is not None:
        return range(bounds[0], bounds[1] + 1)
    if not is_small(game):
        raise UserError(
            f"{game.title} is too large for the solver, so the best moves are not known; choose another game, such as "
            "Connect Four or Othello."
        )
    return range(2, int(game.moves_left(game.start(1))[0]))


def _random_exam(
    game: Game, n: int, late: range, rng: np.random.Generator, on_positions: Callable[[int], None]
) -> Exam:
    """Has fewer than `n` positions where no more are found."""
    exam = Exam(game, game.start(0), np.zeros((0, game.n_actions), np.bool_), 0)
    known = np.zeros(0, np.uint64)
    barren = 0
    while len(exam.states) < n and barren < _BARREN_ROUNDS:
        sizes, counts = np.unique(rng.choice(late, _BATCH), return_counts=True)
        drawn = [random_endings(game, int(k), int(empty), rng) for empty, k in zip(sizes, counts, strict=True)]
        states = _without_wins_at_once(game, np.concatenate(drawn))
        keys, rows = np.unique(game.keys(states), return_index=True)
        new = _ask_about(game, states[rows[~np.isin(keys, known)]])
        known = np.union1d(known, keys)
        barren = 0 if len(new.states) else barren + 1
        on_positions(min(len(new.states), n - len(exam.states)))
        exam = Exam(
            game,
            np.concatenate([exam.states, new.states])[:n],
            np.concatenate([exam.keeping, new.keeping])[:n],
            exam.alike + new.alike,
        )
    return exam


def _without_wins_at_once(game: Game, states: States) -> States:
    children = game.children(states)
    won = children.parents[game.outcome(children.states) == LOSS] if game.knowledge.wins_at_once else []
    return np.delete(states, won, axis=0)
