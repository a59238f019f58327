"""Features that mutation makes, each named by what it is.

region:a1+c2        pieces on the squares like a1 and c2: mine less theirs by mine and theirs, as the paper's partitions
shape:a1+b1         places where one side holds all squares of the shape, however turned: mine less theirs by their number
phase*moves_mine    the product of two features of the game
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from randori.core.features import alike_squares, features_of
from randori.core.game import Game
from randori.core.symmetry import symmetries
from randori.kernels import features as kernel

REGION, SHAPE = "region:", "shape:"
_LARGEST_REGION = 4  # kinds of squares


class Counted(NamedTuple):
    """A feature made of groups of squares: arithmetic on the groups that are mine and theirs, and its scale."""

    arithmetic: int
    scale: float
    groups: tuple[tuple[int, ...], ...]


def factors(name: str) -> tuple[str, str] | None:
    """The two features that a product is made of; None where it is not a product."""
    first, times, second = name.partition("*")
    return (first, second) if times else None


@lru_cache(maxsize=256)
def counted(game: Game, name: str) -> Counted | None:
    """A region or a shape by its name; None where the name is of another kind, or of no square of the board."""
    kind, colon, rest = name.partition(":")
    words, known = rest.split("+"), game.square_names
    if kind + colon not in (REGION, SHAPE) or any(it not in known for it in words):
        return None
    squares = tuple(known.index(it) for it in words)
    if kind + colon == REGION:
        alike = sorted({square for it in squares for (square,) in _images(game, (it,))})
        return Counted(kernel.RATIO, 1.0, tuple((it,) for it in alike))
    if len(squares) > kernel.GROUP:
        return None
    places = _images(game, squares)
    return Counted(kernel.DIFFERENCE, 1.0 / len(places), places)


def _images(game: Game, squares: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Where the symmetries carry some squares, each place once."""
    return tuple(sorted({tuple(sorted(it.cells[list(squares)].tolist())) for it in symmetries(game)}))


def propose(game: Game, has: Sequence[str], rng: np.random.Generator) -> str | None:
    """A feature by lot, of one of the three kinds; None where the network has that one already."""
    kind = rng.integers(3)
    if kind == 0:
        own = [it.name for it in features_of(game).features if it.name in has]
        name = "*".join(own[it] for it in sorted(rng.choice(len(own), 2, replace=len(own) < 2)))
    elif kind == 1:
        alike = list(alike_squares(game))
        most = max(min(_LARGEST_REGION, len(alike) - 1), 1)
        name = REGION + "+".join(sorted(rng.choice(alike, rng.integers(1, most + 1), replace=False)))
    else:
        name = SHAPE + "+".join(game.square_names[it] for it in _images(game, _walk(game, rng))[0])
    return None if name in has else name


def _walk(game: Game, rng: np.random.Generator) -> list[int]:
    """Two or three squares, each a king's step from the one before."""
    height, width = game.shape
    squares = [int(rng.integers(game.n_squares))]
    for _ in range(rng.integers(1, kernel.GROUP)):
        row, column = divmod(squares[-1], width)
        near = [
            r * width + c
            for r in range(max(row - 1, 0), min(row + 2, height))
            for c in range(max(column - 1, 0), min(column + 2, width))
            if r * width + c not in squares
        ]
        squares.append(int(rng.choice(near)))
    return squares
