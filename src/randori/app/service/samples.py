"""Sample games: what a player does at the moment."""

import numpy as np

from randori.arena import play_games
from randori.core.game import Game
from randori.experiments.ladder import rungs
from randori.players import Player

OPENING_PLIES = 2
"""Moves at random: players without chance would repeat one game."""


def sample_game(game: Game, first: Player, second: Player, rng: np.random.Generator) -> list[int]:
    """The actions of one game."""
    states, openings = game.start(1), np.zeros((1, OPENING_PLIES), np.int16)
    for ply in range(OPENING_PLIES):
        openings[:, ply] = game.pick(states, rng.random(1))
        states = game.play(states, openings[:, ply])
    played = play_games(game, first, second, openings, rng)
    return [int(it) for it in played.actions[0] if it >= 0]


def nearest_rung(game: Game, elo: float) -> str:
    """The player of the ladder whose strength comes nearest."""
    return min(rungs(game), key=lambda it: abs(it.elo - elo)).player
