"""Styles: whose moves the companion makes, and the players that the marks of a dial name."""

from functools import lru_cache
from typing import NamedTuple

from randori.core.game import Game
from randori.core.options import option_defaults
from randori.core.player import Player
from randori.errors import UserError, suggest, warn
from randori.players.files import ZOO, Card, find_file, names_file, read_card
from randori.players.kinds import REGISTRY, PlayerKind
from randori.players.specs import player

_NO_STYLES = ("companion", "random")


class Style(NamedTuple):
    """The player whose moves are made, and its rating on the game's scale where its card has one."""

    spec: str
    elo: float | None


def style_of(game: Game, style: str) -> Style:
    """The strongest of a family in the zoo, such as `ntuple`; else the player that the style names, as in a spec.

    Raises UserError where no player plays the game in this style.
    """
    trained = dict(families(game))
    if style in trained:
        return trained[style]
    place, _, options = style.partition(":")
    if names_file(style):
        player(style, game)  # refuses what it is not
        return Style(style, None if options else _elo(read_card(find_file(place))))
    kinds = [it.name for it in REGISTRY.all().values() if it.name not in _NO_STYLES and _needs_nothing(it)]
    if place not in kinds:
        raise UserError(f"There is no style in {game.title} called '{style}'.{suggest(style, [*trained, *kinds])}")
    player(style, game)
    return Style(style, None)


def _needs_nothing(kind: PlayerKind) -> bool:
    """Whether it can do without options; other programs, which cannot, follow whole games and have no single moves."""
    return "..." not in option_defaults(kind.maker).values()


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
        return player(spec, game)
    except UserError as error:
        warn(f"The companion plays {game.title} without '{spec}': {error}")
        return None
