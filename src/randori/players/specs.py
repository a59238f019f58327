"""The player that a spec names."""

from dataclasses import fields, is_dataclass, replace
from typing import Any

from randori.core.game import Game
from randori.core.options import parse_options
from randori.core.player import Player
from randori.players.files import names_file, player_from_file
from randori.players.kinds import REGISTRY


def player(spec: str, game: Game) -> Player:
    """The player that a spec names, for one game. Raises UserError for what it does not know."""
    if names_file(spec):
        return player_from_file(spec, game)
    name, _, text = spec.partition(":")
    kind = REGISTRY.find(name)
    options: dict[str, Any] = parse_options(kind.maker, text, f"player '{name}'")
    instance: Any = kind.maker(game, **options)
    # Variants of one class differ only in the name under which they are registered and requested.
    own_name = is_dataclass(instance) and any(it.name == "name" for it in fields(instance))
    if name in REGISTRY.foreign() and own_name:
        instance = replace(instance, name=spec)
    found: Player = instance
    return found
