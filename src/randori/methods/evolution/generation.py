"""The games of a whole generation, played as one batch: each row has a network of its own, or the standard program."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.core.game import ONGOING, Game, Ints, States
from randori.methods.evolution.features import Features
from randori.methods.evolution.networks import Networks, NetworkTeam, Reach
from randori.players import Player

STANDARD = -1
"""The owner of a seat in which the standard program sits."""


class Schedule(NamedTuple):
    """Who plays in each game of a batch: rows of `Networks` or STANDARD, and from which opening."""

    first: Ints
    """`[B]`"""
    second: Ints
    """`[B]`"""
    states: States
    """`[B, words]`"""
    plies: Ints
    """`[B]`: how many plies led to each of `states`."""


def split(schedule: Schedule, n: int) -> list[Schedule]:
    """Parts of about `n` games, in order."""
    rows = np.array_split(np.arange(len(schedule.first)), -(-len(schedule.first) // n))
    first, second, states, plies = schedule
    return [Schedule(first[part], second[part], states[part], plies[part]) for part in rows]


def random_starts(game: Game, n: int, plies_between: tuple[int, int], rng: np.random.Generator) -> tuple[States, Ints]:
    """Positions after so many random plies, at least and at most, none of them over; and their plies."""
    states = game.start(n)
    lengths = rng.integers(plies_between[0], plies_between[1] + 1, n)
    plies = np.zeros(n, np.int64)
    for ply in range(plies_between[1]):
        rows = np.flatnonzero((lengths > ply) & (plies == ply))
        after = game.play(states[rows], game.pick(states[rows], rng.random(len(rows))))
        goes_on = game.outcome(after) == ONGOING
        # A game that would be over begins one ply earlier instead.
        states[rows[goes_on]] = after[goes_on]
        plies[rows[goes_on]] += 1
    return states, plies


def play_schedule(
    features: Features, networks: Networks, reach: Reach, standard: Player, schedule: Schedule, seed: int
) -> NDArray[np.float64]:
    """The final margin of every game for its first mover, `[B]`."""
    rng = np.random.default_rng(seed)
    game, team = features.game, NetworkTeam(features, networks)
    now, plies = schedule.states, schedule.plies.copy()
    margins = np.empty(len(now))
    going = np.arange(len(now))
    while len(going):
        even = plies[going] % 2 == 0
        movers = np.where(even, schedule.first[going], schedule.second[going])
        actions = np.empty(len(going), np.int16)
        own, others = np.flatnonzero(movers != STANDARD), np.flatnonzero(movers == STANDARD)
        if len(own):
            actions[own] = team.choose(now[own], movers[own], rng, reach)
        if len(others):
            actions[others] = standard.choose(now[others], rng).actions
        now = game.play(now, actions)
        plies[going] += 1
        over = game.outcome(now) != ONGOING
        ended = going[over]
        # Final positions are seen by the side to move: after an odd number of plies, not the first mover.
        margins[ended] = game.margin(now[over]) * np.where(plies[ended] % 2 == 0, 1, -1)
        going, now = going[~over], now[~over]
    return margins
