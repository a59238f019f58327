"""Players that learn board games, are measured honestly, and spar with people at their own level."""

import randori.interrupts  # noqa: F401  (first of all: the rest takes a while)
from randori.api import match, player, register
from randori.arena import Match, Rating, Score
from randori.core.evaluation import Evaluation
from randori.core.game import DRAW, LOSS, ONGOING, WIN, Family, Game
from randori.core.knowledge import Knowledge, Look
from randori.core.layout import Columns, Squares, Steps
from randori.core.player import Choice, Player, PlayerFailed
from randori.core.record import Games
from randori.errors import UserError
from randori.games import game
from randori.kernels.rules import Rules
from randori.methods import Method
from randori.players import Offer, PlayerKind

__all__ = [
    "DRAW",
    "LOSS",
    "ONGOING",
    "WIN",
    "Choice",
    "Columns",
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
    "Rules",
    "Score",
    "Squares",
    "Steps",
    "UserError",
    "game",
    "match",
    "player",
    "register",
]
