"""Features as evolved networks see them: some of a game's own, and some that mutation made."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from randori.core.features import ALL, DEFAULT, PAPER, features_of
from randori.core.game import Floats, Game, States
from randori.errors import UserError, suggest
from randori.kernels import features as kernel
from randori.methods.evolution.made import counted, factors


def feature_names(game: Game, chosen: Sequence[str]) -> tuple[str, ...]:
    """The features that a list of names and sets means, in the game's own order. Raises UserError for unknown ones."""
    known = features_of(game).features
    words = [it.name for it in known] + [PAPER, DEFAULT, ALL]
    names = tuple(
        it.name for it in known if ALL in chosen or it.name in chosen or any(name in chosen for name in it.sets)
    )
    others = tuple(name for name in chosen if name not in words)
    _check(game, names + others, words)
    if not names:
        raise UserError(f"Name at least one feature of {game.title}, or '{DEFAULT}'.")
    return names + others


def _check(game: Game, names: Sequence[str], known: Sequence[str]) -> None:
    """Raises UserError for a feature that the game does not have and that was not made of what it has."""
    for place, name in enumerate(names):
        if name in known:
            continue
        parts = factors(name) or ()
        missing = [it for it in parts if it not in names[:place]]
        if missing and all(it in known for it in parts):
            raise UserError(f"'{name}' needs the feature '{missing[0]}': name that too.")
        if missing or not (parts or counted(game, name)):
            raise UserError(f"{game.title} has no feature '{name}'.{suggest(name, known)}")


@dataclass(frozen=True)
class Features:
    """Some features of a game, ready for batches of positions."""

    game: Game
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        _check(self.game, self.names, [it.name for it in features_of(self.game).features])

    @property
    def plan(self) -> kernel.Plan:
        """What the kernels take."""
        return _plan(self.game, self.names)

    def __call__(self, states: States) -> Floats:
        """`[B, F]`"""
        found = np.empty((len(states), len(self.names)))
        kernel.measure_all(self.game.rules, self.plan, np.ascontiguousarray(states, np.uint64), found)
        return found


@lru_cache(maxsize=256)  # where mutation makes features, every generation has others
def _plan(game: Game, names: tuple[str, ...]) -> kernel.Plan:
    known = features_of(game)
    tallies: NDArray[np.int64] = np.zeros(game.n_squares, np.int64)
    for region in known.regions:
        tallies[list(region.squares)] = region.tally
    n_tallies = known.regions[-1].tally + 2
    by_name, wanted = {it.name: it for it in known.features}, 0
    terms: list[tuple[int, int, int, float]] = []
    groups: list[list[int]] = []
    for name in names:
        if name in by_name:
            terms.append(by_name[name].term)
            wanted |= by_name[name].group
        elif parts := factors(name):
            terms.append((kernel.PRODUCT, names.index(parts[0]), names.index(parts[1]), 1.0))
        elif counter := counted(game, name):
            terms.append((counter.arithmetic, n_tallies, n_tallies + 1, counter.scale))
            groups += [[n_tallies, *it, *[-1] * (kernel.GROUP - len(it))] for it in counter.groups]
            n_tallies += 2
    return kernel.Plan(
        np.array([*game.shape, known.line, known.falls, wanted, n_tallies], np.int64),
        tallies,
        np.array(known.corners, np.int64),
        np.array(groups, np.int64).reshape(-1, 1 + kernel.GROUP),
        np.array([it[:3] for it in terms], np.int64).reshape(-1, 3),
        np.array([it[3] for it in terms]),
    )
