"""Pictures of what a player has learned, as a method may offer them."""

from typing import Protocol

from randori.core.game import Actions
from randori.core.player import Player


class Pictures(Protocol):
    """SVG files of the players of one method. Raises UserError for a player of another, or a number that is not there."""

    @property
    def title(self) -> str:
        """What they are called together, such as `Maps`."""

    @property
    def summary(self) -> str:
        """A sentence on what there is to see."""

    def captions(self, player: Player) -> list[str]:
        """What each picture of a player shows, in their order."""

    def usual(self, player: Player) -> int:
        """The number of the picture to show where nobody asks for another."""

    def draw(self, player: Player, number: int, called: str) -> str:
        """The picture of a number, from 1 on; `called` is what people call the player."""

    def draw_game(self, player: Player, actions: Actions, called: str) -> str:
        """A game as the player sees it."""
