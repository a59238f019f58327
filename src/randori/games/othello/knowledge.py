"""What is known of Othello: what squares are worth, mobility, features, how endings are solved."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from randori.core.evaluation import Evaluation
from randori.core.features import (
    FeatureSet,
    alike_squares,
    border,
    for_both_sides,
    named_regions,
    territory,
)
from randori.core.game import Game, States
from randori.core.knowledge import Files, Knowledge, Look
from randori.games.othello.craft import craft
from randori.kernels import batches
from randori.kernels import features as kernel


def square_weights(game: Game) -> NDArray[np.float64]:
    """`[squares]`: corners are good, the squares that give them away are bad; the classic table, folded to the size."""
    quarter = {
        8: [[100, -20, 10, 5], [-20, -50, -2, -2], [10, -2, -1, -1], [5, -2, -1, -1]],
        6: [[100, -20, 10], [-20, -50, -2], [10, -2, -1]],
        4: [[100, -20], [-20, -1]],
    }[game.shape[0]]
    half = np.hstack([quarter, np.fliplr(quarter)])
    return np.vstack([half, np.flipud(half)]).reshape(-1).astype(np.float64)


@dataclass(frozen=True)
class Territory:
    """Weighted squares and the number of moves that each side has."""

    game: Game

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        squares = self.game.cells(states).reshape(len(states), -1) @ square_weights(self.game)
        mobility = self._moves(states) - self._moves(self.game.from_cells(-self.game.cells(states)))
        return Evaluation(np.tanh((squares + 8.0 * mobility) / 200.0))

    def _moves(self, states: States) -> NDArray[np.int64]:
        counts = np.empty(len(states), np.int64)
        batches.count_all(self.game.rules, np.ascontiguousarray(states), counts)
        return counts


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


def knowledge(size: int) -> Knowledge:
    return Knowledge(
        preferences=square_weights,
        evaluator=Territory,
        features=features,
        craft=craft,
        reach=18,
        quick_reach=12,
        exam=(2, 11) if size == 4 else (6, 12),
        wins_at_once=False,
        look=Look("discs"),
        files=Files(sgf=2, ggf="Othello", wthor=size == 8),
        protocols=frozenset({"nboard"}),
    )
