"""Tuples as kernels take them where a move only adds a stone."""

import numpy as np
from numpy.typing import NDArray

from randori.core.game import States
from randori.core.knowledge import bits_in_order
from randori.kernels.judges import Judge, judge_of_moves, judge_with
from randori.methods.ntuple.kernels.learning import Learned
from randori.methods.ntuple.kernels.stones import learn_by_stones, value_by_stones, values_of_moves
from randori.methods.ntuple.tuples import Tuples


class StonePlan:
    """Like `Plan`, for games whose knowledge says that moves place stones."""

    def __init__(self, tuples: Tuples, stages: NDArray[np.int64]) -> None:
        """`stages` is the stage for each number of pieces on the board."""
        game, placed = tuples.game, tuples.placed
        bits = game.knowledge.bits
        theirs = 0 if bits is None else int(bits[1, 0]) // 64
        if bits is None or (bits != bits_in_order(game.n_squares, theirs)).any():
            raise ValueError(f"{game.title} says that moves place stones, but not by bits in order.")
        covers: list[list[int]] = [[] for _ in range(game.n_squares)]
        for number, (_, squares) in enumerate(placed):
            for power, square in enumerate(squares):
                covers[square].append(number << 16 | 3**power)
        firsts = np.cumsum([0, *(len(it) for it in covers)])
        starts = np.array([tuples.starts[number] for number, _ in placed], np.int32)
        stages = np.asarray(stages * (tuples.n_patterns + 1), np.int64)
        self._arrays = firsts, np.concatenate(covers).astype(np.int32), starts, stages
        self._sizes = len(placed), -(-game.n_squares // 64), theirs

    def judge(self, weights: NDArray[np.float32]) -> Judge:
        """`weights` are `[stages, stride]`; those of patterns without a stone are 0, and so is the last of each stage."""
        judge = judge_with(value_by_stones, *self._arrays, weights, *self._sizes)
        return judge_of_moves(judge, values_of_moves)

    def learn(self, judge: Judge, learned: Learned, states: States, targets: NDArray[np.float32], rate: float) -> float:
        """Each position once, in order; the sum of the absolute errors."""
        return float(learn_by_stones(judge.table[1:], learned, states, targets, rate))
