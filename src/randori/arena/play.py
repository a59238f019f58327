"""The one game loop: two players, a batch of games in lockstep."""

import numpy as np

from randori.game import ONGOING, Actions, Game
from randori.players import Player
from randori.record import Games, record


def play_games(game: Game, first: Player, second: Player, openings: Actions, rng: np.random.Generator) -> Games:
    """Plays one game from each opening, `[B, plies]`; `first` has the even plies. Finished games leave the batch."""
    n, opening_plies = openings.shape
    actions = np.full((n, game.max_plies), -1, np.int16)
    actions[:, :opening_plies] = openings
    states = game.start(n)
    for ply in range(opening_plies):
        states = game.play(states, openings[:, ply])
    going = np.flatnonzero(game.outcome(states) == ONGOING)
    states = states[going]
    ply = opening_plies
    while len(going):
        mover = second if ply % 2 else first
        chosen = mover.choose(states, rng).actions
        actions[going, ply] = chosen
        states = game.play(states, chosen)
        on = game.outcome(states) == ONGOING
        going, states = going[on], states[on]
        ply += 1
    return record(game, actions[:, :ply], opening_plies)
