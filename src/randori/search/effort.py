"""How much work it takes to solve positions: random ones to try, the speed on them, and an estimate for others."""

from time import perf_counter
from typing import NamedTuple

import numpy as np

from randori.core.game import ONGOING, Game, States
from randori.errors import UserError
from randori.search.solver import Solution, Solver

_TRIES = 100
_NODES_TO_EXPECT, _SECONDS_TO_EXPECT = 4_000_000, 4.0


def random_endings(game: Game, n: int, left: int, rng: np.random.Generator, root: States | None = None) -> States:
    """Positions with so many moves left, reached by random moves from `root` or the start; the game goes on in all.

    There may be fewer than `n` of them, or none, where random games seldom last so long.
    """
    found = [np.empty((0, game.words), np.uint64)]
    for _ in range(_TRIES):
        states = np.repeat(game.start(1) if root is None else root, n, axis=0)
        while len(states):
            moves = game.moves_left(states)
            going = game.outcome(states) == ONGOING
            found.append(states[going & (moves == left)])
            states = states[going & (moves > left)]
            states = game.play(states, game.pick(states, rng.random(len(states))))
        if sum(map(len, found)) >= n:
            break
    return np.concatenate(found)[:n]


class Speed(NamedTuple):
    """How fast positions were solved, one core, each with an empty table."""

    median_seconds: float
    nodes_a_second: float


def measure(game: Game, left: int, n: int = 50, seed: int = 0) -> Speed:
    """Solves `n` random positions with this many moves left: their values and best moves."""
    states = random_endings(game, n, left, np.random.default_rng(seed))
    if not len(states):
        raise UserError(f"Random games of {game.title} rarely leave {left} empty squares; choose another number.")
    solved = [Solver(game).solve(states[i : i + 1]) for i in range(len(states))]
    seconds = [it.seconds for it in solved]
    return Speed(float(np.median(seconds)), sum(it.nodes for it in solved) / sum(seconds))


def expected_seconds(game: Game, state: States) -> float:
    """About how long a position will take, `[1, words]`; ten times more or less is possible.

    Continuations by random moves are solved at growing numbers of moves left. The work grows by about the same factor with
    every move; the hardest of some continuations, which are mostly poor games, stands for a real one.
    """
    if not game.fills:
        return np.inf  # positions do not tell how far they are from the end
    rng, began = np.random.default_rng(0), perf_counter()
    sizes: list[int] = []
    hardest: list[Solution] = []
    spent = 0
    for left in range(6, int(game.moves_left(state)[0]), 2):
        samples = random_endings(game, 16, left, rng, state)
        if len(samples):
            solved = [Solver(game).solve(samples[i : i + 1]) for i in range(len(samples))]
            sizes.append(left)
            hardest.append(max(solved, key=lambda it: it.nodes))
            spent += sum(it.nodes for it in solved)
        if spent > _NODES_TO_EXPECT or perf_counter() - began > _SECONDS_TO_EXPECT:
            break
    if len(sizes) < 2:
        return np.inf
    growth, offset = np.polyfit(sizes[-8:], np.log([it.nodes for it in hardest[-8:]]), 1)
    nodes = np.exp(min(offset + growth * game.moves_left(state)[0], 700.0))
    return float(nodes / hardest[-1].nodes_a_second)
