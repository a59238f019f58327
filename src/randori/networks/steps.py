"""The policy of games whose moves go from one square to another: a map of squares for each way that a piece can go."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randori.core.game import Game
from randori.core.layout import Steps

Ways = tuple[tuple[int, int], ...]
"""How many rows down and how many columns to the right."""


@cache
def ways_of(game: Game) -> Ways:
    """The ways that pieces of a game go, each once and in order; none where an action is not a step."""
    if not isinstance(game.layout, Steps):
        return ()
    return tuple(sorted(set(_way_of_each(game.layout, game.shape[1]))))


@cache
def outputs_of_actions(game: Game) -> NDArray[np.intp] | None:
    """`[A]`: the output of each action; None where it has an output for each of them in their order.

    A step has its output where it begins, on the map of its way; not every square of a map begins a step. The pass comes
    after all maps.
    """
    if not isinstance(game.layout, Steps):
        return None
    maps = {way: place * game.n_squares for place, way in enumerate(ways_of(game))}
    ways = _way_of_each(game.layout, game.shape[1])
    found = [maps[way] + begin for way, (begin, _) in zip(ways, game.layout.pairs, strict=True)]
    return np.array([*found, len(maps) * game.n_squares] if game.layout.passes else found, np.intp)


def by_action(game: Game, outputs: NDArray[Any]) -> NDArray[Any]:
    """`[B, A]`, out of all outputs of a network."""
    places = outputs_of_actions(game)
    return outputs if places is None else outputs.take(places, axis=1)


def _way_of_each(layout: Steps, width: int) -> Ways:
    return tuple((end // width - begin // width, end % width - begin % width) for begin, end in layout.pairs)
