"""Positions of a game: those of random games, or all of them."""

from functools import cache

import numpy as np

from randori.core.game import ONGOING, Game, States

# A game this short has so few positions that all of them can be looked at.
_FEW_PLIES = 9
# The share of random games that must last longer than an opening, so that openings are found by trying.
_LASTING_SHARE, _SAMPLE = 0.05, 1000


def positions_of_random_games(game: Game, n_games: int, rng: np.random.Generator) -> States:
    """Every position of `n_games` random games, including the first and the last."""
    states = game.start(n_games)
    visited = [states]
    while len(states):
        states = states[game.outcome(states) == ONGOING]
        states = game.play(states, game.pick(states, rng.random(len(states))))
        visited.append(states)
    return np.concatenate(visited)


def has_few_positions(game: Game) -> bool:
    """Whether `all_positions` is quick."""
    return game.max_plies <= _FEW_PLIES


def all_positions(game: Game) -> States:
    """Every position that can be reached and is not over; for games that have few."""
    found = [game.start(1)]
    while len(found[-1]):
        after = game.children(found[-1]).states
        after = after[np.unique(game.keys(after), return_index=True)[1]]
        found.append(after[game.outcome(after) == ONGOING])
    return np.concatenate(found)


@cache
def longest_opening(game: Game) -> int:
    """The most random plies after which games go on often enough to begin with them."""
    states, rng = game.start(_SAMPLE), np.random.default_rng(0)
    for ply in range(game.max_plies):
        states = game.play(states, game.pick(states, rng.random(len(states))))
        states = states[game.outcome(states) == ONGOING]
        if len(states) < _LASTING_SHARE * _SAMPLE:
            return ply
    return game.max_plies - 1
