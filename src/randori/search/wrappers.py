"""Players around players: what is known for certain is played, and the player inside is asked for the rest."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from randori.core.chance import drawn_from
from randori.core.game import WIN, Actions, Bools, Game, States
from randori.core.player import Choice, Player, choose_in_game
from randori.core.record import Forfeit
from randori.search.solver import Solver
from randori.search.threats import find_wins

Rows = NDArray[np.intp]
Ask = Callable[[Rows], Choice]
"""What the player inside chooses in some rows of the batch."""


@dataclass(frozen=True)
class ExactEndings:
    """Another player, who makes no mistake where at most `exact` moves are left.

    There it plays what is best, winners hurrying and losers delaying; with `keeping`, any action that keeps the value.
    """

    game: Game
    player: Player
    exact: int
    solver: Solver | None = None
    """The caller's, where it is to remember from one question to the next; it serves one thread."""
    keeping: bool = False
    seconds: float | None = None
    """For solving a position; one that takes longer is left to the player `late`."""
    late: Player | None = None

    @property
    def name(self) -> str:
        return self.player.name

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return self._choose(states, rng, lambda rows: self.player.choose(states[rows], rng))

    def choose_after(self, actions: Actions, states: States, rng: np.random.Generator) -> Choice:
        return self._choose(states, rng, lambda rows: choose_in_game(self.player, actions[rows], states[rows], rng))

    def _choose(self, states: States, rng: np.random.Generator, ask: Ask) -> Choice:
        if not self.exact:
            return ask(np.arange(len(states)))
        ending = np.flatnonzero(self.game.moves_left(states) <= self.exact)
        parts, others = [], np.arange(len(states))
        if len(ending):
            sound = self._sound(states[ending])
            solved = sound.any(axis=1)
            known, unsolved, sound = ending[solved], ending[~solved], sound[solved]
            parts.append((known, Choice(drawn_from(sound, rng), sound / sound.sum(axis=1, keepdims=True))))
            if len(unsolved):
                parts.append((unsolved, (self.late or self.player).choose(states[unsolved], rng)))
            others = np.setdiff1d(others, ending)
        if len(others):
            parts.append((others, ask(others)))
        return put_together(self.game, len(states), parts)

    def _sound(self, states: States) -> Bools:
        """`[B, A]`; no action of a position that was not solved in time."""
        solver = self.solver or Solver(self.game)
        if self.seconds is not None:
            return solver.best_within(states, self.seconds)
        return solver.keeping(states) if self.keeping else solver.best(states)


@dataclass(frozen=True)
class ForcedWins:
    """Another player, who plays the wins that a threat search of so many nodes, `threats`, finds."""

    game: Game
    player: Player
    threats: int

    @property
    def name(self) -> str:
        return self.player.name

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return self._choose(states, lambda rows: self.player.choose(states[rows], rng))

    def choose_after(self, actions: Actions, states: States, rng: np.random.Generator) -> Choice:
        return self._choose(states, lambda rows: choose_in_game(self.player, actions[rows], states[rows], rng))

    def _choose(self, states: States, ask: Ask) -> Choice:
        if not self.threats:
            return ask(np.arange(len(states)))
        wins = find_wins(self.game, states, self.threats)
        won, others = np.flatnonzero(wins >= 0), np.flatnonzero(wins < 0)
        parts = [(won, Choice(wins[won], values=np.full(len(won), float(WIN))))]
        if len(others):
            parts.append((others, ask(others)))
        return put_together(self.game, len(states), parts)


def put_together(game: Game, n: int, parts: Sequence[tuple[Rows, Choice]]) -> Choice:
    """One choice for `n` positions out of those for some of them; where a part has no policy, its actions are sure."""
    actions, policy = np.full(n, -1, np.int16), np.zeros((n, game.n_actions))
    values = np.full(n, np.nan)
    forfeits: list[Forfeit] = []
    for rows, choice in parts:
        actions[rows] = choice.actions
        policy[rows] = choice.shares(game.n_actions)
        if choice.values is not None:
            values[rows] = choice.values
        forfeits += [it._replace(row=int(rows[it.row])) for it in choice.forfeits]
    return Choice(actions, policy, tuple(forfeits), values)
