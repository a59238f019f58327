"""Thresholds that make positions of weights again (section 3.2 of the paper): `[squares]` each.

A weight beyond its square's threshold stands for a stone, any other for an empty square.
"""

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from randori.errors import UserError
from randori.methods.som.atlas import Boards, Weights
from randori.methods.som.kernels import maps

BITS = 32
POPULATION, GENERATIONS = 24, 24
CROSSOVER, MUTATION = 0.9, 1.0 / BITS


def fixed(n_squares: int, threshold: float) -> Weights:
    """The same for all squares."""
    if threshold < 0:
        raise UserError(f"A threshold must be 0 or more, not {threshold}.")
    return np.full(n_squares, threshold, np.float32)


def statistical(weights: Weights, boards: Boards) -> Weights:
    """As far from 0, in standard deviations of a square's weights, as a share of a normal distribution lies within that
    is equal to the share of boards where the square is empty.
    """
    empty = np.clip((boards == 0).mean(axis=0), 0.0, 1.0 - 1e-6)
    quantiles = [NormalDist().inv_cdf((1.0 + share) / 2.0) for share in empty]
    return (weights.std(axis=0) * quantiles).astype(np.float32)


def genetic(weights: Weights, boards: Boards, rng: np.random.Generator) -> Weights:
    """One square after the other by a genetic algorithm over 32 bits, the others held at what was found before.

    An individual is worth the share of stones that come back in their colour on its square. Where the winners' weights
    have the right sign, a lower threshold never does harm: the paper's GA too ends with nearly no empty squares.
    """
    winners, tops = np.empty(len(boards), np.int64), np.empty(len(boards), np.float32)
    maps.find_winners(maps.lay_out(weights), maps.biases_of(weights, True), np.ascontiguousarray(boards), winners, tops)
    thresholds = statistical(weights, boards)
    for square in range(weights.shape[1]):
        stones = boards[:, square] != 0
        if stones.any():
            agreeing = np.sort((weights[winners, square] * boards[:, square])[stones])
            thresholds[square] = _evolve(agreeing, thresholds[square], rng)
    return thresholds


def _evolve(agreeing: NDArray[np.float32], start: np.float32, rng: np.random.Generator) -> float:
    """The best threshold for one square; `agreeing` are the weights where it has a stone, 1 being that stone, rising."""
    population = rng.integers(0, 2**BITS, POPULATION, dtype=np.uint64)
    population[0] = np.uint64(min(max(float(start), 0.0), 1.0) * (2**BITS - 1))
    best = population[0]
    for _ in range(GENERATIONS):
        fitness = 1.0 - np.searchsorted(agreeing, _decode(population), "right") / len(agreeing)
        best = population[np.argmax(fitness)]
        pairs = rng.integers(0, POPULATION, (2, 2, POPULATION))
        mothers, fathers = (population[np.where(fitness[one] >= fitness[other], one, other)] for one, other in pairs)
        points = np.where(rng.random(POPULATION) < CROSSOVER, rng.integers(1, BITS, POPULATION), BITS).astype(np.uint64)
        low = (np.uint64(1) << points) - np.uint64(1)
        flips = (rng.random((POPULATION, BITS)) < MUTATION) @ (np.uint64(1) << np.arange(BITS, dtype=np.uint64))
        population = ((mothers & low) | (fathers & ~low)) ^ flips
        population[0] = best
    return float(_decode(np.array([best]))[0])


def _decode(genes: NDArray[np.uint64]) -> NDArray[np.float64]:
    """From 0 to 1, in a linear scale."""
    return genes / (2.0**BITS - 1.0)
