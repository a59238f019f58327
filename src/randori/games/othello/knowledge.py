"""What is known of Othello: what squares are worth, mobility, features, how endings are solved."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from randori.core.evaluation import Evaluation, values_by
from randori.core.features import (
    FeatureSet,
    alike_squares,
    border,
    for_both_sides,
    named_regions,
    territory,
)
from randori.core.game import Game, States
from randori.core.knowledge import Files, HowTo, Knowledge, Look, bits_in_order
from randori.games.othello.craft import craft
from randori.games.othello.judge import squares_and_moves
from randori.games.othello.lanes import lanes
from randori.games.othello.remarks import remarks
from randori.kernels import features as kernel
from randori.kernels.judges import Judge, judge_with


def square_weights(game: Game) -> NDArray[np.float64]:
    """`[squares]`: corners are good, the squares that give them away are bad; the classic table, folded to the size."""
    quarter = {
        8: [[100, -20, 10, 5], [-20, -50, -2, -2], [10, -2, -1, -1], [5, -2, -1, -1]],
        6: [[100, -20, 10], [-20, -50, -2], [10, -2, -1]],
        4: [[100, -20], [-20, -1]],
    }[game.shape[0]]
    half = np.hstack([quarter, np.fliplr(quarter)])
    return np.vstack([half, np.flipud(half)]).reshape(-1).astype(np.float64)


@cache
def _judge(game: Game) -> Judge:
    size, of_squares = game.shape[0], square_weights(game)
    columns, weights = np.arange(game.n_squares) % size, np.unique(of_squares)
    masks = [(columns > 0) & (columns < size - 1), columns >= 0, *(of_squares == it for it in weights)]
    words = [sum(1 << int(square) for square in np.flatnonzero(mask)) for mask in masks]
    return judge_with(squares_and_moves, size, np.array(words, np.uint64), weights, len(weights))


@dataclass(frozen=True)
class Territory:
    """Weighted squares and the number of moves that each side has."""

    game: Game

    @property
    def judge(self) -> Judge:
        return _judge(self.game)

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        return Evaluation(values_by(self.judge, states))


def features(game: Game) -> FeatureSet:
    """Discs by region and in all, mobility, corners, discs at the border and anchored ones."""
    regions = named_regions(alike_squares(game))
    height, width = game.shape
    corners = (0, width - 1, (height - 1) * width, height * width - 1)
    at_once, rim = "corners that can be taken at once by 4", 2 * sum(game.shape) - 4
    anchored = f"discs in an unbroken row along the rim from a corner by {rim}"
    found = [
        *territory(game, regions, "discs"),
        *for_both_sides("corner_moves", at_once, kernel.MOVES_TO_CORNERS, 4.0, kernel.MOVES),
        *border(game, "discs"),
        *for_both_sides("anchored", anchored, kernel.ANCHORED, float(rim), kernel.ANCHORS),
    ]
    return FeatureSet(tuple(found), regions, corners=corners)


def tuple_names(game: Game) -> dict[tuple[int, ...], str]:
    """Edges with the squares diagonal to the corners, corners, lines: what players of Othello look at."""
    n = game.shape[0]
    square = np.arange(n * n).reshape(n, n)
    shapes = {
        "edge and X squares": [*square[0], square[1, 1], square[1, n - 2]],
        "corner, 3x3": square[:3, :3],
        "corner, 2x5": square[:2, :5],
        **{f"row {k + 1}": square[k] for k in range(1, n // 2)},
        **{f"diagonal of {n - k}": np.diagonal(square, k) for k in range(n - 3)},
    }
    return {tuple(int(it) for it in np.ravel(shape)): name for name, shape in shapes.items()}


def tuples(game: Game) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple_names(game))


def _how_to_play(size: int) -> HowTo:
    right_of_the_middle = size * (size // 2) + size // 2 + 1
    return HowTo(
        (
            "You take turns to place a disc of your colour; black begins.",
            "A disc has to enclose discs of the other colour, in a straight line, between itself and another disc of yours. "
            "All discs that it encloses turn over.",
            "If you cannot enclose any, you pass. When nobody can move, whoever has more discs wins.",
        ),
        example=(right_of_the_middle,),
        caption="Black has begun: the disc with the dot has turned the one beside it.",
    )


def knowledge(size: int) -> Knowledge:
    return Knowledge(
        remarks=remarks,
        tuples=tuples if size > 4 else None,
        tuple_names=tuple_names,
        bits=bits_in_order(size * size),
        preferences=square_weights,
        evaluator=Territory,
        features=features,
        craft=craft,
        lanes=lanes(size),
        reach=18,
        quick_reach=12,
        exam=(2, 11) if size == 4 else (6, 12),
        wins_at_once=False,
        how_to_play=_how_to_play(size),
        look=Look("discs"),
        files=Files(sgf=2, ggf="Othello", wthor=size == 8),
        protocols=frozenset({"nboard"}),
    )
