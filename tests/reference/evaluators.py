"""Rules of thumb written out in numpy and Python, for the compiled ones to be judged by."""

from __future__ import annotations

from typing import Any

import numpy as np

from randori.core.game import Game, States
from randori.games.othello.knowledge import square_weights


def territory(game: Game, states: States) -> Any:
    """Weighted squares and the difference of legal moves."""
    cells = game.cells(states)
    squares = cells.reshape(len(states), -1) @ square_weights(game)
    mine, theirs = (game.legal(it).sum(axis=1) for it in (states, game.from_cells(-cells)))
    return np.tanh((squares + 8.0 * (mine - theirs)) / 200.0)


def open_lines(game: Game, length: int, cells: Any) -> float:
    """Windows that one side alone can fill, `4 ** stones - 1` each, those of the side to move half as much again."""
    (height, width), total = game.shape, 0.0
    for r in range(height):
        for c in range(width):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                places = [(r + i * down, c + i * right) for i in range(length)]
                if all(0 <= row < height and 0 <= column < width for row, column in places):
                    stones = [cells[place] for place in places]
                    if -1 not in stones:
                        total += 1.5 * (4 ** stones.count(1) - 1)
                    if 1 not in stones:
                        total -= 4 ** stones.count(-1) - 1
    return float(np.tanh(total / 4**length))


def known_value(game: Game, keys: Any, values: Any, keys_of_states: Any) -> Any:
    """What a table holds, 0 where it holds nothing."""
    table = dict(zip(keys.tolist(), values.tolist(), strict=True))
    return np.array([table.get(it, 0.0) for it in keys_of_states.tolist()])
