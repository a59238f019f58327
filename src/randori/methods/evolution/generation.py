"""The games of a whole generation, played as one batch: each row has a network of its own, or the standard program."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.arena.play import play_games
from randori.core.game import ONGOING, Actions, Game, Ints, States
from randori.core.player import Choice, Player
from randori.methods.evolution.features import Features
from randori.methods.evolution.networks import Networks, NetworkTeam, Reach

STANDARD = -1
"""The owner of a seat in which the standard program sits."""


class Schedule(NamedTuple):
    """Who plays in each game of a batch: rows of `Networks` or STANDARD, and from which opening."""

    first: Ints
    """`[B]`"""
    second: Ints
    """`[B]`"""
    openings: Actions
    """`[B, plies]`, filled up with -1."""


def split(schedule: Schedule, n: int) -> list[Schedule]:
    """Parts of about `n` games, in order."""
    rows = np.array_split(np.arange(len(schedule.first)), -(-len(schedule.first) // n))
    first, second, openings = schedule
    return [Schedule(first[part], second[part], openings[part]) for part in rows]


def random_starts(game: Game, n: int, plies_between: tuple[int, int], rng: np.random.Generator) -> Actions:
    """Openings of so many random plies, at least and at most, after which no game is over; filled up with -1."""
    states = game.start(n)
    lengths = rng.integers(plies_between[0], plies_between[1] + 1, n)
    plies = np.zeros(n, np.int64)
    most = min(plies_between[1], game.max_plies)
    openings = np.full((n, most), -1, np.int16)
    for ply in range(most):
        rows = np.flatnonzero((lengths > ply) & (plies == ply))
        actions = game.pick(states[rows], rng.random(len(rows)))
        after = game.play(states[rows], actions)
        goes_on = game.outcome(after) == ONGOING
        # A game that would be over begins one ply earlier instead.
        states[rows[goes_on]] = after[goes_on]
        openings[rows[goes_on], ply] = actions[goes_on]
        plies[rows[goes_on]] += 1
    return openings


@dataclass(frozen=True, eq=False)
class Seat:
    """One seat of every game of a batch, each with a player of its own."""

    team: NetworkTeam
    reach: Reach
    standard: Player
    owners: Ints
    """`[B]`"""
    name: ClassVar[str] = "generation"

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return self.choose_in(np.arange(len(states)), states, rng)

    def choose_in(self, games: NDArray[np.intp], states: States, rng: np.random.Generator) -> Choice:
        owners = self.owners[games]
        actions = np.empty(len(states), np.int16)
        own, others = np.flatnonzero(owners != STANDARD), np.flatnonzero(owners == STANDARD)
        if len(own):
            actions[own] = self.team.choose(states[own], owners[own], rng, self.reach)
        if len(others):
            actions[others] = self.standard.choose(states[others], rng).actions
        return Choice(actions)


def play_schedule(
    features: Features, networks: Networks, reach: Reach, standard: Player, schedule: Schedule, seed: int
) -> NDArray[np.float64]:
    """The final margin of every game for its first mover, `[B]`."""
    team = NetworkTeam(features, networks)
    first, second = (Seat(team, reach, standard, owners) for owners in (schedule.first, schedule.second))
    played = play_games(features.game, first, second, schedule.openings, np.random.default_rng(seed))
    return played.margins.astype(np.float64)
