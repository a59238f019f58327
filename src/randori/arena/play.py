"""The one game loop: two players, a batch of games in lockstep.

The kernels of self-organizing maps learn inside a game, move by move, and so have loops of their own.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from randori.core.game import ONGOING, Actions, Game, States
from randori.core.player import Choice, Player, SitsAtManyBoards, choose_in_game
from randori.core.record import Forfeit, Games, Thoughts, record


def play_games(
    game: Game, first: Player, second: Player, openings: Actions, rng: np.random.Generator, *, thoughts: bool = False
) -> Games:
    """Plays one game from each opening, `[B, plies]`; `first` has the even plies. Finished games leave the batch.

    Openings may differ in length, filled up with -1. A player that forfeits a game loses it; the other games continue.
    With `thoughts` the record keeps the policies and values of the players.
    """
    n, opening_plies = openings.shape
    actions = np.full((n, game.max_plies), -1, np.int16)
    actions[:, :opening_plies] = openings
    states, going, ply = game.start(n), np.arange(n), 0
    forfeits: list[Forfeit] = []
    kept = _Kept(game, n) if thoughts else None
    while len(going):
        undecided = np.flatnonzero(actions[going, ply] < 0)
        if len(undecided):
            choice = _ask(second if ply % 2 else first, actions[:, :ply], going[undecided], states[undecided], rng)
            actions[going[undecided], ply] = choice.actions
            if kept is not None:
                kept.add(going[undecided], ply, choice)
            if choice.forfeits:
                lost = undecided[[it.row for it in choice.forfeits]]
                forfeits += [it._replace(row=int(going[undecided[it.row]])) for it in choice.forfeits]
                actions[going[lost], ply] = -1
                going, states = np.delete(going, lost), np.delete(states, lost, axis=0)
        states = game.play(states, actions[going, ply])
        on = game.outcome(states) == ONGOING
        going, states = going[on], states[on]
        ply += 1
    played = record(game, actions[:, :ply], opening_plies, tuple(forfeits))
    return played if kept is None else kept.completed(played)


def _ask(player: Player, actions: Actions, games: NDArray[np.intp], states: States, rng: np.random.Generator) -> Choice:
    if isinstance(player, SitsAtManyBoards):
        return player.choose_in(games, states, rng)
    return choose_in_game(player, actions[games], states, rng)


class _Kept:
    """Thoughts as they come."""

    def __init__(self, game: Game, n: int) -> None:
        self._game, self._n = game, n
        self._plies: list[tuple[NDArray[np.intp], int, Choice]] = []

    def add(self, games: NDArray[np.intp], ply: int, choice: Choice) -> None:
        self._plies.append((games, ply, choice))

    def completed(self, played: Games) -> Games:
        n_plies = played.actions.shape[1]
        policies = np.zeros((self._n, n_plies, self._game.n_actions))
        values = np.full((self._n, n_plies), np.nan)
        for games, ply, choice in self._plies:
            policies[games, ply] = choice.shares(self._game.n_actions)
            if choice.values is not None:
                values[games, ply] = choice.values
        return replace(played, thoughts=Thoughts(policies, values))
