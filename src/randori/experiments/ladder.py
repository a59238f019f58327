"""The ladder: opponents of known rating that every player in training is measured by.

`python -m randori.experiments.ladder [GAME ...]` rates the opponents by a tournament and keeps the ratings in
`ladder.json`, so that ratings of different runs, learners and days are on one scale.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from randori import games, players
from randori.arena import Rating, duel, play_duels, play_tournament, rate_one
from randori.arena.scores import Score
from randori.game import Game
from randori.players import Player
from randori.tensorfile import write_whole
from randori.workers import Workers

LADDER_FILE = Path(__file__).with_name("ladder.json")
OPPONENTS = ("random", "greedy", "heuristic", "uct:simulations=10", "uct:simulations=100", "uct:simulations=1000")

# Below this score the next opponent would only be further out of reach.
CLIMBS_FROM = 0.25


def ladder(game: Game) -> dict[str, float]:
    """Opponents and their ratings, the weakest first; `random` alone for a game that nobody has made a ladder for."""
    kept = json.loads(LADDER_FILE.read_text(encoding="utf-8")) if LADDER_FILE.exists() else {}
    if game.name not in kept:
        return {"random": 0.0}
    return {it["player"]: it["rating"] for it in reversed(kept[game.name]["ratings"])}


def climb(
    game: Game, player: Player, n_games: int, seed: tuple[int, int], workers: Workers, stop: Callable[[], bool]
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
        match = play_duels([planned], workers)[0]
        if not match.complete:
            return None
        scores[opponent] = match.score
        if match.score.mean < CLIMBS_FROM:
            break
    return rate_one(player.name, known, scores)


def make_ladder(game: Game, n_games: int, seed: int, workers: Workers) -> dict[str, Any]:
    """Ratings of the opponents in a game, from a tournament of all against all."""
    entrants = {players.player(spec, game): spec for spec in OPPONENTS}
    played = play_tournament(game, list(entrants), n_games, seed=seed, workers=workers)
    # A player's own name leaves out what is the default, which may be another one day.
    specs = {player.name: spec for player, spec in entrants.items()}
    ratings = [
        {"player": specs[it.name], "rating": round(it.elo, 1), "interval": [round(it.low, 1), round(it.high, 1)]}
        for it in played.ratings
    ]
    return {"games_a_pair": n_games, "seed": seed, "ratings": ratings}


def main(names: list[str], n_games: int = 200, seed: int = 0) -> None:
    """Makes the ladders of these games, or of all, and keeps them."""
    kept = json.loads(LADDER_FILE.read_text(encoding="utf-8")) if LADDER_FILE.exists() else {}
    with Workers() as staff:
        for name in names or games.names():
            kept[name] = make_ladder(games.game(name), n_games, seed, staff)
            print(name, *(f"{it['player']} {it['rating']:.0f}" for it in kept[name]["ratings"]), sep="  ")
            write_whole(LADDER_FILE, (json.dumps(kept, indent=1) + "\n").encode())


if __name__ == "__main__":
    main(sys.argv[1:])
