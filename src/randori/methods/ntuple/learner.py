"""N-tuple networks that learn from searches in games against themselves."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Game, States
from randori.core.record import Games
from randori.kernels.records import allocate
from randori.methods.learner import Pairing, Preset
from randori.methods.ntuple.config import CONNECT4, ROWS, NtupleConfig
from randori.methods.ntuple.kernels.learning import Learned
from randori.methods.ntuple.kernels.selfplay import Lessons, Schooling, play_games, trace_back
from randori.methods.ntuple.network import Network
from randori.methods.ntuple.player import Patterns
from randori.methods.ntuple.probes import measure_errors
from randori.search.threats import find_wins
from randori.workers import Workers

TASKS = 4
"""Of a round: as many for any number of workers, so that its games are the same."""


def _play(
    network: Network, schooling: Schooling, threats: int, seeds: NDArray[np.uint64]
) -> tuple[States, NDArray[np.float32]]:
    """Task: the positions of some games, and what they should be worth; a win that threats force is a win."""
    game = network.game
    lessons = allocate(Lessons, np.empty, n_positions=len(seeds) * (game.max_plies + 1), n_words=game.words)
    n = play_games(game.rules, network.judge.table, network.search(16384), schooling, seeds, lessons)
    won = np.flatnonzero(find_wins(game, lessons.states[:n], threats) >= 0)
    lessons.targets[won], lessons.shares[won] = 1.0, 0.0
    trace_back(lessons, n)
    return lessons.states[:n], lessons.targets[:n]


class NtupleLearner:
    Config = NtupleConfig
    presets: ClassVar[Mapping[str, Preset]] = {
        "default": Preset(NtupleConfig(), 1500, "learns only from games against itself"),
        "connect4": Preset(
            CONNECT4, 1500, "for Connect Four: two plies from the start, more random moves", game="connect4"
        ),
        "rows": Preset(ROWS, 4000, "for games of stones in a row without gravity: small steps, many random moves"),
    }

    def __init__(self, game: Game, config: NtupleConfig, rng: np.random.Generator, workers: Workers) -> None:
        self.game, self.config, self._rng, self._workers = game, config, rng, workers
        config.check_suits(game)
        network = Network.blank(game, config.stages)
        n = network.weights.size
        self._network, self._round = network, 0
        twins = np.append(network.tuples.twins, network.tuples.n_patterns).astype(np.int32)
        weights, sums, sizes = np.zeros((3, n), np.float32)
        self._learned = Learned(weights, sums, sizes, twins)
        self._expanded = (np.arange(network.n_stages)[:, None] * len(twins) + twins).ravel()

    def pairings(self) -> list[Pairing]:
        return []

    def learn(self, played: list[Games]) -> dict[str, float]:
        network, seeds = self._snapshot(), self._rng.integers(0, 2**63, self.config.games, dtype=np.uint64)
        schooling = self._schooling()
        tasks = [
            (network, schooling, self.config.threats, part) for part in np.array_split(seeds, min(TASKS, len(seeds)))
        ]
        found = self._workers.map(_play, tasks)
        states, targets = (np.concatenate(part) for part in zip(*found, strict=True))
        errors = network.plan.learn(network.judge, self._learned, states, targets, self.config.rate)
        self._round += 1
        return {"games": len(seeds), "positions": len(targets), "error": errors / max(len(targets), 1)}

    def _schooling(self) -> Schooling:
        config, left = self.config, int(self.game.moves_left(self.game.start(1))[0])
        openings = left // 3 if config.openings is None else config.openings
        return Schooling(
            depth=1 if self._round < config.first_rounds else config.depth,
            exact=config.exact if self.game.fills else 0,
            random_plies=openings,
            exploration=config.exploration,
            trace=config.trace_decay,
        )

    def _snapshot(self) -> Network:
        return self._network.with_weights(self._learned.weights[self._expanded])

    def player(self) -> Patterns:
        network = self._snapshot()
        return Patterns(network, measure_errors(network))

    def state(self) -> dict[str, Any]:
        return {"round": self._round, **self._learned._asdict()} | {"twins": None}

    def restore(self, state: dict[str, Any]) -> None:
        self._round = state["round"]
        for name in ("weights", "sums", "sizes"):
            getattr(self._learned, name)[:] = state[name]
