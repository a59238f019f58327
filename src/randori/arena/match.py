"""Matches: many games between two players from paired openings, the same result whatever runs them."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.arena.openings import drawn_openings, random_openings
from randori.arena.play import play_games
from randori.arena.scores import Score
from randori.core.game import DRAW, LOSS, WIN, Actions, Game
from randori.core.record import Games, concatenate
from randori.errors import UserError
from randori.players import Player
from randori.workers import Workers

Seats = Literal["alternate", "first"]


class Duel(NamedTuple):
    """Who meets whom, how often and from where: all that the result of a match depends on."""

    game: Game
    first: Player
    second: Player
    n_games: int
    opening_plies: int
    seats: Seats
    seed: int
    book: Actions | None = None
    """`[N, opening_plies]` openings, shorter ones filled up with -1, each once before any twice; None: random ones."""


@dataclass(frozen=True)
class Match:
    """What a duel gave. Scores are the first player's; `began` is the score of whoever had the first move."""

    duel: Duel
    score: Score
    began: Score
    games: Games | None
    """None where it was interrupted before any game ended."""

    @property
    def complete(self) -> bool:
        return self.score.games == self.duel.n_games

    @property
    def forfeits(self) -> dict[str, int]:
        """How many games ended for each reason outside the rules: a program died, hung or played an illegal move."""
        return dict(Counter(it.reason for it in self.games.forfeits)) if self.games else {}

    def summary(self) -> dict[str, Any]:
        """The figures as plain values."""
        low, high = self.score.interval
        return {
            "game": self.duel.game.name,
            "first": self.duel.first.name,
            "second": self.duel.second.name,
            "games": self.score.games,
            "wins": self.score.wins,
            "draws": self.score.draws,
            "losses": self.score.losses,
            "score": round(self.score.mean, 4) if self.score.games else None,
            "interval": [round(low, 4), round(high, 4)],
            "distinct_games": self.score.distinct_games,
            "began": {"wins": self.began.wins, "draws": self.began.draws, "losses": self.began.losses},
            "seats": self.duel.seats,
            "openings": self.duel.opening_plies,
            "seed": self.duel.seed,
            "forfeits": [{"reason": reason, "games": n} for reason, n in self.forfeits.items()],
        }


def duel(
    game: Game,
    first: Player,
    second: Player,
    n_games: int,
    *,
    seed: int = 0,
    opening_plies: int | None = None,
    seats: Seats = "alternate",
    book: Actions | None = None,
) -> Duel:
    """A duel with checked numbers; openings have the game's usual length where neither that nor a book is given."""
    plies = game.opening_plies if opening_plies is None else opening_plies
    if book is not None:
        plies = book.shape[1]
        if not len(book):
            raise UserError("The book holds no opening: it needs games that begin from the usual position.")
    if n_games < 1:
        raise UserError(f"A match needs at least one game, not {n_games}.")
    if seed < 0:
        raise UserError(f"A seed is zero or a positive number, not {seed}.")
    if not 0 <= plies < game.max_plies:
        raise UserError(f"An opening of {game.title} has 0 to {game.max_plies - 1} plies, not {plies}.")
    return Duel(game, first, second, n_games, plies, seats, seed, book)


class Part(NamedTuple):
    """Some of the games of a duel, with their outcomes for its first player."""

    outcomes: NDArray[np.int8]
    games: Games


def _play_part(it: Duel, n_games: int, spawn_key: tuple[int, ...]) -> Part:
    """One task: games whose openings and chances come from a seed of their own."""
    rng = np.random.default_rng(np.random.SeedSequence(it.seed, spawn_key=spawn_key))
    if it.seats == "first":
        openings = _openings(it, n_games, rng)
        games = play_games(it.game, it.first, it.second, openings, rng)
        return Part(games.outcomes, games)
    openings = _openings(it, (n_games + 1) // 2, rng)
    ahead = play_games(it.game, it.first, it.second, openings, rng)
    behind = play_games(it.game, it.second, it.first, openings[: n_games // 2], rng)
    return Part(np.append(ahead.outcomes, -behind.outcomes), concatenate([ahead, behind]))


def _openings(it: Duel, n: int, rng: np.random.Generator) -> Actions:
    return random_openings(it.game, n, it.opening_plies, rng) if it.book is None else it.book


def _part_of_book(it: Duel, place: int, games_before: int, n_games: int) -> Duel:
    """The duel with those openings of its book that some of its games begin with: more need not travel to a task."""
    if it.book is None:
        return it
    games_a_line = 1 if it.seats == "first" else 2
    n, begin = -(-n_games // games_a_line), games_before // games_a_line
    return it._replace(book=drawn_openings(it.book, begin, n, it.seed, (place, 0)))


def play_duels(
    duels: Sequence[Duel], workers: Workers, on_games: Callable[[int], None] = lambda n: None
) -> list[Match]:
    """Plays them all and tells `on_games` how many games have just ended; an interrupt leaves what was played.

    The tasks and their seeds depend on the duels alone, never on the workers. Each has games enough to fill a batch,
    and each duel tasks enough to keep several workers busy.
    """
    tasks = []
    for place, it in enumerate(duels):
        step = 2 * min(max(it.n_games // 32, 5), 250)
        sizes = [min(step, it.n_games - done) for done in range(0, it.n_games, step)]
        tasks += [(_part_of_book(it, place, part * step, size), size, (place, part)) for part, size in enumerate(sizes)]
    played: dict[int, Part] = {}

    def keep(index: int, part: Part) -> None:
        played[index] = part
        on_games(len(part.games))

    with suppress(KeyboardInterrupt):
        workers.map(_play_part, tasks, on_result=keep)
    matches = []
    for place, it in enumerate(duels):
        # In the order of the tasks: they end in any order.
        matches.append(_gather(it, [played[i] for i, task in enumerate(tasks) if task[2][0] == place and i in played]))
    return matches


def _gather(it: Duel, parts: list[Part]) -> Match:
    if not parts:
        return Match(it, Score(0, 0, 0, 0), Score(0, 0, 0, 0), None)
    games = concatenate([part.games for part in parts])
    distinct = games.distinct()
    outcomes = np.concatenate([part.outcomes for part in parts])
    return Match(it, _count(outcomes, distinct), _count(games.outcomes, distinct), games)


def _count(outcomes: NDArray[np.int8], distinct_games: int) -> Score:
    wins, draws, losses = (int(np.sum(outcomes == result)) for result in (WIN, DRAW, LOSS))
    return Score(wins, draws, losses, distinct_games)
