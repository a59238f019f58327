"""The games: one room each. Others are registered from a script, or by an installed package (`randori.games`)."""

import json
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from randori.errors import UserError
from randori.registry import Registry, load, travels_as

if TYPE_CHECKING:
    from randori.core.game import Family, Game

__all__ = ["LISTED", "REGISTRY", "facts", "families", "family_board", "game", "listed", "names"]

Source = Callable[[], "Game"]

LISTED = Path(__file__).parent / "listed.json"
"""What lists say of the package's own games, as `python -m randori.games.make_list` writes it from the games themselves: a
room is imported together with the compiler, which takes longer than to print the list."""


def _load_game(place: str, *size: int) -> "Game":
    loaded: Game = load(place)(*size)
    return loaded


_OWN: dict[str, Source] = {
    "tictactoe": partial(_load_game, "randori.games.tictactoe:tictactoe"),
    "connect4": partial(_load_game, "randori.games.connect4:connect4"),
    **{f"othello{size}": partial(_load_game, "randori.games.othello:othello", size) for size in (4, 6, 8)},
    **{f"gomoku{size}": partial(_load_game, "randori.games.gomoku:gomoku", size) for size in (9, 13, 15, 19, 20)},
    **{f"hex{size}": partial(_load_game, "randori.games.hex:hex_game", size) for size in (5, 7, 9, 11)},
}


def _named_games(offered: Any) -> Iterable[tuple[str, Source]]:
    """A game, a function that makes one, or several of them."""
    if isinstance(offered, list | tuple):
        for it in offered:
            yield from _named_games(it)
        return
    from randori.core.game import Game

    candidate = offered() if callable(offered) else offered
    if not isinstance(candidate, Game):
        raise UserError(f"A game is a randori.Game, or a function that returns one, not {candidate!r:.80}.")
    yield candidate.name, lambda: candidate


REGISTRY: Registry[Source] = Registry("game", "randori.games", _named_games)
# A room is imported and its rules are made when somebody first asks for the game, once per process.
REGISTRY.add_own({name: cache(source) for name, source in _OWN.items()})


def names() -> list[str]:
    return list(REGISTRY.all())


def listed() -> list[dict[str, Any]]:
    """The `facts` of every game, in the order of the names."""
    own = {it["name"]: it for it in json.loads(LISTED.read_text(encoding="utf-8"))}
    return [own[name] if name in own else facts(game(name)) for name in names()]


def facts(game: "Game") -> dict[str, Any]:
    """What a list says of a game."""
    values = {key: getattr(game, key) for key in ("name", "title", "shape", "n_actions", "max_plies")}
    return {**values, "shape": list(game.shape)}


def game(name: str) -> "Game":
    """The game of this name, one object a process; its rules are compiled when they are first needed."""
    try:
        return REGISTRY.find(name)()
    except UserError:
        boards = [it for it in names() if name in (family := game(it).family).aliases or name == family.name]
        if not boards:
            raise
        raise UserError(f"Write the game '{name}' as {' or '.join(boards)}.") from None


def families() -> dict[str, "Family"]:
    """The games whatever the size of their boards, by name."""
    found = (game(name).family for name in names())
    return {it.name: it for it in found}


def family_board(family: str, size: int) -> "Game | None":
    """The game of a family on a board of so many rows; None where there is none."""
    boards = (it for it in map(game, names()) if it.family.name == family)
    return next((it for it in boards if it.shape[0] == size), None)


def _packed(source: Source) -> dict[str, Any]:
    built = source()
    return {it.name: getattr(built, it.name) for it in fields(built)}


def _unpacked(packed: dict[str, Any]) -> Source:
    from randori.core.game import Game

    built = Game(**packed)
    return lambda: built


travels_as("randori.games", _packed, _unpacked)
