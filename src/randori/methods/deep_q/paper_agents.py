"""The agents of Humphreys et al., trained several times, and their matches."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from randori import games
from randori.arena import Duel, Score, duel, play_duels
from randori.experiments.cpu import CountingWorkers
from randori.experiments.kept import kept
from randori.experiments.metrics import read_metrics
from randori.experiments.papers import Reproduction
from randori.experiments.recipe import Recipe
from randori.experiments.run import METRICS_FILE
from randori.experiments.train import train_to_the_end
from randori.methods.deep_q.config import PAPER, DeepQConfig
from randori.methods.deep_q.paper_published import DQN, Pair
from randori.players import Player, player
from randori.players.files import PLAYER_FILE, load_player
from randori.workers import Workers

GAME = "othello8"
WHOLE = "-whole"
"""Ends the name of an agent that learns from all its games: the rule that stops the others is left out."""
AGENTS = PAPER | {f"{name}{WHOLE}": replace(PAPER[name], patience=None) for name in DQN}
_NOT_IN_NAMES = re.compile(r"[^\w-]+")
GAMES_A_SIDE = 50
"""By the paper's protocol, against chance."""
REPLAYS = 2
"""Of two agents without chance, who play the same game again and again."""


@dataclass(frozen=True)
class Agents:
    """Trains agents when they are first needed, and keeps what it measures."""

    reproduction: Reproduction
    n_seeds: int
    n_games: int
    """Of two agents, over all seeds."""
    rounds: Callable[[str], int]
    """How many games an agent learns from."""

    @property
    def _folder(self) -> Path:
        return self.reproduction.folder / "agents"

    @property
    def _seeds(self) -> range:
        return self.reproduction.seeds(self.n_seeds)

    def train(self, pairs: Sequence[Pair]) -> None:
        names = sorted({name for pair in pairs for name in pair if name in AGENTS})
        runs = [
            (name, AGENTS[name], GAME, seed, self.rounds(name.removesuffix(WHOLE)))
            for name in names
            for seed in self._seeds
        ]
        train_all(runs, self._folder, self.reproduction.workers)

    def scores(self, pair: Pair) -> list[Score]:
        """Of each training; of two that never learned, one score of all games."""
        seeds = self._seeds if any(name in AGENTS for name in pair) else self._seeds[:1]
        duels = []
        for place, seed in enumerate(seeds):
            # Agents meet those of the same seed, and those of their own kind that of the next.
            other = seeds[(place + (pair[0] == pair[1])) % len(seeds)]
            players = self._players(pair, seed, other)
            duels.append(duel(games.game(GAME), *players, -(-self.n_games // len(seeds)), seed=seed))
        return self._played(pair, "", duels)

    def by_protocol(self, pair: Pair) -> list[tuple[Score, Score]]:
        """When the first of the two begins and when the other does: without random plies, as the paper plays.

        Of each training against who never learned; of any two trainings where both did, as they do not depend on each other.
        """
        both = all(name in AGENTS for name in pair)
        seeds = product(self._seeds, repeat=2) if both else zip(self._seeds, self._seeds, strict=True)
        begun = []
        for seed, other in seeds:
            if not both or pair[0] != pair[1] or seed != other:
                players, n_games = self._players(pair, seed, other), REPLAYS if both else GAMES_A_SIDE
                begun.append(duel(games.game(GAME), *players, n_games, seed=seed, opening_plies=0, seats="first"))
        followed = [it._replace(first=it.second, second=it.first) for it in begun]
        scores = self._played(pair, ", from the start", [*begun, *followed])
        return list(zip(scores[: len(begun)], (it.reverse() for it in scores[len(begun) :]), strict=True))

    def games_learned(self, name: str) -> list[float]:
        """How many games each training took."""
        return [read_metrics(self._folder / f"{name}-{seed}" / METRICS_FILE)[-1]["games"] for seed in self._seeds]

    def _players(self, pair: Pair, seed: int, other: int) -> tuple[Player, Player]:
        return self._player(pair[0], seed), self._player(pair[1], other)

    def _player(self, name: str, seed: int) -> Player:
        game = games.game(GAME)
        return (
            load_player(self._folder / f"{name}-{seed}" / PLAYER_FILE, game) if name in AGENTS else player(name, game)
        )

    def _played(self, pair: Pair, how: str, duels: Sequence[Duel]) -> list[Score]:
        agents = {name: [AGENTS[name], self.rounds(name.removesuffix(WHOLE))] for name in pair if name in AGENTS}
        return kept_scores(self.reproduction, f"{' v '.join(pair)}{how}", {"agents": agents}, duels)


def kept_scores(reproduction: Reproduction, name: str, of: dict[str, Any], duels: Sequence[Duel]) -> list[Score]:
    """Scores of duels whose players depend on nothing but their names and `of`."""
    of = of | {"name": name, "duels": [[it.seed, it.n_games, it.opening_plies, it.seats] for it in duels]}
    path = reproduction.folder / "matches" / f"{_NOT_IN_NAMES.sub('-', name)}.json"
    found = kept(path, of, lambda: [_counts(it.score) for it in play_duels(duels, reproduction.workers)])
    return [Score(*it) for it in found]


def _counts(score: Score) -> list[int]:
    return [score.wins, score.draws, score.losses, score.distinct_games]


def train_all(runs: Sequence[tuple[str, DeepQConfig, str, int, int]], folder: Path, workers: Workers) -> None:
    """Trains what is not there yet."""
    workers.map(_train, [(folder, *run) for run in runs])


def _train(folder: Path, name: str, config: DeepQConfig, game: str, seed: int, rounds: int) -> None:
    with CountingWorkers(1) as staff:
        recipe = Recipe(game, "deep-q", config, seed, rounds, evaluate_games=0)
        train_to_the_end(recipe, folder / f"{name}-{seed}", staff)
