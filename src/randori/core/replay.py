"""Games played again from their actions."""

from collections.abc import Sequence

import numpy as np

from randori.core.game import Actions, Game, States


def replayed(game: Game, actions: Actions) -> States:
    """Every position of games given by their actions, `[B, T]` filled up with -1: `[T + 1, B, words]`.

    A game that has ended stays as it was.
    """
    n, n_plies = actions.shape
    states = np.zeros((n_plies + 1, n, game.words), np.uint64)
    states[0] = game.start(n)
    for ply in range(n_plies):
        going = actions[:, ply] >= 0
        states[ply + 1] = states[ply]
        states[ply + 1, going] = game.play(states[ply, going], actions[going, ply])
    return states


def final_states(game: Game, actions: Actions) -> States:
    """The positions, `[B, words]`, after each game's actions, `[B, T]`, filled up with -1."""
    states = game.start(len(actions))
    for ply in range(actions.shape[1]):
        going = np.flatnonzero(actions[:, ply] >= 0)
        states[going] = game.play(states[going], actions[going, ply])
    return states


def positions(game: Game, actions: Sequence[int] | Actions) -> States:
    """The positions of one game from the first to the last, `[T + 1, words]`."""
    return replayed(game, np.array([actions], np.int16).reshape(1, -1))[:, 0]


def last_position(game: Game, actions: Sequence[int] | Actions) -> States:
    """The position of one game after its actions, `[1, words]`."""
    return positions(game, actions)[-1:]
