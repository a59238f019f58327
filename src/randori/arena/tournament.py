"""Round-robin tournaments: everyone meets everyone, and all games together give the ratings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from randori.arena.match import Forfeited, Match, duel, play_without_failing
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
        return all(match.complete or match.failure is not None for match in self.matches)

    @property
    def failures(self) -> dict[str, str]:
        """Players that could not play and so left, and why."""
        return {it.failure.player: str(it.failure) for it in self.matches if it.failure is not None}

    @property
    def names(self) -> list[str]:
        """Everybody who has a score: the rated, the strongest first, then those who have forfeited all their games."""
        met = [it.name for match in self.matches if match.score.games for it in (match.duel.first, match.duel.second)]
        return list(dict.fromkeys([*(it.name for it in self.ratings), *met]))

    @property
    def forfeited(self) -> list[Forfeited]:
        """Every game that was lost outside the rules, with the reason."""
        return [it for match in self.matches for it in match.forfeits]

    def forfeits(self, name: str, opponent: str | None = None) -> int:
        """How many games a player has forfeited; with an opponent, how many were forfeited between the two, by either."""
        if opponent is None:
            return sum(it.games for it in self.forfeited if it.player == name)
        match = self.match(name, opponent)
        return 0 if match is None else sum(it.games for it in match.forfeits)

    def match(self, name: str, opponent: str) -> Match | None:
        """The match of two players; None where they have not met."""
        for match in self.matches:
            if match.score.games and {match.duel.first.name, match.duel.second.name} == {name, opponent}:
                return match
        return None

    def score(self, name: str, opponent: str) -> float | None:
        """The mean score of one player against another; None where they have not met."""
        match = self.match(name, opponent)
        if match is None:
            return None
        return match.score.mean if match.duel.first.name == name else match.score.reverse().mean

    def summary(self) -> dict[str, Any]:
        """The figures as plain values."""
        ratings = [
            {
                "player": it.name,
                "rating": round(it.elo, 1),
                "interval": [round(it.low, 1), round(it.high, 1)],
                "games": it.games,
                "score": round(it.score, 4),
                "forfeits": self.forfeits(it.name),
            }
            for it in self.ratings
        ]
        return {
            "game": self.game.name,
            "complete": self.complete,
            "ratings": ratings,
            "matches": [match.summary() for match in self.matches if match.failure is None],
            "failures": [{"player": name, "reason": reason} for name, reason in self.failures.items()],
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
    """Plays `n_games` between each pair of players. An interrupt keeps what was played, with `complete` false.

    Whoever cannot play leaves the tournament, and its games with it. Forfeited games are lost in the scores; ratings come
    from the others alone.
    """
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
    matches = play_without_failing(duels, workers, on_games)
    scores = {(it.duel.first.name, it.duel.second.name): it.by_rules for it in matches if it.by_rules.games}
    try:
        ratings = rate(scores, np.random.default_rng(seed))
    except UserError:
        # Not all have met, directly or through others: there are scores, but no common scale.
        ratings = []
    return Tournament(game, matches, ratings)
