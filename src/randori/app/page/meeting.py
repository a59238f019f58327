"""Starting a game against a player, from views that do not know the visitor's profile."""

from dataclasses import dataclass

from nicegui import ui

from randori.app.service.menu import Menu
from randori.app.service.room import PERSON
from randori.app.service.rooms import Rooms
from randori.core.game import Game


@dataclass(frozen=True)
class Meeting:
    """A visitor, who gets a profile only by pressing a button that begins a game."""

    rooms: Rooms
    token: str

    @property
    def menu(self) -> Menu:
        return self.rooms.menu

    async def meet(self, game: Game, spec: str) -> None:
        """Begins a game, in which the person has the first move."""
        profile = await self.rooms.profile_of(self.token)
        room = await self.rooms.open(profile.id, game.name, (PERSON, spec))
        ui.navigate.to(f"/game/{room.id}")
