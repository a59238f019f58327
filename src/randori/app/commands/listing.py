"""`randori games` and `randori players`."""

from randori import games as table_of_games
from randori.app.flags import JsonFlag
from randori.app.terminal import print_json, print_table
from randori.players import kinds
from randori.players.files import ZOO, Card, read_card


def games(json: JsonFlag = False) -> None:
    """The games there are."""
    listed = [table_of_games.game(name) for name in table_of_games.names()]
    if json:
        keys = ("name", "title", "shape", "n_actions", "max_plies")
        print_json({"games": [{key: getattr(it, key) for key in keys} for it in listed]})
        return
    rows = [
        [it.name, it.title, f"{it.shape[0]} x {it.shape[1]}", str(it.n_actions), str(it.max_plies)] for it in listed
    ]
    print_table(["game", "", "board", "actions", "plies at most"], rows)


def players(json: JsonFlag = False) -> None:
    """The players there are: kinds with the options they take, and the trained ones of the zoo."""
    listed = {kind.spec(): kind.summary for kind in kinds().values()}
    cards = {f"zoo/{path.stem}": read_card(path) for path in sorted(ZOO.glob("*.safetensors"))}
    listed |= {spec: _card_in_words(card) for spec, card in cards.items()}
    if json:
        facts = {spec: {"game": it.game, "learner": it.learner, "rating": it.rating} for spec, it in cards.items()}
        rows = [{"spec": spec, "summary": summary, **facts.get(spec, {})} for spec, summary in listed.items()]
        print_json({"players": rows})
        return
    for spec, summary in listed.items():
        print(f"{spec}\n    {summary}")


def _card_in_words(card: Card) -> str:
    told = f"plays {table_of_games.game(card.game).title}, trained by {card.learner}"
    if card.rating is None:
        return told
    return f"{told}; rating {card.rating['elo']:.0f} ({card.rating['low']:.0f} .. {card.rating['high']:.0f})"
