"""`randori check-game`."""

import sys
from typing import Annotated

import numpy as np
from tyro.conf import Positional, arg

from randori.app.flags import Count, JsonFlag, SeedFlag, with_games
from randori.app.terminal import print_json
from randori.core.laws import LAWS
from randori.core.positions import positions_of_random_games
from randori.games import game as game_named


def check_game(
    name: Annotated[str, Positional, arg(metavar="GAME", help=with_games("One of"))],
    games: Count = 200,
    seed: SeedFlag = 0,
    json: JsonFlag = False,
) -> None:
    """Checks that a game keeps the laws that everything builds on, on the positions of random games.

    Args:
        games: How many random games to take positions from.
    """
    game = game_named(name)
    states = positions_of_random_games(game, games, np.random.default_rng(seed))
    broken: dict[str, str] = {}
    for law in LAWS:
        try:
            law(game, states)
        except (AssertionError, ValueError) as error:
            broken[law.__name__] = str(error)
    if json:
        print_json({"game": name, "positions": len(states), "laws": len(LAWS), "broken": broken})
    else:
        print(f"{game.title}, {len(states)} positions of {games} random games:")
        for law in LAWS:
            verdict = f"BROKEN: {broken[law.__name__]}" if law.__name__ in broken else "kept"
            print(f"  {law.__name__.replace('_', ' '):26} {verdict}")
    if broken:
        sys.exit(1)
