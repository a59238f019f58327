"""Round-robin tournaments: everyone meets everyone, and all games together give the ratings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from randori.arena.match import Match, duel, play_duels
from randori.arena.ratings import Rating, rate
from randori.core.game import Game
from randori.errors import UserError
from randori.players import Player
from randori.workers import Workers


@dataclass(frozen=True)
class Tournament:
    """The matches of every pair, and the ratings of those who have met, the strongest first."""

    game: Game
    matches: list[Match]
    ratings: list[Rating]

    @property
    def complete(self) -> bool:
        return all(match.complete for match in self.matches)

    def score(self, name: str, opponent: str) -> float | None:
        """The mean score of one player against another; None where they have not met."""
        for match in self.matches:
            if match.score.games and {match.duel.first.name, match.duel.second.name} == {name, opponent}:
                return match.score.mean if match.duel.first.name == name else match.score.reverse().mean
        return None

    def summary(self) -> dict[str, Any]:
        """The figures as plain values."""
        ratings = [
            {
                "player": it.name,
                "rating": round(it.elo, 1),
                "interval": [round(it.low, 1), round(it.high, 1)],
                "games": it.games,
                "score": round(it.score, 4),
            }
            for it in self.ratings
        ]
        return {
            "game": self.game.name,
            "complete": self.complete,
            "ratings": ratings,
            "matches": [match.summary() for match in self.matches],
        }


def play_tournament(
    game: Game,
    players: Sequence[Player],
    n_games: int,
    *,
    seed: int = 0,
    opening_plies: int | None = None,
    workers: Workers,
    on_games: Callable[[int], None] = lambda n: None,
) -> Tournament:
    """Plays `n_games` between each two players. An interrupt leaves what was played, with `complete` false."""
    names = [player.name for player in players]
    if len(names) < 2:
        raise UserError("A tournament needs at least two players.")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UserError(f"'{twice[0]}' is in the tournament twice; name each player once.")
    duels = [
        duel(game, first, second, n_games, seed=seed, opening_plies=opening_plies)
        for first, second in combinations(players, 2)
    ]
    matches = play_duels(duels, workers, on_games)
    scores = {(it.duel.first.name, it.duel.second.name): it.score for it in matches if it.score.games}
    try:
        ratings = rate(scores, np.random.default_rng(seed))
    except UserError:
        # Interrupted before all had met, directly or through others: there are scores, but no common scale.
        ratings = []
    return Tournament(game, matches, ratings)
