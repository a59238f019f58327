"""The table of games: one file a game, one line here."""

import copyreg
from collections.abc import Callable
from functools import cache, partial

from randori.errors import UserError, suggest
from randori.game import Game
from randori.games.connect4 import connect4
from randori.games.gomoku import gomoku
from randori.games.othello import othello
from randori.games.tictactoe import tictactoe

__all__ = ["game", "names"]

_GAMES: dict[str, Callable[[], Game]] = {
    "tictactoe": tictactoe,
    "connect4": connect4,
    "othello4": partial(othello, 4),
    "othello6": partial(othello, 6),
    "othello8": partial(othello, 8),
    "gomoku9": partial(gomoku, 9),
    "gomoku13": partial(gomoku, 13),
    "gomoku15": partial(gomoku, 15),
    "gomoku19": partial(gomoku, 19),
    "gomoku20": partial(gomoku, 20),
}


def names() -> list[str]:
    return list(_GAMES)


@cache
def game(name: str) -> Game:
    """The game of this name, one object a process; its rules are compiled when they are first needed."""
    if name not in _GAMES:
        raise UserError(f"There is no game '{name}'.{suggest(name, _GAMES)}")
    return _GAMES[name]()


# Compiled rules are addresses in this process: a game travels to another process by its name.
copyreg.pickle(Game, lambda it: (game, (it.name,)))
