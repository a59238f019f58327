"""Features as evolved networks see them: some of a game's own, ready for batches of positions."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from randori.core.features import ALL, DEFAULT, PAPER, features_of
from randori.core.game import Floats, Game, States
from randori.errors import UserError, suggest
from randori.kernels import features as kernel


def feature_names(game: Game, chosen: Sequence[str]) -> tuple[str, ...]:
    """The features that a list of names and sets means, in the game's own order. Raises UserError for unknown ones."""
    known = features_of(game).features
    words = [it.name for it in known] + [PAPER, DEFAULT, ALL]
    for name in chosen:
        if name not in words:
            raise UserError(f"{game.title} has no feature '{name}'.{suggest(name, words)}")
    names = tuple(
        it.name for it in known if ALL in chosen or it.name in chosen or any(name in chosen for name in it.sets)
    )
    if not names:
        raise UserError(f"Name at least one feature of {game.title}, or '{DEFAULT}'.")
    return names


@dataclass(frozen=True)
class Features:
    """Some features of a game, ready for batches of positions."""

    game: Game
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        known = [it.name for it in features_of(self.game).features]
        unknown = [name for name in self.names if name not in known]
        if unknown:
            raise UserError(f"{self.game.title} has no feature '{unknown[0]}'.{suggest(unknown[0], known)}")

    @property
    def plan(self) -> kernel.Plan:
        """What the kernels take."""
        return _plan(self.game, self.names)

    def __call__(self, states: States) -> Floats:
        """`[B, F]`"""
        found = np.empty((len(states), len(self.names)))
        kernel.measure_all(self.game.rules, self.plan, np.ascontiguousarray(states, np.uint64), found)
        return found


@cache
def _plan(game: Game, names: tuple[str, ...]) -> kernel.Plan:
    known = features_of(game)
    by_name = {it.name: it for it in known.features}
    chosen = [by_name[name] for name in names]
    tallies: NDArray[np.int64] = np.zeros(game.n_squares, np.int64)
    for region in known.regions:
        tallies[list(region.squares)] = region.tally
    wanted = 0
    for it in chosen:
        wanted |= it.group
    last = known.regions[-1].tally + 1
    return kernel.Plan(
        np.array([*game.shape, known.line, known.falls, wanted, last + 1], np.int64),
        tallies,
        np.array(known.corners, np.int64),
        np.array([it.term[:3] for it in chosen], np.int64).reshape(-1, 3),
        np.array([it.term[3] for it in chosen]),
    )
