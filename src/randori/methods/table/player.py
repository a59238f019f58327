"""A player that looks up each next position in a table."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from randori.core.evaluation import Evaluation, values_by
from randori.core.game import Floats, Game, States
from randori.core.player import Choice
from randori.core.symmetry import symmetries
from randori.kernels.judges import Judge, judge_with
from randori.methods.table.kernels import by_key
from randori.players.files import Contents
from randori.players.simple import BestNext


@dataclass(frozen=True, eq=False)
class Table:
    """Chooses the move to the position worth least to the opponent; a position it does not know counts as even."""

    game: Game
    keys: NDArray[np.uint64]
    """`[N]`, rising: the canonical keys of the positions it knows."""
    values: Floats
    """`[N]`, in -1 .. 1 for the side to move."""
    name: str = "table"
    kind: ClassVar[str] = "table"
    chances: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.keys.shape != self.values.shape or self.keys.ndim != 1 or self.keys.dtype != np.uint64:
            raise ValueError(f"{self.keys.dtype} {self.keys.shape} positions do not go with {self.values.shape} values")
        if not (self.keys[1:] > self.keys[:-1]).all() or not np.isfinite(self.values).all():
            raise ValueError("its positions are not in order, or have no values")

    @property
    def judge(self) -> Judge:
        turned = np.stack([it.cells for it in symmetries(self.game)]).astype(np.int64)
        # Of a position that its cells do not tell, no turned one can be set up.
        n_turns = len(turned) if self.game.cells_suffice else 0
        values = np.asarray(self.values, np.float64)
        return judge_with(by_key, self.game.rules, self.keys, values, len(self.keys), turned, n_turns)

    def evaluate(self, states: States, rng: np.random.Generator) -> Evaluation:
        return Evaluation(values_by(self.judge, states))

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return BestNext(self.game, self.evaluate, self.name).choose(states, rng)

    def contents(self) -> Contents:
        return Contents({"keys": self.keys, "values": self.values}, {})

    @classmethod
    def from_contents(cls, game: Game, contents: Contents) -> Self:
        return cls(game, contents.tensors["keys"], contents.floats("values"))
