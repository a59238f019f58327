"""`randori card`."""

from collections.abc import Mapping
from typing import Annotated, Any

from tyro.conf import Positional, arg

from randori.app.flags import JsonFlag, WorkersFlag
from randori.app.terminal import print_json, progress
from randori.errors import UserError
from randori.experiments.gauge import TIMES_AS_MANY, strength_of
from randori.experiments.ladder import climb, rungs
from randori.experiments.recipe import Recipe
from randori.games import game as game_named
from randori.players.files import copy_player, find_file, load_player, read_card
from randori.workers import Workers

SeedAgain = Annotated[
    int | None,
    arg(metavar="S", help="Where chance comes from. (default: as for the rating on the card)", help_behavior_hint=""),
]


def card(
    player: Annotated[str, Positional, arg(metavar="PLAYER")],
    games: int = TIMES_AS_MANY * Recipe.evaluate_games,
    seed: SeedAgain = None,
    write: bool = False,
    workers: WorkersFlag = None,
    json: JsonFlag = False,
) -> None:
    """Measures a trained player again, beside the rating on its card.

    It climbs the ladder of its game as at the end of its training: the same games and seed give the same figures.

    Args:
        player: `zoo/NAME`, the folder of a run, or a player file.
        games: Games against each opponent.
        write: Put the new rating on the card.
    """
    if games < 1:
        raise UserError(f"It takes 1 game or more, not {games}.")
    path = find_file(player)
    told = read_card(path)
    rules = game_named(told.game)
    chance = (told.training.get("seed", 0) if seed is None else seed, told.training.get("rounds", 0))
    with Workers(workers) as staff, progress(games * len(rungs(rules)), "games") as advance:
        rating = climb(rules, load_player(path, rules, name=player), games, chance, staff, lambda: False, advance)
    if rating is None:
        raise KeyboardInterrupt
    measured = strength_of(rating)
    if write:
        copy_player(path, path, training={}, rating=measured)
    if json:
        figures = {"player": player, "game": told.game, "learner": told.learner, "games": games, "seed": chance[0]}
        print_json({**figures, "card": told.rating, "measured": measured, "written": write})
        return
    print(f"{player}, {rules.title}, trained by {told.learner} in {told.training.get('games', 0):,} games:")
    print(f"  on its card  {_in_words(told.rating)}")
    print(f"  measured     {_in_words(measured)}")
    if write:
        print(f"The new rating is on the card now ({path}).")


def _in_words(rating: Mapping[str, Any] | None) -> str:
    if rating is None:
        return "no rating"
    return f"{rating['elo']:.1f} ({rating['low']:.1f} .. {rating['high']:.1f}), {rating.get('games', '?')} games"
