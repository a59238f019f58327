"""The one game loop: two players, a batch of games in lockstep."""

import numpy as np

from randori.core.game import ONGOING, Actions, Game
from randori.core.record import Forfeit, Games, record
from randori.players import Player, choose_in_game


def play_games(game: Game, first: Player, second: Player, openings: Actions, rng: np.random.Generator) -> Games:
    """Plays one game from each opening, `[B, plies]`; `first` has the even plies. Finished games leave the batch.

    A player that forfeits a game loses it; the others go on.
    """
    n, opening_plies = openings.shape
    actions = np.full((n, game.max_plies), -1, np.int16)
    actions[:, :opening_plies] = openings
    states = game.start(n)
    for ply in range(opening_plies):
        states = game.play(states, openings[:, ply])
    going = np.flatnonzero(game.outcome(states) == ONGOING)
    states = states[going]
    ply = opening_plies
    forfeits: list[Forfeit] = []
    while len(going):
        mover = second if ply % 2 else first
        choice = choose_in_game(mover, actions[going, :ply], states, rng)
        chosen = choice.actions
        if choice.forfeits:
            forfeits += [Forfeit(int(going[it.row]), it.reason) for it in choice.forfeits]
            staying = np.delete(np.arange(len(going)), [it.row for it in choice.forfeits])
            going, states, chosen = going[staying], states[staying], chosen[staying]
        actions[going, ply] = chosen
        states = game.play(states, chosen)
        on = game.outcome(states) == ONGOING
        going, states = going[on], states[on]
        ply += 1
    return record(game, actions[:, :ply], opening_plies, tuple(forfeits))
