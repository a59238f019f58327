"""An n-tuple network: tuples, stages and weights, which together judge positions."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from randori.core import tuples as known
from randori.core.game import Floats, Game, States
from randori.kernels import searches
from randori.kernels.judges import Judge, judge_all
from randori.methods.ntuple.stones import StonePlan
from randori.methods.ntuple.tuples import Plan, Tuples
from randori.search.alphabeta import Scale, new_search

_STAGES = 1000
"""More than a game has."""
CERTAIN = 1e6
"""Above every sum of weights."""
_WIDTH = 16


@dataclass(frozen=True, eq=False)
class Network:
    """Worth a margin where the game counts; elsewhere a sum whose tanh is the expected result."""

    tuples: Tuples
    stages: NDArray[np.int64]
    """`[squares + 1]`: the stage for each number of pieces on the board."""
    weights: NDArray[np.float32]
    """`[stages * (patterns + 1)]`, the last of each stage 0."""

    def __post_init__(self) -> None:
        n_squares = self.game.n_squares
        if self.stages.shape != (n_squares + 1,) or not (self.stages >= 0).all() or not (self.stages < _STAGES).all():
            raise ValueError(f"{self.game.title} needs a stage for each of {n_squares + 1} numbers of pieces.")
        needed = self.n_stages * (self.tuples.n_patterns + 1)
        if self.weights.shape != (needed,):
            raise ValueError(f"{self.n_stages} stages of these tuples need {needed} weights, not {self.weights.shape}.")
        if self.weights.reshape(self.n_stages, -1)[:, -1].any():
            raise ValueError("The pattern of no tuple has a weight.")

    @classmethod
    def blank(cls, game: Game, n_stages: int) -> Self:
        tuples = Tuples(game, (game.knowledge.tuples or known.automatic)(game), game.knowledge.shifted)
        stages = stages_of(game, n_stages)
        return cls(tuples, stages, np.zeros((int(stages.max()) + 1) * (tuples.n_patterns + 1), np.float32))

    @property
    def game(self) -> Game:
        return self.tuples.game

    @property
    def by_margin(self) -> bool:
        return self.game.counts is not None

    @property
    def n_stages(self) -> int:
        return int(self.stages.max()) + 1

    @cached_property
    def plan(self) -> Plan | StonePlan:
        places = self.game.knowledge.places and not self.by_margin
        return StonePlan(self.tuples, self.stages) if places else Plan(self.tuples, self.stages)

    @cached_property
    def judge(self) -> Judge:
        return self.plan.judge(self.weights)

    @property
    def width(self) -> int | None:
        """Moves that are searched in each position, of a game that names candidates; without, all."""
        return None if self.game.knowledge.candidates is None else _WIDTH

    @property
    def scale(self) -> Scale:
        return Scale(self.by_margin, CERTAIN)

    def with_weights(self, weights: NDArray[np.float32]) -> "Network":
        changed = replace(self, weights=weights)
        changed.__dict__["plan"] = self.plan  # the same for any weights
        return changed

    def search(self, n_entries: int) -> searches.Search:
        plies = self.game.max_plies
        return new_search(
            self.game, self.judge, self.scale, entries=n_entries, plies=plies, width=self.width, candidates=True
        )

    def values(self, states: States) -> Floats:
        """`[B]`: sums, for the side to move."""
        values = np.empty(len(states))
        judge_all(self.judge.table, np.ascontiguousarray(states, np.uint64), values)
        return values

    def __getstate__(self) -> dict[str, Any]:
        """Addresses mean nothing to other processes."""
        return {name: self.__dict__[name] for name in ("tuples", "stages", "weights")}


def stages_of(game: Game, n: int) -> NDArray[np.int64]:
    """Equal shares of the number of pieces; twice as many where a position of each side is another matter."""
    pieces = np.arange(game.n_squares + 1)
    shares = pieces * n // len(pieces)
    return shares if game.counts is not None or not game.fills else 2 * shares + pieces % 2
