"""`randori players`."""

from collections import defaultdict
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import arg

from randori import games
from randori.app.flags import JsonFlag, with_games
from randori.app.service.menu import RUNS, Menu, is_partner
from randori.app.terminal import print_json, print_next
from randori.arena import in_words
from randori.arena.ratings import at_bound
from randori.core.game import Game
from randori.errors import UserError, warn
from randori.experiments.ladder import rungs
from randori.players import PlayerKind, kinds
from randori.players.files import ZOO, Card, read_card

OneGameFlag = Annotated[
    str | None,
    arg(metavar="GAME", help=with_games("Only players of this game, with ratings"), help_behavior_hint=""),
]


def players(game: OneGameFlag = None, json: JsonFlag = False) -> None:
    """Lists the kinds of players with their options, and the trained players of each game, the strongest first.

    With --game it lists everybody who can play that game, your own runs included, with Elo ratings (`random` is 0).
    """
    if game is not None:
        _list_for(games.game(game), json)
        return
    trained = _zoo()
    if json:
        listed = [_kind_in_words(it) for it in kinds().values()]
        print_json({"players": listed + [_card_in_words(spec, card) for spec, card in trained.items()]})
        return
    for it in map(_kind_in_words, kinds().values()):
        also = f"; also takes {', '.join(it['also_takes'])}" if it.get("also_takes") else ""
        print(f"{it['spec']}\n    {it['summary']}{also}")
    by_game: dict[str, dict[str, Card]] = defaultdict(dict)
    for spec, card in trained.items():
        by_game[card.game][spec] = card
    for name in sorted(by_game, key=games.names().index):
        print(f"\n{games.game(name).title}, trained players:")
        for spec, card in sorted(by_game[name].items(), key=lambda it: _elo(it[1].rating), reverse=True):
            print(f"{spec}\n    {_origin(card)}")
    print("\n`randori players --game GAME` lists everybody who can play a game, the strongest first.")


def _zoo() -> dict[str, Card]:
    """The cards of the zoo's players; a damaged one, or one for an unknown game, is named and left out."""
    found = {}
    for path in sorted(ZOO.glob("*.safetensors")):
        try:
            card = read_card(path)
            games.game(card.game)
            found[f"zoo/{path.stem}"] = card
        except UserError as error:
            warn(f"zoo/{path.stem} is left out: {error}")
    return found


def _list_for(game: Game, json: bool) -> None:
    """The players that the page offers, and the other rungs of the ladder."""
    found: list[dict[str, Any]] = []
    for entry in Menu(Path(RUNS)).entries(game).values():
        if not is_partner(entry.spec):
            rating = None if entry.strength is None else entry.strength._asdict()
            learner = None if entry.card is None else entry.card.learner
            found.append({"spec": entry.spec, "summary": entry.summary, "learner": learner, "rating": rating})
    listed = {it["spec"] for it in found}
    for spec, *figures in rungs(game):
        if spec not in listed:
            rating = dict(zip(("elo", "low", "high", "extrapolated"), figures, strict=True))
            found.append({"spec": spec, "summary": "a rung of the ladder", "learner": None, "rating": rating})
    found.sort(key=lambda it: _elo(it["rating"]), reverse=True)
    if json:
        print_json({"game": game.name, "players": found})
        return
    print(f"{game.title}, the strongest first: rating with its 95% interval (`random` is 0)")
    for it in found:
        print(f"{_figures(it['rating'])}  {it['spec']}")
    print(
        "`randori players` lists every kind of player with its options: other settings, other programs, the companion."
    )
    best = [it["spec"] for it in found[:2]]
    print_next(["randori", "match", *best, "--game", game.name])


def _figures(rating: dict[str, Any] | None) -> str:
    if rating is None:
        return f"{'not measured':>28}"
    figure = at_bound(f"{rating['elo']:.0f}", rating["extrapolated"])
    return f"{figure:>13}  {rating['low']:4.0f} .. {rating['high']:4.0f}".ljust(28)


def _elo(rating: Any) -> float:
    return float("-inf") if rating is None else float(rating["elo"])


def _kind_in_words(kind: PlayerKind) -> dict[str, Any]:
    also = kind.options_not_given()
    return {"spec": kind.spec(), "summary": kind.summary, **({"also_takes": also} if also else {})}


def _card_in_words(spec: str, card: Card) -> dict[str, Any]:
    summary = f"plays {games.game(card.game).title}, {_origin(card)}"
    return {"spec": spec, "summary": summary, "game": card.game, "learner": card.learner, "rating": card.rating}


def _origin(card: Card) -> str:
    origin = f"trained by {card.learner}"
    return origin if card.rating is None else f"{origin}; rating {in_words(card.rating)}"
