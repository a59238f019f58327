"""Evolved evaluation networks: a generation a round, first and second movers side by side."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain, cycle
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Actions, Game, Ints
from randori.core.record import Games
from randori.errors import UserError
from randori.methods.evolution.config import BEYOND, GROWING, OTHELLO, PAPER, PAPER_REVERSI, TICTACTOE, EvolutionConfig
from randori.methods.evolution.features import Features, feature_names
from randori.methods.evolution.generation import STANDARD, Schedule, play_schedule, random_starts, split
from randori.methods.evolution.networks import Networks, Reach, cut_links, seeing
from randori.methods.evolution.player import Evolved
from randori.methods.evolution.proposing import ProposingStrategy
from randori.methods.evolution.standard import standard_program
from randori.methods.evolution.strategies import CovarianceStrategy, PlusStrategy, Strategy
from randori.methods.learner import Pairing, Preset
from randori.workers import Workers

GAMES_A_TASK = 2000
"""Enough to keep a worker busy for most of a second."""

FIRST = 0


def _checked(game: Game, config: EvolutionConfig) -> EvolutionConfig:
    """The settings as they apply to a game: empty squares tell how near the end is only on a board that fills.

    There every continuation is looked at to its end: n moves left are up to n! games, where a game has no fewer.
    """
    if not game.fills:
        return replace(config, exact=0, final_exact=0)
    most = game.knowledge.quick_reach
    if config.exact > most:
        raise UserError(
            f"In {game.title} 'exact' must be 0 to {most} empty squares while players evolve, not {config.exact}."
        )
    return config


def _strategy(config: EvolutionConfig, features: Features, rng: np.random.Generator) -> Strategy:
    if config.proposals:
        return ProposingStrategy(config, features, rng)
    kind = CovarianceStrategy if config.strategy == "cma" else PlusStrategy
    return kind(config, len(features.names), rng)


class EvolutionLearner:
    Config = EvolutionConfig
    presets: ClassVar[Mapping[str, Preset]] = {
        "default": Preset(BEYOND, 100, "CMA-ES over many games with the same openings, one network for both seats"),
        "othello": Preset(
            OTHELLO, 300, "as the default; the finished player also looks ahead and plays endings exactly"
        ),
        "growing": Preset(GROWING, 300, "structure that shrinks and grows, starting from one hidden unit"),
        "tictactoe": Preset(TICTACTOE, 300, "never loses a game of Tic-Tac-Toe after a few seconds", game="tictactoe"),
        "paper": Preset(PAPER, 1000, "Handa and Horiuchi's settings for Tic-Tac-Toe", game="tictactoe"),
        "paper-reversi": Preset(PAPER_REVERSI, 1000, "Handa and Horiuchi's settings for 6x6 Reversi", game="othello6"),
    }

    def __init__(self, game: Game, config: EvolutionConfig, rng: np.random.Generator, workers: Workers) -> None:
        config = _checked(game, config)
        self.game, self.config, self._rng, self._workers = game, config, rng, workers
        self._features = Features(game, feature_names(game, config.features))
        self._standard = standard_program(game, config.opponent)
        n_populations = 2 if config.seats == "apart" else 1
        self.populations = [_strategy(config, self._features, rng) for _ in range(n_populations)]
        self.player()  # refuses at once what it would refuse after hours

    def pairings(self) -> list[Pairing]:
        return []

    def learn(self, played: list[Games]) -> dict[str, float]:
        generations = [it.breed(self._rng) for it in self.populations]
        elites = [it.elite for it in self.populations]
        fitness = self._fitness(generations, elites)
        for population, generation, values in zip(self.populations, generations, fitness, strict=True):
            population.select(generation, values)
        return self._metrics(fitness)

    def _fitness(self, generations: list[Networks], elites: list[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        """For each individual the sum of the logistic function of its margins (section 2.2 of the paper)."""
        features, networks = self._together([*generations, *(it[None] for it in elites)])
        seats, schedule = self._schedule(len(generations))
        reach = Reach(self.config.depth, self.config.exact)
        tasks = [
            (features, networks, reach, self._standard, part, int(self._rng.integers(2**63)))
            for part in split(schedule, GAMES_A_TASK)
        ]
        margins = np.concatenate(self._workers.map(play_schedule, tasks)) * np.where(seats == FIRST, 1, -1)
        # exp overflows for margins that no game has, yet a scale may be tiny: beyond 700 the result is 0 or 1 anyway.
        scores = 1.0 / (1.0 + np.exp(np.clip(-margins / self.config.scale, -700, 700)))
        return list(scores.reshape(len(generations), self.config.descendants + 1, -1).sum(axis=2))

    def _schedule(self, n_populations: int) -> tuple[Ints, Schedule]:
        """Seats of the individuals, and all games of a generation: by population, individual and game."""
        config = self.config
        n_each, n_games = config.descendants + 1, config.elite_games + config.standard_games
        shape = (n_populations, n_each, n_games)
        population, individual, game = np.indices(shape)
        seats = population if n_populations == 2 else game % 2
        own = n_each * population + individual
        elite_of_others = n_populations * n_each + (population + 1) % n_populations
        other = np.where(game < config.elite_games, elite_of_others, STANDARD)
        first, second = np.where(seats == FIRST, (own, other), (other, own))
        return seats.ravel(), Schedule(first.ravel(), second.ravel(), self._openings(shape))

    def _openings(self, shape: tuple[int, int, int]) -> Actions:
        """An opening for each game; where individuals share them, one that plays both seats has each opening in both."""
        n_populations, n_each, n_games = shape
        if not self.config.same_openings:
            return random_starts(self.game, n_populations * n_each * n_games, self.config.openings, self._rng)
        pairs = 2 if n_populations == 1 else 1
        openings = random_starts(self.game, -(-n_games // pairs), self.config.openings, self._rng)
        return openings[np.tile(np.repeat(np.arange(len(openings)), pairs)[:n_games], n_populations * n_each)]

    def _metrics(self, fitness: list[NDArray[np.float64]]) -> dict[str, float]:
        n_games = self.config.elite_games + self.config.standard_games
        found: dict[str, float] = {"games": len(fitness) * (self.config.descendants + 1) * n_games}
        names = ("first", "second") if len(fitness) == 2 else ("both",)
        for name, population, values in zip(names, self.populations, fitness, strict=True):
            hidden, output = cut_links(population.elite)
            own = {"fitness": float(values.mean()) / n_games, "best": float(values.max()) / n_games}
            own |= {"cut_hidden": hidden, "cut_output": output}
            found |= {f"{name}/{key}": value for key, value in (own | population.metrics()).items()}
        return found

    def _together(self, networks: list[Networks]) -> tuple[Features, Networks]:
        """Networks of the populations, in turn, over all features that any of them sees."""
        own = [it.names if isinstance(it, ProposingStrategy) else self._features.names for it in self.populations]
        names = tuple(dict.fromkeys((*self._features.names, *chain(*own))))
        wide = [seeing(it, own_names, names) for it, own_names in zip(networks, cycle(own), strict=False)]
        return Features(self.game, names), np.concatenate(wide)

    def player(self) -> Evolved:
        features, networks = self._together([it.elite[None] for it in self.populations])
        depth = max(self.config.depth, self.config.final_depth)
        exact = max(self.config.exact, self.config.final_exact)
        return Evolved(self.game, features.names, networks, depth, exact)

    def state(self) -> dict[str, Any]:
        return {"populations": [it.state() for it in self.populations]}

    def restore(self, state: dict[str, Any]) -> None:
        for population, kept in zip(self.populations, state["populations"], strict=True):
            population.restore(kept)
