"""The field of a game: the rungs of its ladder and the zoo's players, the opponents by whom everybody is rated.

The rungs have the ladder's ratings. The zoo's players are rated on that scale by the games in `field.json`, which
`make_field.py` plays, all in one fit; whoever else is rated joins that fit with its own games.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from randori import players
from randori.arena import Rating, duel, play_duels, rate_among
from randori.arena.scores import Score
from randori.core.game import Game
from randori.experiments.ladder import rungs
from randori.players import Player
from randori.reading import read_json
from randori.workers import Workers

FIELD_FILE = Path(__file__).with_name("field.json")
NEWCOMER = "the newcomer"
FEW = 4  # games of the shortest match that rates anybody
GROWTH = 5  # how many times longer the next one is, where the time allows

Pair = tuple[str, str]


@dataclass(frozen=True)
class Field:
    """The opponents of a game; `pairs` are the games of the zoo's players, with the rungs and among themselves."""

    game: Game
    pairs: Mapping[Pair, Score]

    def order(self) -> list[str]:
        """All opponents, the weakest first."""
        elos = {it.player: it.elo for it in rungs(self.game)} | {it.name: it.elo for it in self._rate(self.pairs, 0)}
        return sorted(elos, key=lambda spec: elos[spec])

    def ratings(self) -> list[Rating]:
        """Of the zoo's players, the strongest first."""
        return self._rate(self.pairs)

    def opponents(self, name: str) -> dict[str, Score]:
        """Whom one of the zoo's players met, and what it scored."""
        as_first = {b: score for (a, b), score in self.pairs.items() if a == name}
        return as_first | {a: score.reverse() for (a, b), score in self.pairs.items() if b == name}

    def rating(self, name: str, scores: Mapping[str, Score]) -> Rating:
        """Of a player who met some of the field; a player of the zoo is rated by these games in place of its old ones."""
        pairs = {pair: score for pair, score in self.pairs.items() if name not in pair}
        pairs |= {(name, opponent): score for opponent, score in scores.items()}
        return next(it for it in self._rate(pairs) if it.name == name)

    def _rate(self, pairs: Mapping[Pair, Score], n_samples: int = 500) -> list[Rating]:
        if not pairs:
            return []
        known = rungs(self.game)
        at_least = {it.player for it in known if it.extrapolated == "above"}
        elos = {it.player: it.elo for it in known}
        return rate_among(elos, pairs, np.random.default_rng(0), at_least=at_least, n_samples=n_samples)


def read_fields() -> dict[str, Any]:
    """All that is kept, by game."""
    return read_json(FIELD_FILE) if FIELD_FILE.exists() else {}


def field(game: Game) -> Field:
    """The field of a game; only its ladder where the zoo has no player."""
    rows = read_fields().get(game.name, {"pairs": []})["pairs"]
    return Field(game, {(it["first"], it["second"]): score_from(it) for it in rows})


def score_from(row: Mapping[str, Any]) -> Score:
    return Score(row["wins"], row["draws"], row["losses"], row["distinct_games"])


class Measured(NamedTuple):
    """A rating and what it comes from: the score against each opponent, all with this seed."""

    rating: Rating
    scores: dict[str, Score]
    seed: int


def measure(
    game: Game,
    player: Player,
    n_games: int,
    seed: int,
    workers: Workers,
    *,
    seconds: float | None = None,
    stop: Callable[[], bool] = lambda: False,
    on_games: Callable[[int], None] = lambda n: None,
) -> Measured | None:
    """Rates a player by matches of `n_games` against the field; None if stopped.

    By bisection: whoever is beaten is followed by a stronger one, so that it ends with the next weaker and the next
    stronger opponent, where there are both. Depends on the player and the seed alone, not on what earlier ratings were.
    With a limit in seconds, matches have as many games as fit into their share of the time, but at least FEW.
    """
    end = None if seconds is None else time.monotonic() + seconds
    known = field(game)
    name = _called(known, player)
    order = [it for it in known.order() if it != name]
    scores: dict[str, Score] = {}
    low, high = 0, len(order)  # those before `low` are weaker than the player, those from `high` on stronger
    while low < high:
        middle = (low + high) // 2
        play = partial(meet, game, name, player, order[middle], seed=seed, workers=workers, on_games=on_games)
        if stop():
            return None
        if end is None:
            score = play(n_games)
        else:
            score = _meet_within((end - time.monotonic()) / most_opponents(high - low), n_games, play)
        if score is None:
            return None
        scores[order[middle]] = score
        low, high = (middle + 1, high) if score.mean >= 0.5 else (low, middle)
    return Measured(known.rating(name, scores), scores, seed)


def most_opponents(n: int) -> int:
    """The most opponents that a bisection of `n` of them can meet."""
    return n.bit_length()


def _meet_within(seconds: float, n_games: int, play: Callable[[int], Score | None]) -> Score | None:
    """A match of as many games as fit into the time, found by shorter ones, which do not count."""
    end, n = time.monotonic() + seconds, min(FEW, n_games)
    while True:
        began = time.monotonic()
        score = play(n)
        took = time.monotonic() - began
        longer = min(n_games, GROWTH * n)
        if score is None or n == n_games or time.monotonic() + took * longer / n > end:
            return score
        n = longer


def measure_again(
    game: Game,
    player: Player,
    opponents: Mapping[str, int],
    seed: int,
    workers: Workers,
    on_games: Callable[[int], None] = lambda n: None,
) -> Measured | None:
    """Rates a player against opponents of the field, with a number of games for each; None if interrupted."""
    known = field(game)
    name = _called(known, player)
    scores: dict[str, Score] = {}
    for opponent, n_games in opponents.items():
        score = meet(game, name, player, opponent, n_games, seed, workers, on_games)
        if score is None:
            return None
        scores[opponent] = score
    return Measured(known.rating(name, scores), scores, seed)


def meet(
    game: Game,
    name: str,
    player: Player,
    opponent: str,
    n_games: int,
    seed: int,
    workers: Workers,
    on_games: Callable[[int], None] = lambda n: None,
) -> Score | None:
    """The score of a player called `name` against an opponent of the field; None if interrupted.

    The same games whichever of the two asks: the names alone decide who is the first of the duel.
    """
    other = players.player(opponent, game)
    turned = opponent < name
    sides = (other, player) if turned else (player, other)
    match = play_duels([duel(game, *sides, n_games, seed=seed)], workers, on_games)[0]
    if not match.complete:
        return None
    return match.by_rules.reverse() if turned else match.by_rules


def _called(known: Field, player: Player) -> str:
    """A player of the zoo by its name; a newcomer may have any name."""
    return player.name if player.name.startswith("zoo/") and known.opponents(player.name) else NEWCOMER
