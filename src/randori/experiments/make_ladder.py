"""Rates the opponents of the ladder.

`python -m randori.experiments.make_ladder [GAME ...]` rates the usual ones together, and with them those of `--with`: players
between two rungs that are too far apart to take games from each other. The scale of a game is theirs from then on, so that
further rungs, `make_ladder GAME ... --add PLAYER ...`, leave the others where they are. Games go where they say most, in
rounds of 20, until every rating is known to 60 Elo either way or a rung has had its share of games.
"""

import argparse
import json
import sys
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Any

import numpy as np

from randori import games, players
from randori.arena import Rating, rate, rate_among
from randori.arena.ratings import HOLDS, expected
from randori.arena.scores import Score
from randori.core.game import Game
from randori.experiments.field import NEWCOMER, meet
from randori.experiments.ladder import LADDER_FILE
from randori.players import Player
from randori.reading import read_json
from randori.tensorfile import write_whole
from randori.workers import Workers

# Search by the book with every option written out: the scale must not move when the defaults are made stronger.
_UCT = "uct:simulations={},c=1.4,priors=false,rollout=random"
OPPONENTS = ("random", "greedy", "heuristic", *(_UCT.format(simulations) for simulations in (10, 100, 1000)))
ROUND = 20
"""Games after which the least certain rating is determined again."""
WIDTH = 60.0
"""Elo either way within which a rating counts as known."""
MOST_GAMES = 300
"""The most games of a rung, however uncertain its rating still is, unless another number is given."""
SEED = 0

Pairs = dict[tuple[str, str], Score]


def make_ladder(
    game: Game, specs: tuple[str, ...], workers: Workers, *, most_games: int = MOST_GAMES
) -> dict[str, Any]:
    """Ratings of opponents in a game, all in one fit."""
    pairs: Pairs = {}
    for pair in ((a, b) for i, a in enumerate(specs) for b in specs[i + 1 :]):
        _play(game, pair, pairs, workers)
    while True:
        ratings = rate(pairs, np.random.default_rng(0))
        uncertain = _least_known(ratings, pairs, most_games)
        if uncertain is None:
            n_games = sum(score.games for score in pairs.values())
            return {"games": n_games, "seed": SEED, "ratings": [_row(it.name, it) for it in ratings]}
        _play(game, uncertain, pairs, workers)


def _least_known(ratings: list[Rating], pairs: Pairs, most_games: int) -> tuple[str, str] | None:
    """The neighbours who have met least, at or below the first rating that is too uncertain; None where all are known.

    Whatever is uncertain about a rung is so about all above it: they are known through it.
    """
    order = list(reversed(ratings))
    gaps = [(a, b) for a, b in pairwise(order) if _games_of(pairs, b.name) < most_games]
    for i, it in enumerate(order):
        below = [(a, b) for a, b in gaps if order.index(b) <= i]
        if half_width(it) > WIDTH and below:
            a, b = min(below, key=lambda pair: _met(pairs, pair[0].name, pair[1].name).games)
            return a.name, b.name
    return None


def _play(game: Game, pair: tuple[str, str], pairs: Pairs, workers: Workers) -> None:
    """One more round between two rungs, with games that differ from all earlier ones."""
    first, second = min(pair), max(pair)
    before = _met(pairs, first, second)
    seed = SEED + before.games // ROUND
    score = meet(game, first, players.player(first, game), second, ROUND, seed, workers)
    if score is None:
        raise KeyboardInterrupt
    pairs[first, second] = before + score


def _met(pairs: Pairs, a: str, b: str) -> Score:
    return pairs.get((min(a, b), max(a, b)), Score(0, 0, 0, 0))


def _games_of(pairs: Pairs, name: str) -> int:
    return sum(score.games for pair, score in pairs.items() if name in pair)


def half_width(rating: Rating) -> float:
    return (rating.high - rating.low) / 2


def add_rung(
    game: Game, of_game: dict[str, Any], spec: str, workers: Workers, *, most_games: int = MOST_GAMES
) -> dict[str, Any]:
    """The ladder with one more rung, which is rated by those that are there."""
    others = [it for it in of_game["ratings"] if it["player"] != spec]
    known = {it["player"]: it["rating"] for it in others}
    unheld = {it["player"] for it in others if it["extrapolated"] == "above"}
    rating = place(game, players.player(spec, game), known, unheld, workers, most_games=most_games)
    row = {**_row(spec, rating), "games": rating.games}
    return {**of_game, "ratings": sorted([*others, row], key=lambda it: -it["rating"])}


def place(
    game: Game,
    player: Player,
    known: Mapping[str, float],
    unheld: AbstractSet[str],
    workers: Workers,
    about: float | None = None,
    *,
    width: float = WIDTH,
    most_games: int = MOST_GAMES,
) -> Rating:
    """Rates a newcomer by whichever rung tells most at its present rating, which is at first `about`, or the middle's.

    Those who are `unheld` hold nobody either.
    """
    scores: dict[str, Score] = {}
    elo = float(np.median(list(known.values()))) if about is None else about
    while True:
        spec = _who_tells_most(known, elo, scores)
        before = scores.get(spec, Score(0, 0, 0, 0))
        score = meet(game, NEWCOMER, player, spec, ROUND, SEED + before.games // ROUND, workers)
        if score is None:
            raise KeyboardInterrupt
        scores[spec] = before + score
        pairs = {(NEWCOMER, it): scored for it, scored in scores.items()}
        (rating,) = rate_among(known, pairs, np.random.default_rng(0), at_least=unheld)
        elo = rating.elo
        if half_width(rating) <= width or rating.games >= most_games:
            return rating


def _who_tells_most(known: Mapping[str, float], elo: float, scores: Mapping[str, Score]) -> str:
    """The variance of a game at such a gap. Further games of the same pair say less and less that is new, since no
    rating predicts how all styles meet.
    """
    chances = {spec: float(expected(elo - rating)) for spec, rating in known.items()}
    rounds = {spec: score.games / ROUND for spec, score in scores.items()}
    return max(known, key=lambda it: chances[it] * (1 - chances[it]) / (1 + rounds.get(it, 0) / 2))


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
    """Makes the ladders of these games, or of all that have none, or adds rungs to them, and keeps them."""
    parser = argparse.ArgumentParser(prog="make_ladder")
    parser.add_argument("games", metavar="GAME", nargs="*")
    more = parser.add_mutually_exclusive_group()
    more.add_argument("--add", metavar="PLAYER", nargs="+", help="specs of players, with every option written out")
    more.add_argument(
        "--with", dest="between", metavar="PLAYER", nargs="+", default=[], help="rated with the usual ones"
    )
    parser.add_argument("--most-games", metavar="N", type=int, default=MOST_GAMES, help="for each rung")
    chosen = parser.parse_args(arguments)
    opponents = (*OPPONENTS, *chosen.between)
    with Workers(1) as staff:
        for game in map(games.game, chosen.games or [it for it in games.names() if it not in _read()]):
            if chosen.add is None:
                _keep(game, make_ladder(game, opponents, staff, most_games=chosen.most_games))
            for spec in chosen.add or ():
                _keep(game, add_rung(game, _read()[game.name], spec, staff, most_games=chosen.most_games))


def _read() -> dict[str, Any]:
    kept: dict[str, Any] = read_json(LADDER_FILE) if LADDER_FILE.exists() else {}
    return kept


def _keep(game: Game, of_game: dict[str, Any]) -> None:
    lines = (f"{it['player']} {it['rating']:.0f} {it['interval']}" for it in of_game["ratings"])
    print(game.name, *lines, sep="\n  ", flush=True)
    write_whole(LADDER_FILE, (json.dumps({**_read(), game.name: of_game}, indent=1) + "\n").encode())


if __name__ == "__main__":
    main(sys.argv[1:])
