"""The values of positions by their place on self-organizing maps."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randori.core.evaluation import Evaluation, values_by
from randori.core.game import States
from randori.core.knowledge import words_apart, words_of
from randori.core.symmetry import symmetries
from randori.errors import UserError
from randori.kernels.judges import Judge, judge_with
from randori.methods.som.atlas import Atlas, Weights, boards_of, join_maps
from randori.methods.som.kernels import judging, maps, sparring


def table_rows(atlas: Atlas) -> NDArray[np.int64]:
    """`[squares + 1]`: the row of a table of values by the number of stones on the board.

    A neuron with the greatest product may stand for positions of different moves, so each move has a row (section 7.1
    of the paper); where the least distance wins, each map has one.
    """
    return np.arange(len(atlas.stages)) if atlas.winner == "product" else atlas.stages


class _Judging:
    """What has a judge of its own, whose addresses mean nothing to other processes."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "judge"}


@dataclass(frozen=True, eq=False)
class TableValues(_Judging):
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

    @cached_property
    def judge(self) -> Judge:
        atlas = self.atlas
        return judge_with(
            judging.by_table,
            *_shared_facts(atlas, len(symmetries(atlas.game))),
            self.values,
            np.array([self._greatest]),
            table_rows(atlas),
            atlas.retrieved,
            self.values.shape[1],
            int(atlas.winner == "product"),
        )


@dataclass(frozen=True, eq=False)
class PlaneValues(_Judging):
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
        weights, biases = self.atlas.joined
        levels = np.zeros_like(biases)
        levels[:, : self.levels.shape[1]] = self.levels
        slopes = join_maps([maps.lay_out(it) for it in self.slopes])
        steepness = np.float32(1.0 / (sparring.POWER * self.temperature))
        return sparring.Planes(weights, biases, self.atlas.stages, levels, slopes, steepness)

    @cached_property
    def judge(self) -> Judge:
        planes = self.planes
        steepness = np.array([planes.steepness])
        return judge_with(
            judging.by_planes, *_shared_facts(self.atlas, self.turns), planes.levels, planes.slopes, steepness
        )

    def __call__(self, states: States, rng: np.random.Generator) -> Evaluation:
        return Evaluation(values_by(self.judge, states))


def _shared_facts(atlas: Atlas, n_turns: int) -> tuple[int | NDArray[Any], ...]:
    """Of both judges."""
    turned = np.stack([it.cells for it in symmetries(atlas.game)]).astype(np.int64)
    weights, biases = atlas.joined
    bits = atlas.game.knowledge.bits
    known_bits = (np.zeros(0, np.int64), 0) if bits is None else (np.asarray(bits, np.int64), 1)
    stones = _stones_among_bits(bits, turned)
    return atlas.game.rules, *known_bits, *stones, turned, n_turns, weights, biases, atlas.stages, biases.shape[1]


def _stones_among_bits(
    bits: NDArray[np.int64] | None, turned: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64], int, int]:
    """The facts from BOARD to THEIRS."""
    apart = None if bits is None else words_apart(bits)
    if bits is None or apart is None:
        return np.zeros(0, np.uint64), np.zeros(0, np.int64), 0, 0
    n_words = int(bits[0].max()) // 64 + 1
    places = np.zeros((len(turned), 64 * n_words), np.int64)
    np.put_along_axis(places, bits[0][turned], np.arange(turned.shape[1])[None], axis=1)
    return words_of(bits[0]), places, n_words, apart


def planes_of(atlas: Atlas, planes: sparring.Planes, temperature: float) -> PlaneValues:
    """The evaluation that a kernel has changed the planes to."""
    n_neurons = atlas.weights.shape[1]
    blocks = planes.slopes.reshape(len(atlas.spans), -1, planes.slopes.shape[1])
    slopes = np.stack([maps.read_out(it, n_neurons) for it in blocks])
    return PlaneValues(atlas, planes.levels[:, :n_neurons].copy(), slopes, temperature)
