"""Matches: many games between two players from paired openings, the same result whatever runs them."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.arena.openings import drawn_openings, random_openings
from randori.arena.play import play_games
from randori.arena.scores import Score
from randori.core.game import DRAW, LOSS, WIN, Actions, Game
from randori.core.player import PlayerFailed
from randori.core.record import Games, concatenate
from randori.errors import UserError
from randori.players import Player
from randori.workers import Shared, Workers

Seats = Literal["alternate", "first"]


class Duel(NamedTuple):
    """Who plays whom, how many games and from which openings: everything that the result of a match depends on."""

    game: Game
    first: Player
    second: Player
    n_games: int
    opening_plies: int
    seats: Seats
    seed: int
    book: Actions | None = None
    """`[N, opening_plies]` openings, shorter ones filled up with -1, each once before any twice; None: random ones."""


class Forfeited(NamedTuple):
    """Games that a player lost for one reason outside the rules: its program died, hung or played an illegal move."""

    player: str
    opponent: str
    reason: str
    games: int


@dataclass(frozen=True)
class Match:
    """The result of a duel. Scores are the first player's; `began` is the score of whoever had the first move.

    A forfeited game is lost, or a program that dies in bad positions would profit. It says nothing about how well
    anybody plays, though, so it is shown beside the score, and ratings come from `by_rules`.
    """

    duel: Duel
    score: Score
    began: Score
    games: Games | None
    """None where it was interrupted before any game ended, or a player failed."""
    by_rules: Score
    """The score without the forfeited games."""
    forfeits: tuple[Forfeited, ...] = ()
    failure: PlayerFailed | None = None
    """Why there is no score: a player could not play."""

    @property
    def complete(self) -> bool:
        return self.score.games == self.duel.n_games

    @property
    def n_forfeits(self) -> int:
        return sum(it.games for it in self.forfeits)

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
            "forfeits": [it._asdict() for it in self.forfeits],
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
            raise UserError("The book has no openings: its games must begin from the usual position.")
    if n_games < 1:
        raise UserError(f"A match needs at least one game, not {n_games}.")
    if seed < 0:
        raise UserError(f"A seed must be zero or a positive number, not {seed}.")
    if not 0 <= plies < game.max_plies:
        raise UserError(f"An opening of {game.title} has 0 to {game.max_plies - 1} plies, not {plies}.")
    return Duel(game, first, second, n_games, plies, seats, seed, book)


class Part(NamedTuple):
    """Some of the games of a duel, with their outcomes for its first player."""

    outcomes: NDArray[np.int8]
    games: Games


def _play_part(it: Duel, book: Actions | None, n_games: int, spawn_key: tuple[int, ...]) -> Part:
    """One task: games whose openings, unless they are those of a book, and chances come from a seed of their own."""
    it = it._replace(book=book)
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


def _part_of_book(it: Duel, place: int, games_before: int, n_games: int) -> Actions | None:
    """The part of its book that these games begin with: a task needs no more."""
    if it.book is None:
        return None
    games_a_line = 1 if it.seats == "first" else 2
    n, begin = -(-n_games // games_a_line), games_before // games_a_line
    return drawn_openings(it.book, begin, n, it.seed, (place, 0))


def play_duels(
    duels: Sequence[Duel], workers: Workers, on_games: Callable[[int], None] = lambda n: None
) -> list[Match]:
    """Plays them all and tells `on_games` how many games have just ended; an interrupt keeps what was played.

    The tasks and their seeds depend on the duels alone, never on the workers. Each task has enough games to fill a
    batch, and each duel enough tasks to keep several workers busy. Raises PlayerFailed where a player cannot play.
    """
    matches = play_without_failing(duels, workers, on_games)
    for match in matches:
        if match.failure is not None:
            raise match.failure
    return matches


def play_without_failing(
    duels: Sequence[Duel], workers: Workers, on_games: Callable[[int], None] = lambda n: None
) -> list[Match]:
    """As `play_duels`, but whoever cannot play leaves without a game, with the reason in its matches."""
    tasks = []
    for place, it in enumerate(duels):
        step = 2 * min(max(it.n_games // 32, 5), 250)
        sizes = [min(step, it.n_games - done) for done in range(0, it.n_games, step)]
        shared = Shared(it._replace(book=None))
        tasks += [
            (shared, _part_of_book(it, place, part * step, size), size, (place, part))
            for part, size in enumerate(sizes)
        ]
    played: dict[int, Part] = {}
    failures: dict[str, PlayerFailed] = {}

    def keep(indices: list[int], at: int, part: Part) -> None:
        played[indices[at]] = part
        on_games(len(part.games))

    def waiting() -> list[int]:
        return [i for i, task in enumerate(tasks) if i not in played and _failure(duels[task[3][0]], failures) is None]

    with suppress(KeyboardInterrupt):
        while indices := waiting():
            try:
                workers.map(_play_part, [tasks[i] for i in indices], on_result=partial(keep, indices))
            except PlayerFailed as failure:
                failures[failure.player] = failure
                if waiting() == indices:  # it is nobody of these duels
                    raise
    matches = []
    for place, it in enumerate(duels):
        # In the order of the tasks: they end in any order.
        parts = [played[i] for i, task in enumerate(tasks) if task[3][0] == place and i in played]
        matches.append(_gather(it, parts, _failure(it, failures)))
    return matches


def _failure(it: Duel, failures: dict[str, PlayerFailed]) -> PlayerFailed | None:
    return failures.get(it.first.name) or failures.get(it.second.name)


def _gather(it: Duel, parts: list[Part], failure: PlayerFailed | None) -> Match:
    if failure is not None or not parts:
        none = Score(0, 0, 0, 0)
        return Match(it, none, none, None, none, (), failure)
    games = concatenate([part.games for part in parts])
    distinct = games.distinct()
    outcomes = np.concatenate([part.outcomes for part in parts])
    forfeits = [forfeit for forfeit in games.forfeits if not forfeit.resigned]
    kept = np.delete(np.arange(len(games)), [forfeit.row for forfeit in forfeits])
    sides = it.first.name, it.second.name
    reasons = Counter(
        (*(sides if outcomes[forfeit.row] == LOSS else sides[::-1]), forfeit.reason) for forfeit in forfeits
    )
    return Match(
        it,
        _count(outcomes, distinct),
        _count(games.outcomes, distinct),
        games,
        _count(outcomes[kept], games.take(kept).distinct()),
        tuple(Forfeited(*key, n) for key, n in reasons.items()),
    )


def _count(outcomes: NDArray[np.int8], distinct_games: int) -> Score:
    wins, draws, losses = (int(np.sum(outcomes == result)) for result in (WIN, DRAW, LOSS))
    return Score(wins, draws, losses, distinct_games)
