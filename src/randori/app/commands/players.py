"""`randori players`."""

from randori import games
from randori.app.flags import JsonFlag
from randori.app.terminal import print_json
from randori.players import kinds
from randori.players.files import ZOO, Card, read_card


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
    told = f"plays {games.game(card.game).title}, trained by {card.learner}"
    if card.rating is None:
        return told
    return f"{told}; rating {card.rating['elo']:.0f} ({card.rating['low']:.0f} .. {card.rating['high']:.0f})"
