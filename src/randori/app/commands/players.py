"""`randori players`."""

from typing import Any

from randori import games
from randori.app.flags import JsonFlag
from randori.app.terminal import print_json
from randori.arena import in_words
from randori.errors import UserError, warn
from randori.players import PlayerKind, kinds
from randori.players.files import ZOO, Card, read_card


def players(json: JsonFlag = False) -> None:
    """The players there are: kinds with the options they take, and the trained ones of the zoo."""
    listed = [_kind_in_words(it) for it in kinds().values()]
    for path in sorted(ZOO.glob("*.safetensors")):
        try:
            listed.append(_card_in_words(f"zoo/{path.stem}", read_card(path)))
        except UserError as error:
            warn(f"zoo/{path.stem} is left out: {error}")
    if json:
        print_json({"players": listed})
        return
    for it in listed:
        also = f"; also takes {', '.join(it['also_takes'])}" if it.get("also_takes") else ""
        print(f"{it['spec']}\n    {it['summary']}{also}")


def _kind_in_words(kind: PlayerKind) -> dict[str, Any]:
    also = kind.options_not_given()
    return {"spec": kind.spec(), "summary": kind.summary, **({"also_takes": also} if also else {})}


def _card_in_words(spec: str, card: Card) -> dict[str, Any]:
    told = f"plays {games.game(card.game).title}, trained by {card.learner}"
    if card.rating is not None:
        told += f"; rating {in_words(card.rating)}"
    return {"spec": spec, "summary": told, "game": card.game, "learner": card.learner, "rating": card.rating}
