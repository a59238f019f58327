"""Measures players against each other: games, matches, tournaments, ratings."""

from randori.arena.match import Duel, Match, duel, play_duels
from randori.arena.play import play_games
from randori.arena.ratings import Rating, in_words, rate, rate_among, rate_one
from randori.arena.scores import Score
from randori.arena.tournament import Tournament, play_tournament

__all__ = [
    "Duel",
    "Match",
    "Rating",
    "Score",
    "Tournament",
    "duel",
    "in_words",
    "play_duels",
    "play_games",
    "play_tournament",
    "rate",
    "rate_among",
    "rate_one",
]
