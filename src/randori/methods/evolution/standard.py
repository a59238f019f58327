"""The standard program that individuals are measured by; where it is perfect, known by heart."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from randori import players
from randori.core.chance import drawn_from
from randori.core.game import Bools, Game, States
from randori.core.positions import all_positions, has_few_positions
from randori.players import Choice, Player


def standard_program(game: Game, spec: str) -> Player:
    """`standard` is the program that never loses in games as small as Tic-Tac-Toe, elsewhere the heuristic one."""
    if spec == "standard":
        spec = "perfect" if has_few_positions(game) else "heuristic"
    if spec == "perfect" and has_few_positions(game):
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
        return Choice(drawn_from(best, rng))


@cache
def by_heart(game: Game) -> ByHeart:
    """Solves every position of a small game once."""
    perfect, rng = players.player("perfect", game), np.random.default_rng(0)
    positions = all_positions(game)
    policy = perfect.choose(positions, rng).policy
    assert policy is not None
    order = np.argsort(game.keys(positions))
    return ByHeart(game, game.keys(positions)[order], policy[order] > 0)
