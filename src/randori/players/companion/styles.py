"""Styles: whose moves the companion makes, and the players that the marks of a dial name."""

from functools import lru_cache
from typing import NamedTuple

from randori.core.game import Game
from randori.core.options import option_defaults
from randori.core.player import FollowsGames, Player
from randori.errors import UserError, suggest, warn
from randori.players.files import ZOO, Card, find_file, names_file, read_card
from randori.players.kinds import REGISTRY
from randori.players.specs import player

_NO_STYLES = ("companion", "random")


class Style(NamedTuple):
    """The player whose moves are made, and its rating on the game's scale where its card has one."""

    spec: str
    elo: float | None


def style_of(game: Game, style: str) -> Style:
    """Of a family, such as `ntuple`, the strongest in the zoo; else the player that the style names, as in a spec.

    Raises UserError where nobody plays the game so.
    """
    if names_file(style):
        return Style(style, _elo(read_card(find_file(style.partition(":")[0]))))
    trained = [it for it in families(game) if it[0] == style]
    if trained:
        return trained[0][1]
    name = style.partition(":")[0]
    if name in _NO_STYLES or name not in REGISTRY.all() or "..." in option_defaults(REGISTRY.find(name).maker).values():
        known = [*dict(families(game)), *(it for it in REGISTRY.all() if it not in _NO_STYLES)]
        raise UserError(f"Nobody's style in {game.title} is called '{style}'.{suggest(style, known)}")
    return Style(style, None)


def families(game: Game) -> list[tuple[str, Style]]:
    """How the zoo's players of a game have learned, and the strongest of each family, the strongest first."""
    cards = [(path, read_card(path)) for path in sorted(ZOO.glob(f"{game.name}-*.safetensors"))]
    rated = sorted((it for it in cards if it[1].game == game.name), key=lambda it: -(_elo(it[1]) or 0.0))
    best: dict[str, Style] = {}
    for path, card in rated:
        best.setdefault(card.learner, Style(f"zoo/{path.stem}", _elo(card)))
    return list(best.items())


def _elo(card: Card) -> float | None:
    return None if card.rating is None else float(card.rating["elo"])


@lru_cache(maxsize=16)
def master(game: Game, spec: str) -> Player | None:
    """The player of a spec, read once; None, with a warning, where its file is damaged or gone."""
    try:
        found = player(spec, game)
    except UserError as error:
        warn(f"The companion plays {game.title} without '{spec}': {error}")
        return None
    if isinstance(found, FollowsGames):
        raise UserError(
            f"'{spec}' is a program that must follow whole games: the companion cannot borrow single moves."
        )
    return found
