"""Rates the opponents of the ladder.

`python -m randori.experiments.make_ladder [GAME ...]` lets them all play each other. The scale of a game is theirs from
then on, so that a further rung, `make_ladder GAME ... --add PLAYER`, leaves the others where they are.
"""

import argparse
import json
import sys
from typing import Any

from randori import games, players
from randori.arena import Rating, play_tournament
from randori.arena.ratings import HOLDS, expected
from randori.core.game import Game
from randori.experiments.field import measure
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
    return {"games_a_pair": n_games, "seed": seed, "ratings": [_row(specs[it.name], it) for it in played.ratings]}


def add_rung(game: Game, of_game: dict[str, Any], spec: str, workers: Workers) -> dict[str, Any]:
    """The ladder with one rung more, which is rated by the field as any newcomer is."""
    found = measure(game, players.player(spec, game), of_game["games_a_pair"], of_game["seed"], workers)
    if found is None:
        raise KeyboardInterrupt
    others = [it for it in of_game["ratings"] if it["player"] != spec]
    rows = sorted([*others, _row(spec, found.rating)], key=lambda it: -it["rating"])
    return {**of_game, "ratings": rows}


def _row(spec: str, rating: Rating) -> dict[str, Any]:
    # All won or lost within the ladder: the interval then reaches so far that the player might be out of its own reach.
    nobody_holds = expected(rating.elo - rating.high) < HOLDS
    return {
        "player": spec,
        "rating": round(rating.elo, 1),
        "interval": [round(rating.low, 1), round(rating.high, 1)],
        "extrapolated": "above" if nobody_holds else rating.extrapolated,
    }


def main(arguments: list[str]) -> None:
    """Makes the ladders of these games, or of all, or adds a rung to them, and keeps them."""
    parser = argparse.ArgumentParser(prog="make_ladder")
    parser.add_argument("games", metavar="GAME", nargs="*")
    parser.add_argument("--add", metavar="PLAYER", help="the spec of a player, with every option written out")
    chosen = parser.parse_args(arguments)
    kept = read_json(LADDER_FILE) if LADDER_FILE.exists() else {}
    with Workers() as staff:
        for name in chosen.games or games.names():
            game = games.game(name)
            if chosen.add is None:
                kept[name] = make_ladder(game, GAMES_A_PAIR, 0, staff)
            else:
                kept[name] = add_rung(game, kept[name], chosen.add, staff)
            print(name, *(f"{it['player']} {it['rating']:.0f}" for it in kept[name]["ratings"]), sep="  ")
            write_whole(LADDER_FILE, (json.dumps(kept, indent=1) + "\n").encode())


if __name__ == "__main__":
    main(sys.argv[1:])
