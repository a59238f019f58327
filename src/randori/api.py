"""The package's functions for everyday use, with names instead of objects where that is shorter."""

from collections.abc import Sequence
from pathlib import Path

from randori import arena, formats, games, methods, players
from randori.arena.match import Seats
from randori.core.game import Game
from randori.core.player import Player
from randori.errors import UserError
from randori.methods import Method
from randori.players import PlayerKind
from randori.workers import Workers


def register(*things: Game | PlayerKind | Method) -> None:
    """Makes games, players and methods known by their names: to every function and command, to workers and the page.

    What is registered again under its name takes the place of what was; names of the package itself are taken.
    """
    for it in things:
        if isinstance(it, Game):
            games.REGISTRY.register(it)
        elif isinstance(it, PlayerKind):
            players.REGISTRY.register(it)
        elif isinstance(it, Method):
            methods.REGISTRY.register(it)
        else:
            raise UserError(f"Register a randori.Game, PlayerKind or Method, not {it!r:.80}.")


def player(spec: str, game: Game | str) -> Player:
    """The player that a spec such as `uct:simulations=1000` names, for a game."""
    return players.player(spec, games.game(game) if isinstance(game, str) else game)


def match(
    first: Player | str,
    second: Player | str,
    game: Game | str,
    n_games: int = 100,
    *,
    seed: int = 0,
    opening_plies: int | None = None,
    book: Path | str | Sequence[str] | None = None,
    seats: Seats = "alternate",
    workers: int | None = 1,
) -> arena.Match:
    """Plays a match from paired openings; `workers=None` uses more processes when it takes long.

    Openings are random, or lines of a book, the path of a file of records or a list of transcripts: each line once
    before any comes twice, whole or, with `opening_plies`, only so much of it.
    """
    rules = games.game(game) if isinstance(game, str) else game
    first, second = (player(it, rules) if isinstance(it, str) else it for it in (first, second))
    lines = None if book is None else formats.read_book(book, rules, opening_plies)
    planned = arena.duel(rules, first, second, n_games, seed=seed, opening_plies=opening_plies, seats=seats, book=lines)
    with Workers(workers) as staff:
        return arena.play_duels([planned], staff)[0]
