"""Rates the opponents of the ladder: `python -m randori.experiments.make_ladder [GAME ...]`."""

import json
import sys
from typing import Any

from randori import games, players
from randori.arena import play_tournament
from randori.core.game import Game
from randori.experiments.ladder import LADDER_FILE
from randori.reading import read_json
from randori.tensorfile import write_whole
from randori.workers import Workers

# Search by the book with every option written out: the scale must not move when the defaults are made stronger.
_UCT = "uct:simulations={},c=1.4,priors=false,rollout=random"
OPPONENTS = ("random", "greedy", "heuristic", *(_UCT.format(simulations) for simulations in (10, 100, 1000)))
GAMES_A_PAIR = 200


def make_ladder(game: Game, n_games: int, seed: int, workers: Workers) -> dict[str, Any]:
    """Ratings of the opponents in a game, from a tournament of all against all."""
    entrants = [players.player(spec, game) for spec in OPPONENTS]
    played = play_tournament(game, entrants, n_games, seed=seed, workers=workers)
    if not played.complete:
        raise KeyboardInterrupt
    # A player's own name leaves out options that are the default.
    specs = {player.name: spec for player, spec in zip(entrants, OPPONENTS, strict=True)}
    ratings = [
        {"player": specs[it.name], "rating": round(it.elo, 1), "interval": [round(it.low, 1), round(it.high, 1)]}
        for it in played.ratings
    ]
    return {"games_a_pair": n_games, "seed": seed, "ratings": ratings}


def main(names: list[str]) -> None:
    """Makes the ladders of these games, or of all, and keeps them."""
    kept = read_json(LADDER_FILE) if LADDER_FILE.exists() else {}
    with Workers() as staff:
        for name in names or games.names():
            kept[name] = make_ladder(games.game(name), GAMES_A_PAIR, 0, staff)
            print(name, *(f"{it['player']} {it['rating']:.0f}" for it in kept[name]["ratings"]), sep="  ")
            write_whole(LADDER_FILE, (json.dumps(kept, indent=1) + "\n").encode())


if __name__ == "__main__":
    main(sys.argv[1:])
