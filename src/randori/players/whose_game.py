"""Which game a few players are asked to play: the cards of trained ones name theirs."""

from collections.abc import Iterable

from randori import games
from randori.core.game import Game
from randori.errors import UserError
from randori.players.files import find_file, names_file, read_card, split_spec

__all__ = ["game_for"]


def game_for(specs: Iterable[str], named: str | None = None) -> Game:
    """The game of this name; without one, the game that the trained players among `specs` were trained for.

    Raises UserError where nobody names a game, or where their games differ.
    """
    if named is not None:
        return games.game(named)
    trained = {spec: read_card(find_file(split_spec(spec)[0])).game for spec in specs if names_file(spec)}
    if not trained:
        raise UserError(f"Choose a game with --game: {', '.join(games.names())}.")
    (first, found), *others = trained.items()
    for spec, other in others:
        if other != found:
            raise UserError(f"'{first}' plays {found}, but '{spec}' plays {other}; choose players of one game.")
    return games.game(found)
