"""Rates a learner's player during training, seldom enough to take little of the time."""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypedDict

import numpy as np

from randori.arena.ratings import Beyond
from randori.core.game import Game
from randori.experiments.cpu import CountingWorkers
from randori.experiments.field import Measured, measure
from randori.experiments.recipe import Recipe
from randori.experiments.stopping import StopSignals
from randori.players import Player

TIMES_AS_MANY = 5  # games in the last rating as in those on the way
SHARE_OF_TIME = 0.1  # for ratings, where the recipe does not say how often
LEAST_GAP = 10.0  # seconds


class Met(TypedDict):
    """What a player scored against an opponent."""

    player: str
    wins: int
    draws: int
    losses: int
    distinct_games: int


class Strength(TypedDict):
    """A rating on the scale of the ladder, `random` being 0, with its 95% interval, and where it comes from."""

    elo: float
    low: float
    high: float
    games: int
    extrapolated: Beyond | None
    opponents: list[Met]
    seed: int


class Gauge:
    """Rates players by the field; its random numbers depend only on the recipe's seed and the round."""

    def __init__(
        self,
        recipe: Recipe,
        game: Game,
        workers: CountingWorkers,
        stop: StopSignals,
        on_games: Callable[[int], None] = lambda n: None,
    ) -> None:
        self._recipe, self._game, self._workers, self._stop = recipe, game, workers, stop
        self._on_games = on_games
        self._next_time = time.monotonic() + LEAST_GAP

    def is_due(self, round: int) -> bool:
        if not self._recipe.evaluate_games:
            return False
        every = self._recipe.evaluate_every
        return round % every == 0 if every is not None else time.monotonic() >= self._next_time

    def rate_if_due(self, player: Callable[[], Player], round: int) -> Strength | None:
        return self.rate(player(), round) if self.is_due(round) else None

    def rate(self, player: Player, round: int) -> Strength | None:
        """None where a signal stops it before the rating is known."""
        budget = self._recipe.budget
        seconds = None if budget is None else SHARE_OF_TIME * budget
        return self._measure(player, round, self._recipe.evaluate_games, seconds)

    def rate_at_the_end(self, player: Player, round: int, seconds: float | None) -> Strength | None:
        """With more games, for the player's card; fewer where they do not fit into what is left of a budget."""
        return self._measure(player, round, TIMES_AS_MANY * self._recipe.evaluate_games, seconds)

    def _measure(self, player: Player, round: int, n_games: int, seconds: float | None) -> Strength | None:
        began = time.monotonic()
        seed = seed_of(self._recipe.seed, round)
        measured = measure(
            self._game,
            player,
            n_games,
            seed,
            self._workers,
            seconds=seconds,
            stop=lambda: self._stop.requested,
            on_games=self._on_games,
        )
        ended = time.monotonic()
        self._next_time = ended + max(LEAST_GAP, (ended - began) * (1 / SHARE_OF_TIME - 1))
        return None if measured is None else strength_of(measured)


class GaugeBeside(Gauge):
    """Rates in a thread of its own, while learning goes on."""

    def __init__(self, recipe: Recipe, game: Game, workers: CountingWorkers, stop: StopSignals) -> None:
        super().__init__(recipe, game, workers, stop, self._check)
        self._thread = ThreadPoolExecutor(1, "rating")
        self._rating: Future[Strength | None] | None = None
        self._closed = False

    def rate_if_due(self, player: Callable[[], Player], round: int) -> Strength | None:
        """Begins a rating where one is due; returns one that was begun in an earlier round and is known now."""
        known = None
        if self._rating is not None and self._rating.done():
            known, self._rating = self._rating.result(), None
        if self._rating is None and self.is_due(round):
            self._rating = self._thread.submit(self._rate_uncounted, player(), round)
        return known

    def _rate_uncounted(self, player: Player, round: int) -> Strength | None:
        with self._workers.uncounted():
            return self.rate(player, round)

    def _check(self, n_games: int) -> None:
        if self._closed:
            raise KeyboardInterrupt  # which ends a match, as Ctrl-C does

    def close(self) -> None:
        """Gives up a rating under way."""
        self._closed = True
        self._thread.shutdown()


def seed_of(recipe_seed: int, round: int) -> int:
    return int(np.random.SeedSequence((recipe_seed, round)).generate_state(1)[0])


def strength_of(measured: Measured) -> Strength:
    """A rating as cards and metrics store it."""
    rating = measured.rating
    return Strength(
        elo=_tenth(rating.elo),
        low=_tenth(rating.low),
        high=_tenth(rating.high),
        games=rating.games,
        extrapolated=rating.extrapolated,
        opponents=[
            Met(player=name, wins=it.wins, draws=it.draws, losses=it.losses, distinct_games=it.distinct_games)
            for name, it in sorted(measured.scores.items())
        ],
        seed=measured.seed,
    )


def opponents_on(rating: Mapping[str, Any]) -> list[Met]:
    """The opponents on a card; none on cards of earlier versions, or where the list is damaged."""
    opponents = rating.get("opponents")
    return [it for it in opponents if _is_met(it)] if isinstance(opponents, list) else []


def _is_met(row: Any) -> bool:
    counts = ("wins", "draws", "losses")
    return (
        isinstance(row, dict) and isinstance(row.get("player"), str) and all(type(row.get(it)) is int for it in counts)
    )


def _tenth(elo: float) -> float:
    return round(elo, 1)
