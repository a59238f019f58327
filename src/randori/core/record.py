"""Games: the record of a batch of games. States are not kept; they are replayed from the actions."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.core.game import LOSS, ONGOING, Actions, Game, Ints, States
from randori.core.replay import final_states


class Ply(NamedTuple):
    """One ply of all the games that reached it: `games[i]` is in `states[i]` and plays `actions[i]`."""

    number: int
    games: NDArray[np.intp]
    states: States
    actions: Actions


class Forfeit(NamedTuple):
    """A game that could not go on, by its row in the batch; whoever was to move has lost it."""

    row: int
    reason: str
    resigned: bool = False
    """Given up as lost, which is a result of play; everything else says nothing of how well somebody plays."""


class Thoughts(NamedTuple):
    """What players thought as they chose, ply by ply; undefined where a game was over or in its opening."""

    policies: NDArray[np.float64]
    """`[B, T, A]`: 1 for the action played where the player had no policy."""
    values: NDArray[np.float64]
    """`[B, T]` for the side to move; nan where the player did not say."""


@dataclass(frozen=True, eq=False)
class Games:
    """Finished games of one game, in lockstep from ply 0."""

    game: Game
    actions: Actions
    """`[B, T]`, filled up with -1."""
    outcomes: NDArray[np.int8]
    """`[B]`: WIN, DRAW or LOSS for the side that began."""
    margins: NDArray[np.int16]
    """`[B]`: the final margin for the side that began."""
    opening_plies: int = 0
    """How many first plies were given, not chosen."""
    forfeits: tuple[Forfeit, ...] = ()
    """The games that did not end by the rules; their margin is 1 or -1."""
    thoughts: Thoughts | None = None
    """Where they were asked for; `take` and `concatenate` leave them out."""

    def __len__(self) -> int:
        return len(self.outcomes)

    @property
    def lengths(self) -> Ints:
        """`[B]`: plies of each game."""
        return np.asarray((self.actions >= 0).sum(axis=1))

    def distinct(self) -> int:
        """How many games differ from each other: deterministic players replay themselves."""
        return len(np.unique(self.actions, axis=0)) if len(self) else 0

    def replay(self) -> Iterator[Ply]:
        """Every ply in order, openings included; finished games leave the batch."""
        states = self.game.start(len(self))
        games = np.arange(len(self))
        for number in range(self.actions.shape[1]):
            going = self.actions[games, number] >= 0
            games, states = games[going], states[going]
            if not len(games):
                return
            actions = self.actions[games, number]
            yield Ply(number, games, states, actions)
            states = self.game.play(states, actions)

    def take(self, rows: NDArray[np.intp] | slice) -> "Games":
        """Some of the games."""
        taken = np.arange(len(self))[rows]
        forfeits = [it._replace(row=int(row)) for it in self.forfeits for row in np.flatnonzero(taken == it.row)]
        return Games(
            self.game, self.actions[rows], self.outcomes[rows], self.margins[rows], self.opening_plies, tuple(forfeits)
        )


def concatenate(parts: list[Games]) -> Games:
    """Several records of the same game, with openings of the same length, as one."""
    length = max(part.actions.shape[1] for part in parts)
    actions = [
        np.pad(part.actions, ((0, 0), (0, length - part.actions.shape[1])), constant_values=-1) for part in parts
    ]
    starts = np.cumsum([0, *(len(part) for part in parts)])
    forfeits = [
        it._replace(row=int(start) + it.row) for start, part in zip(starts, parts, strict=False) for it in part.forfeits
    ]
    return Games(
        parts[0].game,
        np.concatenate(actions),
        np.concatenate([part.outcomes for part in parts]),
        np.concatenate([part.margins for part in parts]),
        parts[0].opening_plies,
        tuple(forfeits),
    )


def record(game: Game, actions: Actions, opening_plies: int = 0, forfeits: tuple[Forfeit, ...] = ()) -> Games:
    """The record of complete games given by their actions; the rules tell the outcomes, except of those forfeited."""
    states = final_states(game, actions)
    results, margins = game.outcome(states), game.margin(states)
    for it in forfeits:
        results[it.row] = margins[it.row] = LOSS
    if (results == ONGOING).any():
        raise ValueError(f"Game {int(np.argmax(results == ONGOING))} of the record is not over.")
    # The final states are seen by the side to move: after an odd number of plies, not the side that began.
    view = np.where((actions >= 0).sum(axis=1) % 2 == 0, 1, -1)
    outcomes = np.asarray(results * view, np.int8)
    return Games(game, actions, outcomes, np.asarray(margins * view, np.int16), opening_plies, forfeits)
