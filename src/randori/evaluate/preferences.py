"""Preferences: how good each action looks before one looks at the position, for playouts that are not quite random."""

import numpy as np
from numpy.typing import NDArray

from randori.game import Game
from randori.kernels import lines


def preferences(game: Game) -> NDArray[np.float64]:
    """`[A]`, the more promising the greater, with mean 0 and deviation 1; a pass, which has no rival, is 0."""
    raw = square_weights(game.shape[0]) if game.in_a_row is None else crossings(game)
    scaled = (raw - raw.mean()) / raw.std()
    return np.append(scaled, 0.0) if game.has_pass else scaled


def square_weights(size: int) -> NDArray[np.float64]:
    """Othello, `[size * size]`: corners are good, the squares that give them away are bad; the classic table, folded to
    any even size.
    """
    quarter = {
        8: [[100, -20, 10, 5], [-20, -50, -2, -2], [10, -2, -1, -1], [5, -2, -1, -1]],
        6: [[100, -20, 10], [-20, -50, -2], [10, -2, -1]],
        4: [[100, -20], [-20, -1]],
    }[size]
    half = np.hstack([quarter, np.fliplr(quarter)])
    return np.vstack([half, np.flipud(half)]).reshape(-1).astype(np.float64)


def crossings(game: Game) -> NDArray[np.float64]:
    """Games of stones in a row, `[A]`: how many winning lines run through the square, or the column, of each action."""
    assert game.in_a_row is not None
    through = np.empty((1, *game.shape), np.float64)
    empty = np.zeros((1, *game.shape), np.int8)
    ones = np.ones(game.in_a_row)
    lines.star_scores(empty, game.in_a_row, ones, 0 * ones, through)
    by_column = game.n_actions == game.shape[1]
    return np.asarray(through[0].sum(axis=0) if by_column else through[0].reshape(-1))
