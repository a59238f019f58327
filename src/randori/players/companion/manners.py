"""Manners: avoids moves that anybody would call absurd, such as missing a win at once."""

import numpy as np

from randori.core.game import LOSS, Actions, Bools, Game, States


def sensible(game: Game, states: States) -> Bools:
    """`[B, A]`: the moves that win at once where there are any; else those that leave the opponent no win at once;
    else all legal ones.
    """
    children = game.children(states)
    replies = game.children(children.states)
    wins = game.outcome(children.states) == LOSS
    safe = np.ones(len(children.actions), np.bool_)
    safe[replies.parents[game.outcome(replies.states) == LOSS]] = False
    found = game.legal(states)
    for chosen in (safe, wins):
        allowed = np.zeros_like(found)
        allowed[children.parents[chosen], children.actions[chosen]] = True
        rows = allowed.any(axis=1)
        found[rows] = allowed[rows]
    return found


def are_sensible(game: Game, states: States, actions: Actions) -> Bools:
    """`[B]`: whether each action is one of the `sensible`.

    What the other moves are like is looked at only where an action leaves a win: on a large board that takes long.
    """
    after = game.play(states, actions)
    wins = game.outcome(after) == LOSS
    replies = game.children(after)
    loses = np.zeros(len(states), np.bool_)
    loses[replies.parents[game.outcome(replies.states) == LOSS]] = True
    children = game.children(states)
    could_win = np.zeros(len(states), np.bool_)
    could_win[children.parents[game.outcome(children.states) == LOSS]] = True
    found = np.asarray(wins | ~(loses | could_win))
    doubtful = np.flatnonzero(~found)
    if len(doubtful):
        found[doubtful] = sensible(game, states[doubtful])[np.arange(len(doubtful)), actions[doubtful]]
    return found
