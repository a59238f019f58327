"""Players without search: random moves, the best next position, hand-written rules for each game."""

from dataclasses import dataclass

import numpy as np

from randori.core.chance import best_of
from randori.core.evaluation import Evaluator
from randori.core.game import Game, States
from randori.core.player import Choice, Player
from randori.search.evaluators import Margin, child_values, heuristic_evaluator


@dataclass(frozen=True)
class Random:
    """Any legal action."""

    game: Game
    name = "random"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return Choice(self.game.pick(states, rng.random(len(states))))


@dataclass(frozen=True)
class Exploring:
    """Another player who makes a share of the moves at random: epsilon-greedy."""

    game: Game
    player: Player
    epsilon: float

    @property
    def name(self) -> str:
        return f"{self.player.name}, exploring"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        actions = Random(self.game).choose(states, rng).actions
        thinking = np.flatnonzero(rng.random(len(states)) >= self.epsilon)
        if len(thinking):
            actions[thinking] = self.player.choose(states[thinking], rng).actions
        return Choice(actions)


@dataclass(frozen=True)
class BestNext:
    """The action whose next position an evaluator likes best."""

    game: Game
    evaluator: Evaluator
    name: str

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        children = self.game.children(states)
        # A child is seen by the opponent: its value enters with a minus sign.
        scores = -child_values(self.game, self.evaluator, children.states, rng)
        return Choice(best_of(children.parents, children.actions, scores, len(states), rng))


def greedy(game: Game) -> Player:
    """The most immediate margin."""
    return BestNext(game, Margin(game), "greedy")


def heuristic(game: Game) -> Player:
    """The game's hand-written rules; if it has none, the best next position by its evaluator."""
    program = game.knowledge.program
    return BestNext(game, heuristic_evaluator(game), "heuristic") if program is None else program(game)
