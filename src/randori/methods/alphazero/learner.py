"""The learner `alphazero`."""

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np

from randori.core.game import DRAW, WIN, Game
from randori.core.record import Games
from randori.methods.alphazero.config import OPEN_END, PRESETS, AlphaZeroConfig, rate_at
from randori.methods.alphazero.player import AlphaZero, check_sparring
from randori.methods.alphazero.replay import Part, Replay
from randori.methods.alphazero.selfplay import Lessons, concatenate, play_self, without_outcomes
from randori.methods.alphazero.stream import Stream, Task
from randori.methods.alphazero.training import Training, learned_besides
from randori.methods.alphazero.transfer import take_over
from randori.methods.learner import Pairing, Preset
from randori.networks import Network, residual_for
from randori.networks.modules import (
    ResidualModule,
    Tensors,
    load_optimiser_state,
    load_tensors,
    make_auxiliary_heads,
    make_module,
    optimiser_state,
    tensors_of,
)
from randori.players import player
from randori.search.solver import check_exact
from randori.search.threats import check_threats
from randori.workers import Shared, Workers

Result = TypeVar("Result")

GAMES_A_TASK = 32
GATE_OPENING = 4
"""Random plies before a game of the gate: without them two players without chance would play the same game again and
again.
"""


class AlphaZeroLearner:
    Config = AlphaZeroConfig
    presets: ClassVar[Mapping[str, Preset]] = PRESETS

    def __init__(self, game: Game, config: AlphaZeroConfig, rng: np.random.Generator, workers: Workers) -> None:
        most = max(config.exact, config.exact_search, config.play_exact)
        check_exact(game, most)
        check_threats(game, max(config.threats, config.play_threats))
        check_sparring(game, bool(config.sparring or config.play_sparring))
        if config.partner is not None:
            player(config.partner, game)
        self.game, self.config, self._rng, self._workers = game, config, rng, workers
        self._architecture = residual_for(game, config.channels, config.blocks)
        module = make_module(self._architecture, rng)
        assert isinstance(module, ResidualModule)
        self._module = module
        if config.source is not None:
            take_over(config.source, game, module)
        self._heads = make_auxiliary_heads(self._architecture, rng) if learned_besides(game, config) else None
        self._training = Training(game, module, config, self._heads)
        self._window: list[Lessons] = []
        self._best = self._learned()
        self.round, self.n_games = 0, 0
        self._trained = self._trained_now()
        self._stream: Stream | None = None

    @property
    def end_is_open(self) -> bool:
        return self.config.falls[-2:] == OPEN_END

    def open_end(self) -> None:
        self.config = replace(self.config, falls=(*self.config.falls, *OPEN_END))

    def end_after(self, rounds: int) -> None:
        fall = self.n_games, self.n_games + rounds * self.config.games
        self.config = replace(self.config, falls=(*self.config.falls[:-2], *fall))

    @property
    def asynchronous(self) -> bool:
        return self.config.asynchronous

    @contextmanager
    def streaming(self, folder: Path) -> Iterator[None]:
        """Inside, games come in all the time, and are in the folder before they count."""
        replay = Replay(folder, self.config.window * self.config.games)
        # Other ones in each session, so that no game is played twice.
        seeds = np.random.SeedSequence(int(self._rng.integers(0, 2**63)), spawn_key=(replay.n_games,))
        newest = Shared(Network(self._architecture, self._best))

        def task(index: int) -> Task:
            n_games, version = min(GAMES_A_TASK, self.config.games), self._trained["learned"]
            return Task(self._task(newest, n_games, index, _seed(seeds, index)), n_games, version)

        def learn(parts: list[Part], part: Part) -> dict[str, float]:
            nonlocal newest
            rng = np.random.default_rng(_seed(seeds, part.first, 1))
            metrics = self._fit([it.lessons for it in parts], part.lessons, part.first, rng)
            self._best = self._learned()
            self._trained = self._trained_now() | {"learned": part.end}
            newest = Shared(Network(self._architecture, self._best))
            return metrics

        stream = Stream(replay, self._workers, play_self, task, learn, self._trained["learned"])
        with closing(stream) as self._stream:
            yield

    def pairings(self) -> list[Pairing]:
        """The match that decides whether the network trained last becomes the best; none before there is one."""
        if not self.config.gate or not self._training.n_steps:
            return []
        newer, best = self._player(self._learned()), self._player(self._best)
        half = self.config.gate_games // 2
        return [
            Pairing(newer, best, self.config.gate_games - half, GATE_OPENING),
            Pairing(best, newer, half, GATE_OPENING),
        ]

    def learn(self, played: list[Games]) -> dict[str, float]:
        """Games are played by the best network so far while the next one learns from those of earlier rounds."""
        if self.asynchronous:
            return self._receive()
        metrics = self._decide(played)
        seeds = self._rng.integers(0, 2**63, 2)
        with ThreadPoolExecutor(1) as beside:
            learning = beside.submit(_timed, self._train, np.random.default_rng(seeds[0]))
            lessons, play_seconds = _timed(self._play, int(seeds[1]))
            losses, learn_seconds = learning.result()
        metrics |= losses | {"seconds/play": play_seconds, "seconds/learn": learn_seconds}
        self._window = [*self._window, lessons][-self.config.window :]
        self.round += 1
        self.n_games += self.config.games
        return metrics | {"games": self.config.games, "positions": len(lessons.states)}

    def _decide(self, played: list[Games]) -> dict[str, float]:
        if not played:
            self._best = self._learned()
            return {}
        ahead, behind = (games.outcomes for games in played)
        outcomes = np.append(ahead, -behind)
        score = float(np.mean(outcomes == WIN) + np.mean(outcomes == DRAW) / 2)
        if score > self.config.gate:
            self._best = self._learned()
        return {"gate/score": score, "gate/passed": float(score > self.config.gate)}

    def _receive(self) -> dict[str, float]:
        """An asynchronous round: so many more games have come, and learning goes on beside. Games that had come before the
        last session ended, but after its last checkpoint, count now.
        """
        assert self._stream is not None, "asynchronous learning takes place inside `streaming`"
        before = self.n_games
        metrics = self._stream.receive(before + self.config.games)
        self.n_games, self.round = self._stream.n_games, self.round + 1
        positions = sum(len(it.lessons.states) for it in self._stream.parts if it.first >= before)
        return metrics | {"games": self.n_games - before, "positions": positions}

    def _play(self, seed: int) -> Lessons:
        network = Shared(Network(self._architecture, self._best))
        tasks = []
        for place, start in enumerate(range(0, self.config.games, GAMES_A_TASK)):
            n_games = min(GAMES_A_TASK, self.config.games - start)
            own_seed = _seed(np.random.SeedSequence(seed), place)
            tasks.append(self._task(network, n_games, self.round + place, own_seed))
        return concatenate(self._workers.map(play_self, tasks))

    def _task(self, network: Shared[Network], n_games: int, place: int, seed: int) -> tuple[Any, ...]:
        """Arguments of `play_self`; places in a row have openings of all lengths."""
        return self.game, network, self.config, n_games, place % (self.config.openings + 1), seed

    def _train(self, rng: np.random.Generator) -> dict[str, float]:
        return self._fit(self._window, self._window[-1], self.n_games, rng) if self._window else {}

    def _fit(self, window: list[Lessons], newest: Lessons, n_games: int, rng: np.random.Generator) -> dict[str, float]:
        """As many steps as it takes to use each position as often as wanted while it is in the window."""
        steps = max(1, round(len(newest.states) * self.config.uses / self.config.batch))
        return self._training.fit(concatenate(window), steps, rate_at(self.config, n_games), rng)

    def _learned(self) -> Tensors:
        """A copy of the network as it is now, which later learning does not change."""
        return {name: array.copy() for name, array in self._training.mean.items()}

    def _player(self, tensors: Tensors) -> AlphaZero:
        network = Network(self._architecture, tensors)
        config = self.config
        return AlphaZero(
            *(self.game, network, config.play_simulations, config.search),
            *(config.play_exact, config.play_threats, config.play_sparring),
            winning_moves=config.winning_moves,
        )

    def player(self) -> AlphaZero:
        return self._player(self._best if self.config.gate or self.asynchronous else self._learned())

    def _trained_now(self) -> dict[str, Any]:
        """All that training has changed. `learned`: how many games of a replay it has learned from."""
        return {
            "module": tensors_of(self._module), "best": dict(self._best), "mean": self._learned(),
            "optimiser": optimiser_state(self._training.optimiser), "steps": self._training.n_steps, "learned": 0,
            "heads": None if self._heads is None else tensors_of(self._heads),
        }  # fmt: skip

    def state(self) -> dict[str, Any]:
        """Of asynchronous learning, as it was after the last part of the replay: meanwhile it goes on."""
        trained = self._trained if self.asynchronous else self._trained_now()
        window = [[*it] for it in self._window]
        falls = list(self.config.falls)
        return {"round": self.round, "games": self.n_games, "falls": falls, "window": window, **trained}

    def restore(self, state: dict[str, Any]) -> None:
        self.round, self.n_games, self._best = state["round"], state["games"], state["best"]
        # Runs from before budgets decided this follow their settings.
        self.config = replace(self.config, falls=tuple(state.get("falls", self.config.falls)))
        load_tensors(self._module, state["module"])
        load_optimiser_state(self._training.optimiser, state["optimiser"])
        self._training.n_steps, self._training.mean = state["steps"], state["mean"]
        if self._heads is not None:
            load_tensors(self._heads, state["heads"])
        self._trained = self._trained_now() | {"learned": state.get("learned", 0)}
        # Runs from before there were sparring partners have lessons of equals, without roles; others know no outcomes.
        self._window = [
            Lessons(*columns) if len(columns) == len(Lessons._fields) else without_outcomes(self.game, *columns)
            for columns in state["window"]
        ]


def _timed(function: Callable[..., Result], *arguments: Any) -> tuple[Result, float]:
    """What it returns, and its seconds by the clock."""
    began = time.perf_counter()
    return function(*arguments), time.perf_counter() - began


def _seed(of: np.random.SeedSequence, *key: int) -> int:
    own = np.random.SeedSequence(of.entropy, spawn_key=(*of.spawn_key, *key))
    return int(own.generate_state(1, np.uint64)[0])
