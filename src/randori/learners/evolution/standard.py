"""The standard program that individuals are measured by; where it is perfect, known by heart."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from randori import players
from randori.game import ONGOING, Bools, Game, States
from randori.players import Choice, Player


def standard_program(game: Game, spec: str) -> Player:
    """`standard` is the program that never loses in Tic-Tac-Toe, elsewhere the heuristic one."""
    if spec == "standard":
        spec = "perfect" if game.name == "tictactoe" else "heuristic"
    if spec == "perfect" and game.name == "tictactoe":
        return by_heart(game)
    return players.player(spec, game)


@dataclass(frozen=True, eq=False)
class ByHeart:
    """Perfect play looked up instead of solved each time: a generation meets the same few thousand positions again."""

    game: Game
    keys: NDArray[np.uint64]
    """`[N]`, rising: every position in which there is a move."""
    best: Bools
    """`[N, A]`: its best actions."""
    name = "perfect"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        best = self.best[np.searchsorted(self.keys, self.game.keys(states))]
        return Choice(np.where(best, rng.random(best.shape), -1.0).argmax(axis=1).astype(np.int16))


@cache
def by_heart(game: Game) -> ByHeart:
    """Solves every position of a small game once."""
    perfect, rng = players.player("perfect", game), np.random.default_rng(0)
    states = game.start(1)
    seen = []
    while len(states):
        seen.append(states)
        following = np.unique(game.children(states).states, axis=0)
        states = following[game.outcome(following) == ONGOING]
    positions = np.concatenate(seen)
    policy = perfect.choose(positions, rng).policy
    assert policy is not None
    order = np.argsort(game.keys(positions))
    return ByHeart(game, game.keys(positions)[order], policy[order] > 0)
