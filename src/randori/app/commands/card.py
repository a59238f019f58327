"""`randori card`."""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from tyro.conf import arg

from randori.app.flags import JsonFlag, RayFlag, Switch, TrainedFlag, WorkersFlag
from randori.app.terminal import percent, print_json, print_next, print_table, progress
from randori.arena import in_words
from randori.errors import UserError
from randori.experiments.field import field, measure, measure_again, most_opponents
from randori.experiments.gauge import TIMES_AS_MANY, opponents_on, seed_of, strength_of
from randori.experiments.recipe import Recipe
from randori.games import game as game_named
from randori.players.files import copy_player, find_file, load_player, read_card
from randori.workers import Workers

GAMES = TIMES_AS_MANY * Recipe.evaluate_games

SeedAgain = Annotated[
    int | None,
    arg(metavar="S", help="Random seed. (default: as for the rating on the card)", help_behavior_hint=""),
]
GamesAgain = Annotated[
    int | None,
    arg(
        metavar="N",
        help=f"Games against each opponent. (default: as for the rating on the card, else {GAMES})",
        help_behavior_hint="",
    ),
]


def card(
    player: TrainedFlag,
    games: GamesAgain = None,
    seed: SeedAgain = None,
    write: Switch = False,
    workers: WorkersFlag = None,
    ray: RayFlag = None,
    json: JsonFlag = False,
) -> None:
    """Measures a trained player again and shows the result beside the rating on its card.

    It plays the opponents on its card again: the same games give the same figures. With `--games` or `--seed`, or if the
    card names no opponents, it plays new games against its field, up to the next weaker and the next stronger player.

    Args:
        write: Put the new rating on the card.
    """
    if games is not None and games < 1:
        raise UserError(f"--games must be 1 or more, not {games}.")
    path = find_file(player)
    card = read_card(path)
    rules = game_named(card.game)
    ours = load_player(path, rules, name=player)
    order = field(rules).order()
    again = _on_card(card.rating, order) if games is None and seed is None else None
    from_seed = card.training.get("seed", 0) if seed is None else seed
    with Workers(workers, ray=ray) as staff:
        if again is not None:
            with progress(sum(again.games.values()), "games", f"rating {player} again") as advance:
                found = measure_again(rules, ours, again.games, again.seed, staff, advance)
        else:
            chance = seed_of(from_seed, card.training.get("rounds", 0))
            n_games = GAMES if games is None else games
            with progress(n_games * most_opponents(len(order)), "games at most", f"rating {player}") as advance:
                found = measure(rules, ours, n_games, chance, staff, on_games=advance)
    if found is None:
        raise KeyboardInterrupt
    measured = strength_of(found)
    if write:
        copy_player(path, path, training={}, rating=measured)
    if json:
        figures = {"player": player, "game": card.game, "learner": card.learner, "games": games, "seed": from_seed}
        print_json({**figures, "card": card.rating, "measured": measured, "written": write})
        return
    print(f"{player}, {rules.title}, trained by {card.learner} in {card.training.get('games', 0):,} games:")
    print(f"  on its card  {_in_words(card.rating)}")
    print(f"  measured     {_in_words(measured)}")
    met = sorted(found.scores.items(), key=lambda it: order.index(it[0]), reverse=True)
    rows = [[opponent, f"{it.games}", percent(it.mean)] for opponent, it in met]
    print_table(["opponents, the strongest first", "games", "score"], rows)
    if write:
        print(f"The new rating is on the card now ({path}).")
    print_next(["randori", "play", "--terminal", "--opponent", player])


class _OnCard(NamedTuple):
    """The opponents on a card, the games with each, and their seed."""

    games: dict[str, int]
    seed: int


def _on_card(rating: Mapping[str, Any] | None, order: list[str]) -> _OnCard | None:
    """None if the card says too little, as those of earlier versions do, or names somebody no longer in the field."""
    figures = rating or {}
    games = {it["player"]: it["wins"] + it["draws"] + it["losses"] for it in opponents_on(figures)}
    seed = figures.get("seed")
    return _OnCard(games, seed) if games and games.keys() <= set(order) and type(seed) is int else None


def _in_words(rating: Mapping[str, Any] | None) -> str:
    return "no rating" if rating is None else f"{in_words(rating)}, {rating.get('games', '?')} games"
