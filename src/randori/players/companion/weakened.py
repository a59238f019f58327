"""A player that holds itself back: it mixes a master's moves, those of a small search, and random ones."""

from dataclasses import dataclass

import numpy as np

from randori.core.chance import drawn_by
from randori.core.game import Actions, Floats, Game, States
from randori.core.player import Choice, Player
from randori.players.companion.manners import are_sensible, sensible
from randori.players.companion.setting import Setting
from randori.players.simple import Random
from randori.search.uct import Uct


@dataclass(frozen=True)
class Weakened:
    """Plays by a setting of the dial; the same chances at every ply, so that its strength is even over the game.

    A move that it thinks about, be it the master's or its own, takes a win at once and never leaves the opponent one that
    could be prevented; its own loses at most `setting.bound` in the eyes of its search. Moves that it does not think about
    are any legal ones.
    """

    game: Game
    setting: Setting
    master: Player | None = None

    @property
    def name(self) -> str:
        return f"weakened to {self.setting}"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        actions = Random(self.game).choose(states, rng).actions
        thinking = np.flatnonzero(rng.random(len(states)) >= self.setting.absent)
        if len(thinking):
            actions[thinking] = self._thought(states[thinking], rng)
        return Choice(actions)

    def _thought(self, states: States, rng: np.random.Generator) -> Actions:
        actions = np.empty(len(states), np.int16)
        mastered = np.zeros(len(states), np.bool_)
        if self.master is not None:
            mastered = rng.random(len(states)) < self.setting.mastery
            if mastered.any():
                actions[mastered] = self.master.choose(states[mastered], rng).actions
        if not mastered.all():
            actions[~mastered] = drawn_by(self._liking(states[~mastered], rng), rng)
        # To draw again where a move is absurd gives the same chances as never to draw one, and is seldom needed.
        absurd = ~are_sensible(self.game, states, actions)
        if absurd.any():
            actions[absurd] = drawn_by(self.weights(states[absurd], rng), rng)
        return actions

    def weights(self, states: States, rng: np.random.Generator) -> Floats:
        """`[B, A]`: proportional to the chances of its own moves, 0 for those that it would never make."""
        allowed = sensible(self.game, states)
        weights = self._liking(states, rng) * allowed
        # Where the search overlooked every sensible move, one of them it shall be.
        lost = weights.sum(axis=1) == 0
        weights[lost] = allowed[lost]
        return weights

    def _liking(self, states: States, rng: np.random.Generator) -> Floats:
        """As `weights`, by the search alone."""
        found = Uct(self.game, self.setting.simulations).search(states, rng)
        # A move without a visit counts a little, where tactics leave no other.
        visits = np.where(self.game.legal(states), np.maximum(found.visits, 0.01), 0.0)
        weights = (visits / visits.max(axis=1, keepdims=True)) ** (1 / self.setting.temperature)
        best = found.values[np.arange(len(states)), found.actions]
        weights[(found.visits > 0) & (found.values < best[:, None] - self.setting.bound)] = 0.0
        return np.asarray(weights)
