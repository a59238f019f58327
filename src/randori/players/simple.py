"""Players without search: by chance, by the best next position, by the rules of thumb of each game."""

from dataclasses import dataclass

import numpy as np

from randori.evaluate import Evaluator, Margin, heuristic_evaluator
from randori.evaluate.preferences import crossings
from randori.game import LOSS, ONGOING, Actions, Floats, Game, Ints, States
from randori.kernels import lines
from randori.players.player import Choice, Player


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


def best_of(parents: Ints, actions: Actions, scores: Floats, n: int, rng: np.random.Generator) -> Actions:
    """The best scored action of each of `n` parents, `[n]`; equals are drawn by lot."""
    order = np.lexsort((rng.random(len(scores)), scores, parents))
    last_of_parent = np.flatnonzero(np.append(np.diff(parents[order]) > 0, True))
    assert len(last_of_parent) == n
    return actions[order[last_of_parent]]


def child_values(game: Game, evaluator: Evaluator, states: States, rng: np.random.Generator) -> Floats:
    """Values of positions for the side to move, `[B]`: by the rules where the game is over, else by the evaluator."""
    outcomes = game.outcome(states)
    values = outcomes.astype(np.float64)
    open_rows = np.flatnonzero(outcomes == ONGOING)
    if len(open_rows):
        values[open_rows] = evaluator(states[open_rows], rng).values
    return values


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


@dataclass(frozen=True)
class WinBlockCentre:
    """Wins at once where it can, gives the opponent no win at once where it can, else plays where most lines cross."""

    game: Game
    name = "heuristic"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        children = self.game.children(states)
        replies = self.game.children(children.states)
        answered = replies.parents[self.game.outcome(replies.states) == LOSS]
        scores = crossings(self.game)[children.actions]
        scores[answered] -= 1000.0
        scores[self.game.outcome(children.states) == LOSS] += 2000.0
        return Choice(best_of(children.parents, children.actions, scores, len(states), rng))


@dataclass(frozen=True)
class Star:
    """Scores each empty square by the lines through it, mine and theirs: the simple program that Freisleben's network
    first met. It never misses a win at once and never leaves one open that it can block.
    """

    game: Game
    name = "heuristic"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        k = self.game.in_a_row
        assert k is not None
        boards = self.game.cells(states)
        # One stone more is worth eight times as much, and to the side to move twice that. The stone that wins outweighs
        # everything else together, and so, next to it, does the one that stops the other side from winning.
        attack, defence = 8.0 ** np.arange(k), 0.5 * 8.0 ** np.arange(k)
        attack[-1], defence[-1] = 8.0 ** (k + 5), 8.0 ** (k + 2)
        scores = np.empty(boards.shape, np.float64)
        lines.star_scores(boards, k, attack, defence, scores)
        flat = scores.reshape(len(states), -1)
        best = flat == flat.max(axis=1, keepdims=True)
        return Choice(np.argmax(best * rng.random(best.shape), axis=1).astype(np.int16))


def greedy(game: Game) -> Player:
    """The most immediate margin."""
    return BestNext(game, Margin(game), "greedy")


def heuristic(game: Game) -> Player:
    """The ordinary program of each game."""
    if game.in_a_row is None:
        return BestNext(game, heuristic_evaluator(game), "heuristic")
    return Star(game) if game.in_a_row == 5 else WinBlockCentre(game)
