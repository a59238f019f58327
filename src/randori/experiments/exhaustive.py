"""Every game that a player could lose, for games as small as Tic-Tac-Toe."""

from collections.abc import Callable

import numpy as np

from randori.core.game import LOSS, ONGOING, WIN, Bools, Game, States


def lost_ends(game: Game, liked: Callable[[States], Bools], seat: int) -> int:
    """The number of final positions in which it can lose, whatever the opponent does; 0 means that it never loses.

    The player has the plies of its seat, 0 first or 1 second, and any action that it has `liked`, `[B, A]`: where it draws
    lots, all of them are followed, so that no luck is left out.
    """
    states, ply, lost = game.start(1), 0, 0
    while len(states):
        if ply % 2 == seat:
            rows, actions = np.nonzero(liked(states))
            following = game.play(states[rows], actions.astype(np.int16))
        else:
            following = game.children(states).states
        ply += 1
        following = np.unique(following, axis=0)
        outcomes = game.outcome(following)
        lost += int(np.sum(outcomes == (LOSS if ply % 2 == seat else WIN)))
        states = following[outcomes == ONGOING]
    return lost
