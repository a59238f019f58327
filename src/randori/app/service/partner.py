"""The companion of a visitor: made from what is known of the person, and what is known after a game."""

from randori.app.service.store import KeptRating
from randori.core.game import Game
from randori.players.companion import OFFER, Companion, Estimate, PlayedGame, first_estimate, update

SPEC = OFFER.spec
_STYLED = f"{SPEC}:style="


def styled(style: str) -> str:
    """The spec of the companion that plays in a style."""
    return f"{_STYLED}{style}"


def is_companion(spec: str) -> bool:
    return spec == SPEC or spec.startswith(_STYLED)


def partner(game: Game, known: KeptRating | None, spec: str = SPEC) -> Companion:
    """A companion for somebody of this strength, in the style that its spec names."""
    return Companion(game, _estimate(game, known), style=spec.removeprefix(_STYLED) if spec != SPEC else None)


def updated(
    game: Game, known: KeptRating | None, actions: list[int], person_seat: int, result: float, opponent_elo: float
) -> KeptRating:
    """What is known of a person after a game; `result` is the person's."""
    played = PlayedGame(actions, person_seat, result, opponent_elo)
    after = update(game, _estimate(game, known), played)
    return KeptRating(game.name, after.elo, after.deviation, after.games)


def _estimate(game: Game, known: KeptRating | None) -> Estimate:
    return first_estimate(game) if known is None else Estimate(known.elo, known.deviation, known.games)
