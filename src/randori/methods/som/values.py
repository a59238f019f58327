"""What positions are worth by their place on self-organizing maps."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from randori.core.evaluation import Evaluation
from randori.core.game import States
from randori.core.symmetry import symmetries
from randori.errors import UserError
from randori.methods.som.atlas import Atlas, Weights, boards_of, join_maps
from randori.methods.som.kernels import maps, sparring


def table_rows(atlas: Atlas) -> NDArray[np.int64]:
    """`[squares + 1]`: the row of a table of values by the number of stones on the board.

    A neuron with the greatest product may stand for positions of different moves, so each move has a row (section 7.1
    of the paper); where the least distance wins, each map has one.
    """
    return np.arange(len(atlas.stages)) if atlas.winner == "product" else atlas.stages


@dataclass(frozen=True, eq=False)
class TableValues:
    """Kamei and Kakizoe's evaluation: a number for the one neuron that stands for the position."""

    atlas: Atlas
    values: NDArray[np.float32]
    """`[rows, neurons]` for the side that has just moved, on any scale."""

    def __post_init__(self) -> None:
        needed = int(table_rows(self.atlas).max()) + 1, self.atlas.weights.shape[1]
        if self.values.shape != needed:
            raise ValueError(f"These maps need a table of values of {needed}, not {self.values.shape}.")

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        boards = boards_of(self.atlas.game, states)
        rows = table_rows(self.atlas)[np.count_nonzero(boards, axis=1)]
        values = self.values[rows, self.atlas.find(boards).neurons].astype(np.float64)
        return Evaluation(-values / self._greatest)

    @cached_property
    def _greatest(self) -> float:
        return float(np.abs(self.values).max()) or 1.0


@dataclass(frozen=True, eq=False)
class PlaneValues:
    """Our evaluation: each neuron has a plane over the boards, and all count, the more the closer they are to winning."""

    atlas: Atlas
    levels: Weights
    """`[stages, neurons]`: what the plane says of an empty board, for the side that has just moved."""
    slopes: Weights
    """`[stages, neurons, squares]`: what it adds for each square."""
    temperature: float
    """By how much a score is lower where the neuron's weight is lower by a factor of e."""
    turns: int = 1
    """The mean over so many turns and reflections of the board."""

    def __post_init__(self) -> None:
        if self.levels.shape != self.atlas.weights.shape[:2] or self.slopes.shape != self.atlas.weights.shape:
            raise ValueError(f"Planes of {self.slopes.shape} do not go with maps of {self.atlas.weights.shape}.")
        if not 1e-6 <= self.temperature <= 1e6:
            raise UserError(f"The temperature is a number from 0.000001 to 1000000, not {self.temperature}.")
        if not 1 <= self.turns <= len(symmetries(self.atlas.game)):
            most = len(symmetries(self.atlas.game))
            raise UserError(f"A board of {self.atlas.game.title} can be seen in 1 to {most} ways, not {self.turns}.")

    @cached_property
    def planes(self) -> sparring.Planes:
        """A copy as kernels take it."""
        biases = np.stack([maps.biases_of(it, self.atlas.winner == "distance") for it in self.atlas.weights])
        levels = np.zeros_like(biases)
        levels[:, : self.levels.shape[1]] = self.levels
        return sparring.Planes(
            join_maps([maps.lay_out(it) for it in self.atlas.weights]),
            biases,
            self.atlas.stages,
            levels,
            join_maps([maps.lay_out(it) for it in self.slopes]),
            np.float32(1.0 / (sparring.POWER * self.temperature)),
        )

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        boards = boards_of(self.atlas.game, states)
        total, values = np.zeros(len(boards)), np.empty(len(boards), np.float32)
        room = sparring.room_for(self.planes)
        for symmetry in symmetries(self.atlas.game)[: self.turns]:
            sparring.value_boards(self.planes, room, np.ascontiguousarray(boards[:, symmetry.cells]), values)
            total += values
        return Evaluation(np.clip(-total / self.turns, -1.0, 1.0))


def planes_of(atlas: Atlas, planes: sparring.Planes, temperature: float) -> PlaneValues:
    """The evaluation that a kernel has changed the planes to."""
    n_neurons = atlas.weights.shape[1]
    blocks = planes.slopes.reshape(len(atlas.ends), -1, planes.slopes.shape[1])
    slopes = np.stack([maps.read_out(it, n_neurons) for it in blocks])
    return PlaneValues(atlas, planes.levels[:, :n_neurons].copy(), slopes, temperature)
