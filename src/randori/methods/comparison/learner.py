"""Comparison training: games in rounds, and what the network learns from them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from randori import games
from randori.core.game import Game
from randori.core.record import Games
from randori.errors import UserError
from randori.methods.comparison.chains import Chains
from randori.methods.comparison.config import FREISLEBEN, ComparisonConfig
from randori.methods.comparison.network import Lesson, Network
from randori.methods.comparison.patterns import PatternWeights
from randori.methods.comparison.suitable import check_game
from randori.methods.comparison.transcripts import read_record
from randori.methods.learner import Pairing, Preset
from randori.players import Player, player
from randori.players.files import TrainedPlayer, find_file, load_player, read_card
from randori.workers import Workers

SELF, COPY = "self", "copy"
"""Opponents that are not players in their own right: the network as it is, and as it was at the beginning."""


class _Share(NamedTuple):
    """Some games of a round: the network's seat, how many, and the random plies that they begin with."""

    seat: int
    n_games: int
    opening_plies: int


class ComparisonLearner:
    Config = ComparisonConfig
    presets: ClassVar[Mapping[str, Preset]] = {
        "default": Preset(
            ComparisonConfig(), 100, "patterns, learned from games against itself and judged by playing on"
        ),
        "teacher": Preset(ComparisonConfig(opponent="heuristic"), 100, "the same, against the player `heuristic`"),
        "freisleben": Preset(FREISLEBEN, 800, "the paper's network and rule: two series of 400 games"),
    }

    def __init__(self, game: Game, config: ComparisonConfig, rng: np.random.Generator, workers: Workers) -> None:
        check_game(game)
        self.game, self.config, self.rng, self.workers = game, config, rng, workers
        self.network = _network(game, config, rng)
        if config.start is not None:
            self.network.begin_with(_trained_player(config.start, game))
        self.records = None if config.record is None else read_record(game, Path(config.record))
        self.copy: Network | None = None
        if config.opponent == COPY:
            self.copy = _network(game, config, np.random.default_rng(0))  # whose weights are replaced at once
            self.copy.begin_with(self.network.player())
        self.opponent = None if config.opponent in (SELF, COPY) else player(config.opponent, game)
        self.round = 0

    def pairings(self) -> list[Pairing]:
        own = self.network.sparring()
        other = self.opponent or (self.copy.sparring() if self.copy else own)
        seats = ((own, other), (other, own))
        return [Pairing(*seats[it.seat], it.n_games, it.opening_plies) for it in self._plan()]

    def _plan(self) -> list["_Share"]:
        """The games of this round. Who begins alternates from round to round and from one length to the next."""
        if self.records is not None:
            return []
        lengths = min(self.config.openings, self.game.max_plies // 4) + 1
        shares = []
        for plies in range(lengths):
            n_games = self.config.games // lengths + (plies < self.config.games % lengths)
            ahead = (n_games + (self.round + plies) % 2) // 2
            shares += [_Share(0, ahead, plies), _Share(1, n_games - ahead, plies)]
        return [it for it in shares if it.n_games]

    def learn(self, played: list[Games]) -> dict[str, float]:
        lessons = [Lesson(games, it.seat) for games, it in zip(played, self._plan(), strict=True)]
        if self.records is not None:
            lessons = [Lesson(self.records, -1)]
        self.round += 1
        return self.network.study(lessons, self.rng, self.workers)

    def player(self) -> TrainedPlayer:
        return self.network.player()

    def state(self) -> dict[str, Any]:
        copied = {"copy": self.copy.state()} if self.copy else {}
        return {"round": self.round, "network": self.network.state(), **copied}

    def restore(self, state: dict[str, Any]) -> None:
        self.round = state["round"]
        self.network.restore(state["network"])
        if self.copy:
            self.copy.restore(state["copy"])


def _network(game: Game, config: ComparisonConfig, rng: np.random.Generator) -> Network:
    """One with its first weights."""
    return Chains(game, config, rng) if config.network == "chains" else PatternWeights(game, config)


def _trained_player(place: str, game: Game) -> Player:
    """A player to go on from; its board may have another size."""
    file = find_file(place)
    learned = games.game(read_card(file).game)
    if learned.knowledge.rows != game.knowledge.rows:
        raise UserError(
            f"'{place}' learned {learned.title}, where other rows win than in {game.title}; choose another."
        )
    return load_player(file, learned)
