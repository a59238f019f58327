"""The rules of a game in words, with a picture: a short game of the game's own, on a small board."""

from functools import reduce
from typing import Any

from randori.app.page.board import BoardElement, view_of
from randori.app.page.parts import box, text
from randori.app.service.room import PERSON, Room
from randori.core.game import Game
from randori.core.game_so_far import GameSoFar


def example(game: Game) -> dict[str, Any]:
    """The board of the picture. Rules may have to compile first."""
    rules = game.knowledge.how_to_play
    start = Room(f"how-to-{game.name}", 0, GameSoFar(game), (PERSON, PERSON))
    return view_of(reduce(Room.after, rules.example if rules is not None else (), start))


def how_to_play(game: Game, view: dict[str, Any]) -> None:
    """Shows the rules, with the `example` of the game; nothing if the game does not explain itself."""
    rules = game.knowledge.how_to_play
    if rules is None:
        return
    with box("section", "how-to", aria_label=f"How to play {game.title}"):
        with box("figure"):
            board = BoardElement().classes("small").props("tabindex=-1")
            board.props.update({"view": view, "playable": False})
            text("figcaption", rules.caption, "note")
        with box("ul"):
            for sentence in rules.sentences:
                text("li", sentence)
