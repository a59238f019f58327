"""Players that learn board games, are measured honestly, and spar with people at their own level.

Names are looked up when they are first used: a command that lists things need not wait for the compiler to be imported.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import randori.interrupts  # noqa: F401  (first of all: the rest takes a while)

if TYPE_CHECKING:
    from randori.api import load, match, player, register, solve, tournament, train
    from randori.arena import Match, Rating, Score, Tournament
    from randori.core.evaluation import Evaluation
    from randori.core.game import DRAW, LOSS, ONGOING, WIN, Family, Game
    from randori.core.knowledge import Knowledge, Look
    from randori.core.layout import Columns, Squares, Steps
    from randori.core.player import Choice, Player, PlayerFailed
    from randori.core.record import Games
    from randori.errors import UserError
    from randori.experiments import Ending
    from randori.games import game
    from randori.kernels.rules import Rules
    from randori.methods import Method
    from randori.players import Offer, PlayerKind
    from randori.review import Review
    from randori.review import review_moves as review
    from randori.search.solver import Solution

__all__ = [
    "DRAW",
    "LOSS",
    "ONGOING",
    "WIN",
    "Choice",
    "Columns",
    "Ending",
    "Evaluation",
    "Family",
    "Game",
    "Games",
    "Knowledge",
    "Look",
    "Match",
    "Method",
    "Offer",
    "Player",
    "PlayerFailed",
    "PlayerKind",
    "Rating",
    "Review",
    "Rules",
    "Score",
    "Solution",
    "Squares",
    "Steps",
    "Tournament",
    "UserError",
    "game",
    "load",
    "match",
    "player",
    "register",
    "review",
    "solve",
    "tournament",
    "train",
]

_PLACES = {
    "api": ("load", "match", "player", "register", "solve", "tournament", "train"),
    "arena": ("Match", "Rating", "Score", "Tournament"),
    "core.evaluation": ("Evaluation",),
    "core.game": ("DRAW", "LOSS", "ONGOING", "WIN", "Family", "Game"),
    "core.knowledge": ("Knowledge", "Look"),
    "core.layout": ("Columns", "Squares", "Steps"),
    "core.player": ("Choice", "Player", "PlayerFailed"),
    "core.record": ("Games",),
    "errors": ("UserError",),
    "experiments": ("Ending",),
    "games": ("game",),
    "kernels.rules": ("Rules",),
    "methods": ("Method",),
    "players": ("Offer", "PlayerKind"),
    "review": ("Review",),
    "search.solver": ("Solution",),
}
_PLACE = {name: place for place, names in _PLACES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _PLACE:
        found = globals()[name] = getattr(import_module(f"randori.{_PLACE[name]}"), name)
        return found
    if not name.startswith("_") and find_spec(f"randori.{name}") is not None:
        return import_module(f"randori.{name}")
    raise AttributeError(f"module 'randori' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
