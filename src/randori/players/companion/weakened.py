"""A search that holds itself back: fewer simulations, a choice among good moves, now and then any move at all."""

from dataclasses import dataclass

import numpy as np

from randori.core.chance import drawn_by
from randori.core.game import LOSS, Bools, Floats, Game, States
from randori.core.player import Choice
from randori.players.companion.dial import Setting
from randori.players.simple import Random
from randori.search.uct import Uct


@dataclass(frozen=True)
class Weakened:
    """Plays by a setting of the dial; the same chances at every ply, so that its strength is even over the game.

    A move that it thinks about takes a win at once, never leaves the opponent one that could be prevented, and loses at
    most `setting.bound` in the eyes of its search. Moves that it does not think about are any legal ones.
    """

    game: Game
    setting: Setting

    @property
    def name(self) -> str:
        return f"weakened to {self.setting}"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        actions = Random(self.game).choose(states, rng).actions
        thinking = np.flatnonzero(rng.random(len(states)) >= self.setting.absent)
        if len(thinking):
            actions[thinking] = drawn_by(self.weights(states[thinking], rng), rng)
        return Choice(actions)

    def weights(self, states: States, rng: np.random.Generator) -> Floats:
        """`[B, A]`: in proportion to the chances of the moves that it thinks about, 0 for those it would never make."""
        found = Uct(self.game, self.setting.simulations).search(states, rng)
        # A move without a visit counts a little, where tactics leave no other.
        visits = np.maximum(found.visits, 0.01)
        weights = (visits / visits.max(axis=1, keepdims=True)) ** (1 / self.setting.temperature)
        best = found.values[np.arange(len(states)), found.actions]
        weights[(found.visits > 0) & (found.values < best[:, None] - self.setting.bound)] = 0.0
        sensible = _sensible(self.game, states)
        weights *= sensible
        # Where the search overlooked every sensible move, one of them it shall be.
        lost = weights.sum(axis=1) == 0
        weights[lost] = sensible[lost]
        return weights


def _sensible(game: Game, states: States) -> Bools:
    """`[B, A]`: the moves that win at once where there are any; else those that leave the opponent no win at once;
    else all legal ones.
    """
    children = game.children(states)
    replies = game.children(children.states)
    wins = game.outcome(children.states) == LOSS
    safe = np.ones(len(children.actions), np.bool_)
    safe[replies.parents[game.outcome(replies.states) == LOSS]] = False
    found = game.legal(states)
    for chosen in (safe, wins):
        allowed = np.zeros_like(found)
        allowed[children.parents[chosen], children.actions[chosen]] = True
        rows = allowed.any(axis=1)
        found[rows] = allowed[rows]
    return found
