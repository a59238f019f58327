"""A table of positions, learned by the Monte Carlo method: the smallest learner there is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Game
from randori.core.positions import longest_opening
from randori.core.record import Games
from randori.core.symmetry import canonical_keys
from randori.methods.checks import check_least
from randori.methods.learner import Pairing, Preset
from randori.methods.table.player import Table
from randori.workers import Workers


@dataclass(frozen=True)
class TableConfig:
    """Monte Carlo with exploring starts (Sutton and Barto 2018, section 5.3), against itself."""

    games: int = 50
    """Games per round from random openings of each length; after the opening nothing is left to chance."""
    memory: int = 50
    """A value is the mean of about this many last results, so that it forgets how weaker players fared."""

    def __post_init__(self) -> None:
        check_least(self, games=1, memory=1)


class TableLearner:
    """Values of positions, equal for those that a symmetry carries into each other."""

    Config = TableConfig
    presets: ClassVar[Mapping[str, Preset]] = {
        "default": Preset(TableConfig(), 40, "never loses a game of Tic-Tac-Toe after a few seconds"),
    }

    def __init__(self, game: Game, config: TableConfig, rng: np.random.Generator, workers: Workers) -> None:
        self.game, self.config = game, config
        self.keys = np.empty(0, np.uint64)  # [N], rising
        self.values = np.empty(0, np.float64)  # [N], for the side to move
        self.visits = np.empty(0, np.int64)  # [N]

    def pairings(self) -> list[Pairing]:
        player = self.player()
        # With one move left there is nothing to choose.
        lengths = min(int(self.game.moves_left(self.game.start(1))[0]) - 1, longest_opening(self.game) + 1)
        return [Pairing(player, player, self.config.games, openings=plies) for plies in range(lengths)]

    def learn(self, played: list[Games]) -> dict[str, float]:
        visited = [results_of(games) for games in played]
        change = self._update(*(np.concatenate(part) for part in zip(*visited, strict=True)))
        return {"positions": len(self.keys), "change": change}

    def _update(self, keys: NDArray[np.uint64], results: NDArray[np.float64]) -> float:
        """V += (mean result - V) c / min(visits, memory) for a position visited c times; returns the mean change."""
        visited, places, counts = np.unique(keys, return_inverse=True, return_counts=True)
        means = np.bincount(places, results) / counts
        self._make_room(visited)
        rows = np.searchsorted(self.keys, visited)
        self.visits[rows] += counts
        share = np.minimum(1.0, counts / np.minimum(self.visits[rows], self.config.memory))
        change = share * (means - self.values[rows])
        self.values[rows] += change
        return float(np.abs(change).mean())

    def _make_room(self, visited: NDArray[np.uint64]) -> None:
        new = np.setdiff1d(visited, self.keys)
        places = np.searchsorted(self.keys, new)
        self.keys = np.insert(self.keys, places, new)
        self.values = np.insert(self.values, places, 0.0)
        self.visits = np.insert(self.visits, places, 0)

    def player(self) -> Table:
        return Table(self.game, self.keys.copy(), self.values.copy())

    def state(self) -> dict[str, Any]:
        return {"keys": self.keys, "values": self.values, "visits": self.visits}

    def restore(self, state: dict[str, Any]) -> None:
        self.keys, self.values, self.visits = state["keys"], state["values"], state["visits"]


def results_of(games: Games) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """The keys of the positions that were played from, and how their games ended for the side to move there.

    Plies of the opening do not count: they were drawn by lot, so the result says little about the positions before.
    """
    keys, results = [], []
    for ply in games.replay():
        if ply.number >= games.opening_plies:
            keys.append(canonical_keys(games.game, ply.states))
            # Outcomes are for the side that began, which moves at even plies.
            results.append(games.outcomes[ply.games] * (1.0 if ply.number % 2 == 0 else -1.0))
    return np.concatenate(keys), np.concatenate(results)
