"""Measures the companion's dial: `python -m randori.experiments.make_companion GAME ...`.

Each setting plays the rungs of the ladder nearest to its strength. Then each rung plays the setting nearest to its own,
as a person would, and its moves are judged, so that a person's can be compared with them.
"""

import json
import sys
from typing import Any

import numpy as np

from randori import games, players
from randori.arena import duel, play_duels, play_games, rate_one
from randori.core.game import Game
from randori.experiments.ladder import ladder
from randori.players import Player
from randori.players.companion import Weakened
from randori.players.companion.dial import DIAL_FILE, SETTINGS, Setting, rising
from randori.players.companion.losses import SIMULATIONS, judge
from randori.reading import read_json
from randori.tensorfile import write_whole
from randori.workers import Workers

GAMES_A_PAIR, GAMES_OF_DEEP_SEARCH = 50, 20
DEEP = 250  # simulations beyond which a mark gets fewer games
OPPONENTS = 2
JUDGED_GAMES = 20


def make_dial(game: Game, seed: int, workers: Workers) -> dict[str, Any]:
    """Ratings of the settings and losses of the rungs."""
    # The weakest setting is the random player itself.
    settings: list[dict[str, Any]] = [{**SETTINGS[0]._asdict(), "rating": 0.0, "interval": [0.0, 0.0], "games": 0}]
    for setting in SETTINGS[1:]:
        settings.append(_measure(game, setting, settings[-1]["rating"], seed, workers))
        print(game.name, settings[-1], flush=True)
    elos = rising([it["rating"] for it in settings])
    losses = []
    for spec, elo in ladder(game).items():
        nearest = SETTINGS[int(np.argmin(np.abs(np.array(elos) - elo)))]
        lost = _losses(game, players.player(spec, game), Weakened(game, nearest), seed)
        losses.append(
            {
                "player": spec,
                "rating": elo,
                "loss": round(float(lost.mean()), 4),
                "deviation": round(float(lost.std()), 4),
            }
        )
        print(game.name, losses[-1], flush=True)
    return {"settings": settings, "losses": losses, "judge_simulations": SIMULATIONS, "seed": seed}


def _measure(game: Game, setting: Setting, about: float, seed: int, workers: Workers) -> dict[str, Any]:
    """The rating of a setting, measured by the rungs nearest to a rating."""
    known = ladder(game)
    nearest = sorted(known, key=lambda spec: abs(known[spec] - about))[:OPPONENTS]
    weakened = Weakened(game, setting)
    n_games = GAMES_A_PAIR if setting.simulations <= DEEP else GAMES_OF_DEEP_SEARCH
    duels = [duel(game, weakened, players.player(spec, game), n_games, seed=seed) for spec in nearest]
    matches = play_duels(duels, workers)
    if not all(match.complete for match in matches):
        raise KeyboardInterrupt
    scores = {spec: match.by_rules for spec, match in zip(nearest, matches, strict=True)}
    rating = rate_one(weakened.name, known, scores)
    interval = [round(rating.low, 1), round(rating.high, 1)]
    return {**setting._asdict(), "rating": round(rating.elo, 1), "interval": interval, "games": rating.games}


def _losses(game: Game, rung: Player, partner: Player, seed: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """What a player lost by its moves in games from the first position, the mean of each game."""
    rng = np.random.default_rng(seed)
    openings = np.empty((JUDGED_GAMES // 2, 0), np.int16)
    found = []
    for seat, sides in enumerate([(rung, partner), (partner, rung)]):
        for actions in play_games(game, *sides, openings, rng).actions:
            found.append(judge(game, [int(it) for it in actions if it >= 0], seat).loss)
    return np.array(found)


def main(names: list[str]) -> None:
    """Measures the dials of these games, or of all, and keeps them."""
    with Workers(1) as staff:
        for name in names or games.names():
            found = make_dial(games.game(name), 0, staff)
            kept = read_json(DIAL_FILE) if DIAL_FILE.exists() else {}
            kept[name] = found
            write_whole(DIAL_FILE, (json.dumps(kept, indent=1) + "\n").encode())


if __name__ == "__main__":
    main(sys.argv[1:])
