"""How strong the learner's player is on the way, measured so often that it takes little of the time."""

import time
from typing import TypedDict

from randori.arena import Rating
from randori.core.game import Game
from randori.experiments.ladder import climb
from randori.experiments.recipe import Recipe
from randori.experiments.stopping import StopSignals
from randori.players import Player
from randori.workers import Workers

TIMES_AS_MANY = 5  # games in the last rating as in those on the way
SHARE_OF_TIME = 0.1  # for ratings, where the recipe does not say how often
LEAST_GAP = 10.0  # seconds


class Strength(TypedDict):
    """A rating on the scale of the ladder, `random` being 0, with its 95 % interval."""

    elo: float
    low: float
    high: float
    games: int


class Gauge:
    """Rates players by the ladder; chance depends on the recipe's seed and the round alone."""

    def __init__(self, recipe: Recipe, game: Game, workers: Workers, stop: StopSignals) -> None:
        self._recipe, self._game, self._workers, self._stop = recipe, game, workers, stop
        self._next_time = time.monotonic() + LEAST_GAP

    def is_due(self, round: int) -> bool:
        if not self._recipe.evaluate_games:
            return False
        every = self._recipe.evaluate_every
        return round % every == 0 if every is not None else time.monotonic() >= self._next_time

    def rate(self, player: Player, round: int) -> Strength | None:
        """None where a signal asks to stop before it is known."""
        return self._climb(player, round, self._recipe.evaluate_games)

    def rate_at_the_end(self, player: Player, round: int) -> Strength | None:
        """With more games, for the player's card."""
        return self._climb(player, round, TIMES_AS_MANY * self._recipe.evaluate_games)

    def _climb(self, player: Player, round: int, n_games: int) -> Strength | None:
        began = time.monotonic()
        seed = (self._recipe.seed, round)
        rating = climb(self._game, player, n_games, seed, self._workers, lambda: self._stop.asked)
        ended = time.monotonic()
        self._next_time = ended + max(LEAST_GAP, (ended - began) * (1 / SHARE_OF_TIME - 1))
        return None if rating is None else strength_of(rating)


def strength_of(rating: Rating) -> Strength:
    """A rating as cards and metrics tell it."""
    return Strength(elo=_tenth(rating.elo), low=_tenth(rating.low), high=_tenth(rating.high), games=rating.games)


def _tenth(elo: float) -> float:
    return round(elo, 1)
