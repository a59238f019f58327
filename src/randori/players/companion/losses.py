"""What moves lose: the value before minus the value after, by a search."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from randori.core.game import ONGOING, Floats, Game
from randori.core.replay import positions
from randori.search.uct import Uct

SIMULATIONS = 300


class Judged(NamedTuple):
    """The mean loss of one side's moves in a game, and how many there were."""

    loss: float
    moves: int


def losses(game: Game, actions: Sequence[int]) -> Floats:
    """`[T]`: what each action of a game lost for the side that made it; a win thrown into a loss is 2.

    Depends on the actions alone. A search errs: the loss of a good move scatters about 0 and may be negative.
    """
    states = positions(game, actions)
    values = game.outcome(states).astype(np.float64)
    open_rows = np.flatnonzero(values == ONGOING)
    if len(open_rows):
        rng = np.random.default_rng([len(actions), *actions])
        found = Uct(game, SIMULATIONS).search(states[open_rows], rng)
        values[open_rows] = found.values[np.arange(len(open_rows)), found.actions]
    # The next position is the other side's: its value enters with a minus sign.
    return values[:-1] + values[1:]


def judge(game: Game, actions: Sequence[int], seat: int) -> Judged:
    """The moves of the side that began (seat 0) or of the other (1). Forced moves are not judged."""
    lost = losses(game, actions)[seat::2]
    if not len(lost):
        return Judged(0.0, 0)
    return Judged(float(lost.mean()), len(lost))
