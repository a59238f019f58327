"""The games: one room each. Others are registered from a script, or by an installed package (`randori.games`)."""

import copyreg
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cache, partial
from typing import Any

from randori.core.game import Family, Game
from randori.errors import UserError
from randori.registry import Registry, load, travels_as

__all__ = ["REGISTRY", "families", "family_board", "game", "names"]

Source = Callable[[], Game]


def _made(place: str, *size: int) -> Game:
    made: Game = load(place)(*size)
    return made


_OWN: dict[str, Source] = {
    "tictactoe": partial(_made, "randori.games.tictactoe:tictactoe"),
    "connect4": partial(_made, "randori.games.connect4:connect4"),
    **{f"othello{size}": partial(_made, "randori.games.othello:othello", size) for size in (4, 6, 8)},
    **{f"gomoku{size}": partial(_made, "randori.games.gomoku:gomoku", size) for size in (9, 13, 15, 19, 20)},
    **{f"hex{size}": partial(_made, "randori.games.hex:hex_game", size) for size in (5, 7, 9, 11)},
}


def _taken(handed: Any) -> Iterable[tuple[str, Source]]:
    """A game, a function that makes one, or several of them."""
    if isinstance(handed, list | tuple):
        for it in handed:
            yield from _taken(it)
        return
    made = handed() if callable(handed) else handed
    if not isinstance(made, Game):
        raise UserError(f"A game is a randori.Game, or a function that returns one, not {made!r:.80}.")
    yield made.name, lambda: made


REGISTRY: Registry[Source] = Registry("game", "randori.games", _taken)
# A room is imported and its rules are made when somebody first asks for the game, once per process.
REGISTRY.add_own({name: cache(source) for name, source in _OWN.items()})


def names() -> list[str]:
    return list(REGISTRY.all())


def game(name: str) -> Game:
    """The game of this name, one object a process; its rules are compiled when they are first needed."""
    try:
        return REGISTRY.find(name)()
    except UserError:
        boards = [it for it in names() if name in (family := game(it).family).aliases or name == family.name]
        if not boards:
            raise
        raise UserError(f"Write the game '{name}' as {' or '.join(boards)}.") from None


def families() -> dict[str, Family]:
    """The games whatever the size of their boards, by name."""
    found = (game(name).family for name in names())
    return {it.name: it for it in found}


def family_board(family: str, size: int) -> Game | None:
    """The game of a family on a board of so many rows; None where there is none."""
    boards = (it for it in map(game, names()) if it.family.name == family)
    return next((it for it in boards if it.shape[0] == size), None)


def _packed(source: Source) -> dict[str, Any]:
    made = source()
    return {it.name: getattr(made, it.name) for it in fields(made)}


def _unpacked(packed: dict[str, Any]) -> Source:
    made = Game(**packed)
    return lambda: made


# Compiled rules are addresses in this process: a game travels to another process by its name, and one that others have
# registered goes ahead of it as what it was made of.
copyreg.pickle(Game, lambda it: (game, (it.name,)))
travels_as("randori.games", _packed, _unpacked)
