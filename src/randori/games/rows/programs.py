"""The ordinary programs of games of stones in a row."""

from dataclasses import dataclass

import numpy as np

from randori.core.chance import best_of, highest
from randori.core.game import LOSS, Game, States
from randori.core.player import Choice
from randori.games.rows import lines
from randori.games.rows.knowledge import crossings, rows_of


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
        k = rows_of(self.game).length
        boards = self.game.cells(states)
        # One stone more is worth eight times as much, and to the side to move twice that. The stone that wins outweighs
        # everything else together, and so, next to it, does the one that stops the other side from winning.
        attack, defence = 8.0 ** np.arange(k), 0.5 * 8.0 ** np.arange(k)
        attack[-1], defence[-1] = 8.0 ** (k + 5), 8.0 ** (k + 2)
        scores = np.empty(boards.shape, np.float64)
        lines.star_scores(boards, k, attack, defence, scores)
        return Choice(highest(scores.reshape(len(states), -1), rng))
