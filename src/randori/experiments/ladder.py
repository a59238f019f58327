"""The ladder: opponents of known rating that every player in training is measured by.

Their ratings are kept in `ladder.json`, which `make_ladder.py` writes, so that ratings of different runs, learners and
days are on one scale.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from randori import players
from randori.arena import Rating, duel, play_duels, rate_one
from randori.arena.scores import Score
from randori.core.game import Game
from randori.players import Player
from randori.reading import DamagedFile, is_number, read_json
from randori.workers import Workers

LADDER_FILE = Path(__file__).with_name("ladder.json")

# Below this score the next opponent would only be further out of reach.
CLIMBS_FROM = 0.25


class Rung(NamedTuple):
    """An opponent of the ladder, with the 95 % interval of its rating."""

    player: str
    elo: float
    low: float
    high: float


def rungs(game: Game) -> list[Rung]:
    """The weakest first; `random` alone for a game that nobody has made a ladder for."""
    kept = read_json(LADDER_FILE) if LADDER_FILE.exists() else {}
    if game.name not in kept:
        return [Rung("random", 0.0, 0.0, 0.0)]
    try:
        found = [Rung(it["player"], it["rating"], *it["interval"]) for it in reversed(kept[game.name]["ratings"])]
    except (LookupError, TypeError) as error:
        raise _damaged(game) from error
    if not found or not all(isinstance(it.player, str) and all(map(is_number, it[1:])) for it in found):
        raise _damaged(game)
    return found


def _damaged(game: Game) -> DamagedFile:
    return DamagedFile(f"'{LADDER_FILE}' is damaged: the ladder of {game.title} cannot be read; install Randori again.")


def ladder(game: Game) -> dict[str, float]:
    """Opponents and their ratings, the weakest first."""
    return {it.player: it.elo for it in rungs(game)}


def climb(
    game: Game,
    player: Player,
    n_games: int,
    seed: tuple[int, int],
    workers: Workers,
    stop: Callable[[], bool],
    on_games: Callable[[int], None] = lambda n: None,
) -> Rating | None:
    """Rates a player by `n_games` against each opponent up to the first that is clearly too strong; None if stopped.

    Depends on the player and the seed alone, not on what earlier ratings were.
    """
    known = ladder(game)
    scores: dict[str, Score] = {}
    chance = int(np.random.SeedSequence(seed).generate_state(1)[0])
    for opponent in known:
        if stop():
            return None
        planned = duel(game, player, players.player(opponent, game), n_games, seed=chance)
        match = play_duels([planned], workers, on_games)[0]
        if not match.complete:
            return None
        scores[opponent] = match.score
        if match.score.mean < CLIMBS_FROM:
            break
    return rate_one(player.name, known, scores)
