"""Kinds of players: what a spec's name stands for, and how lists describe it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from randori.core.game import Game
from randori.core.options import option_defaults
from randori.core.player import Player
from randori.errors import UserError
from randori.registry import Registry, load

__all__ = ["REGISTRY", "Offer", "PlayerKind"]


class Offer(NamedTuple):
    """A player as it is offered to people."""

    spec: str
    title: str
    summary: str


@dataclass(frozen=True)
class PlayerKind:
    """Who can be named in a spec, `name[:key=value,...]`."""

    name: str
    make: Callable[..., Player] | str
    """Makes the player from a game and the options of its spec; or where that is, as `module:name`."""
    summary: str
    """A line without a full stop."""
    title: str = ""
    """What people call it; without one, its name."""
    family: str = ""
    """How it comes to its moves: of each family the page shows one mind. Without one, its name."""
    offers: Callable[[Game], Iterable[Offer]] | None = None
    """Whom the page offers in a game; without it, the player with its defaults, where it plays the game and needs none
    given."""

    @property
    def maker(self) -> Callable[..., Player]:
        found: Callable[..., Player] = load(self.make)
        return found

    def spec(self) -> str:
        """The name with every option that has a default."""
        defaults = option_defaults(self.maker).items()
        options = [f"{key}={_shown(default)}" for key, default in defaults if default is not None]
        return f"{self.name}:{','.join(options)}" if options else self.name

    def options_not_given(self) -> list[str]:
        """The options that it takes as well, and does without where they are not given."""
        return [key for key, default in option_defaults(self.maker).items() if default is None]

    def offered(self, game: Game) -> list[Offer]:
        """Nobody where it does not play the game."""
        if self.offers is not None:
            return list(self.offers(game))
        if "..." in option_defaults(self.maker).values():
            return []
        try:
            self.maker(game)
        except UserError:
            return []
        return [Offer(self.name, self.title or self.name.replace("-", " ").capitalize(), self.summary)]


def _shown(default: Any) -> str:
    return str(default).lower() if isinstance(default, bool) else str(default)


def _named_kinds(offered: Any) -> Iterable[tuple[str, PlayerKind]]:
    for it in offered if isinstance(offered, list | tuple) else [offered]:
        if not isinstance(it, PlayerKind):
            raise UserError(f"A player is registered as a randori.PlayerKind, not as {it!r:.80}.")
        yield it.name, it


REGISTRY: Registry[PlayerKind] = Registry("player", "randori.players", _named_kinds, also_in="randori.methods")
