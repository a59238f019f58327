"""The companion, where this installation has one: the only place of the service that knows it."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from randori.app.service.store import KeptRating
from randori.game import Game
from randori.players import Player

SPEC = "companion"
_MODULE = "randori.players.companion"


def is_here() -> bool:
    return find_spec(_MODULE) is not None


def partner(game: Game, known: KeptRating | None) -> Player:
    """A companion for somebody of this strength."""
    found: Player = import_module(_MODULE).Companion(game, _estimate(game, known))
    return found


def updated(
    game: Game, known: KeptRating | None, actions: list[int], person_seat: int, result: float, opponent_elo: float
) -> KeptRating:
    """What is known of a person after a game; `result` is the person's."""
    companion = import_module(_MODULE)
    played = companion.PlayedGame(actions, person_seat, result, opponent_elo)
    after = companion.update(game, _estimate(game, known), played)
    return KeptRating(game.name, float(after.elo), float(after.deviation), int(after.games))


def _estimate(game: Game, known: KeptRating | None) -> Any:
    companion = import_module(_MODULE)
    if known is None:
        return companion.first_estimate(game)
    return companion.Estimate(known.elo, known.deviation, known.games)
