"""Players that learn board games, are measured honestly, and spar with people at their own level."""

from randori.api import match, player
from randori.arena import Match, Rating, Score
from randori.errors import UserError
from randori.game import DRAW, LOSS, ONGOING, WIN, Game
from randori.games import game
from randori.players import Choice, Player
from randori.record import Games

__all__ = [
    "DRAW",
    "LOSS",
    "ONGOING",
    "WIN",
    "Choice",
    "Game",
    "Games",
    "Match",
    "Player",
    "Rating",
    "Score",
    "UserError",
    "game",
    "match",
    "player",
]
