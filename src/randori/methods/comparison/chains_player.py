"""Freisleben's network (1995) as a player: which chains and patterns it looks at, and how it chooses.

The paper names the kinds and numbers of its units; its figures, which drew them, are lost. What stands here is a
reconstruction, drawn in docs/papers/freisleben.md: everything follows from the eight rays that leave the square.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple, Self

import numpy as np

from randori.core.chance import highest
from randori.core.game import Floats, Game, States
from randori.core.player import Choice
from randori.methods.comparison.kernels import chains as kernel
from randori.methods.comparison.safety import choose_safely
from randori.methods.comparison.suitable import check_game
from randori.players.files import Contents
from randori.search.threats import check_threats

Square = tuple[int, int]
"""Rows down and columns right of the square in question."""

RAYS: tuple[Square, ...] = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""Each 45 degrees on from the one before."""

CHAIN_RATIO = 16.0
"""A product of n chains is multiplied by this to the power n - 1: as if each further chain held two stones of four."""

CROSSINGS = 2
"""Chains that cross the line of the third pattern: with two a unit has 4 + 5 + 5 inputs, the paper's 14, on every ray."""
FIRST_CROSSINGS = 3
"""As many as the window holds, which are 19 inputs on straight rays: what files without a setting were trained with."""


class Chain(NamedTuple):
    """Squares in a row from `start` on, in one of the four directions of the kernel."""

    direction: int
    start: Square

    def squares(self, k: int) -> list[Square]:
        down, right = kernel.DIRECTIONS[self.direction]
        return [(self.start[0] + i * down, self.start[1] + i * right) for i in range(k)]


class Geometry(NamedTuple):
    """The wiring of the network around one square."""

    k: int
    window: tuple[Square, ...]
    stars: tuple[Chain, ...]
    """The chains through the square."""
    outer: tuple[Chain, ...]
    """The chains of the window that cross a ray at a right angle in their middle."""
    units: tuple[tuple[Chain, ...], ...]
    """The chains of each unit: three patterns, each on the eight rays."""

    def n_inputs(self, unit: tuple[Chain, ...]) -> int:
        """The squares that a unit looks at through its chains: the square itself is none, and a shared one counts twice."""
        return sum(square != (0, 0) for chain in unit for square in chain.squares(self.k))


def window_squares(k: int) -> tuple[Square, ...]:
    """The block of squares nearer than `k - 1`, and on the eight rays those at that distance: 56 for five in a row."""
    reach = range(1 - k, k)
    near = [(r, c) for r in reach for c in reach if max(abs(r), abs(c)) < k - 1 or r == 0 or c == 0 or abs(r) == abs(c)]
    return tuple(square for square in near if square != (0, 0))


def _chain_on(ray: Square, k: int) -> Chain:
    """The chain through the square that lies ahead on a ray, but for the quarter that lies behind."""
    behind = (k - 1) // 4
    return _chain_from((-behind * ray[0], -behind * ray[1]), ray, k)


def _chain_from(start: Square, ray: Square, k: int) -> Chain:
    """The chain that begins at a square and runs as a ray does."""
    if ray in kernel.DIRECTIONS:
        return Chain(kernel.DIRECTIONS.index(ray), start)
    back = (-ray[0], -ray[1])
    last = (start[0] + (k - 1) * ray[0], start[1] + (k - 1) * ray[1])
    return Chain(kernel.DIRECTIONS.index(back), last)


def _chain_across(ray: Square, distance: int, k: int) -> Chain:
    """The chain whose middle is on a ray, at a right angle to it."""
    sideways = RAYS[(RAYS.index(ray) + 2) % 8]
    half = k // 2
    middle = (distance * ray[0], distance * ray[1])
    return _chain_from((middle[0] - half * sideways[0], middle[1] - half * sideways[1]), sideways, k)


@cache
def geometry(k: int, crossings: int = CROSSINGS) -> Geometry:
    """The wiring for `k` in a row, `k` odd. The third pattern has the nearest `crossings` chains that cross its line."""
    window = window_squares(k)
    stars = [
        Chain(d, (-back * down, -back * right))
        for d, (down, right) in enumerate(kernel.DIRECTIONS)
        for back in range(k)
    ]
    across = {
        (ray, distance): _chain_across(ray, distance, k)
        for ray in RAYS
        for distance in range(1, k)
        if set(_chain_across(ray, distance, k).squares(k)) <= set(window)
    }
    units: list[tuple[Chain, ...]] = []
    for turn in (1, 2):
        units += [(_chain_on(ray, k), _chain_on(RAYS[(i + turn) % 8], k)) for i, ray in enumerate(RAYS)]
    for ray in RAYS:
        crossing = [chain for (its, _), chain in across.items() if its == ray]
        units.append((_chain_on(ray, k), *crossing[:crossings]))
    return Geometry(k, window, tuple(stars), tuple(across.values()), tuple(units))


@cache
def wiring(game: Game, crossings: int = CROSSINGS) -> kernel.Wiring:
    """The wiring on the game's board, for the kernel. Raises UserError where the game is of another kind."""
    size, net = game.shape[0], geometry(check_game(game), crossings)
    wide = size + 2 * (net.k - 1)
    chains = net.stars + net.outer
    inputs = np.full((len(net.units), max(map(len, net.units))), -1, np.int64)
    for row, unit in zip(inputs, net.units, strict=True):
        row[: len(unit)] = [chains.index(chain) for chain in unit]
    return kernel.Wiring(
        size,
        net.k,
        len(net.stars),
        np.array([r * wide + c for r, c in net.window]),
        np.array([chain.direction for chain in chains]),
        np.array([chain.start[0] * wide + chain.start[1] for chain in chains]),
        inputs,
        np.array([CHAIN_RATIO ** (len(unit) - 1) for unit in net.units]),
    )


@dataclass(frozen=True, eq=False)
class Comparison:
    """Plays the empty square with the highest output of the network; equals by lot.

    A square that makes five comes before all others, then one that stops five: the paper wants this of the fixed
    weights, which alone do not guarantee it where many chains cross.
    """

    game: Game
    weights: Floats
    """`[2, units]`: from the pattern units to the own and to the opponent's viewpoint."""
    balance: Floats
    """`[2]`: attack and defence, the weights of the two viewpoints."""
    crossings: int = CROSSINGS
    """Of the third pattern: see `geometry`."""
    threats: int = 0
    """Nodes of a search for wins by fours and open threes; 0: none is made."""
    name: str = "comparison"
    kind: ClassVar[str] = "comparison"
    chances: ClassVar[bool] = False
    OLD_OPTIONS: ClassVar[Mapping[str, str]] = {
        "threats=true": "threats=2000",
        "threats=false": "threats=0",
        "nodes": "threats",
    }

    def __post_init__(self) -> None:
        n_units = len(self._wiring.factors)
        if self.weights.shape != (2, n_units) or self.balance.shape != (2,):
            raise ValueError(f"The network needs weights of (2, {n_units}), not {self.weights.shape}.")
        check_threats(self.game, self.threats)

    @property
    def _wiring(self) -> kernel.Wiring:
        return wiring(self.game, self.crossings)

    def scores(self, states: States) -> Floats:
        """`[B, A]`: the output for each action; -inf for those that are not legal."""
        scores = np.empty((len(states), self.game.n_actions))
        kernel.score_boards(self._wiring, self.weights, self.balance, self.game.cells(states), scores)
        return scores

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        if self.threats:
            return Choice(choose_safely(self.game, states, self.scores(states), self.threats, rng))
        return Choice(highest(self.scores(states), rng))

    def contents(self) -> Contents:
        return Contents({"weights": self.weights, "balance": self.balance}, {"crossings": self.crossings})

    @classmethod
    def from_contents(
        cls,
        game: Game,
        contents: Contents,
        threats: int = 0,
    ) -> Self:
        crossings = contents.whole("crossings", FIRST_CROSSINGS)
        return cls(game, contents.floats("weights"), contents.floats("balance"), crossings, threats)
