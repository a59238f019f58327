"""The outcome of every position of a game's first plies, where a file has those of one ply.

The file names no positions: it has an outcome for each position of its ply, in the order of their words. Finished games are
left out, and of positions that are turned images of each other the one is in whose words come first. The outcomes of the
plies before follow: a position is worth the best of what its moves leave the other side.
"""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.core.game import DRAW, LOSS, ONGOING, WIN, Game, States
from randori.core.symmetry import canonical
from randori.reading import DamagedFile, read_json
from randori.tensorfile import write_whole

_SIGNS = {WIN: "+", DRAW: "=", LOSS: "-"}
_OUTCOMES = {sign: outcome for outcome, sign in _SIGNS.items()}

Outcomes = NDArray[np.int8]


class Moves(NamedTuple):
    """The moves from the positions of one ply to those of the next."""

    states: States
    """The positions that they start from."""
    parents: NDArray[np.int64]
    """`[moves]`: the row of the position before."""
    ends: Outcomes
    """`[moves]`: the outcome after the move for the side to move then, or ONGOING."""
    rows: NDArray[np.intp]
    """`[moves after which the game goes on]`: the row of the position after it."""


def moves_to(game: Game, ply: int) -> tuple[list[Moves], States]:
    """The moves of all plies before this one, and the positions that they lead to: those in which the game goes on, one of each
    set of turned images, in the order of their words."""
    plies, states = [], game.start(1)
    for _ in range(ply):
        children = game.children(states)
        ends = game.outcome(children.states)
        after, rows = np.unique(canonical(game, children.states[ends == ONGOING])[0], axis=0, return_inverse=True)
        plies.append(Moves(states, children.parents, ends, rows.reshape(-1)))
        states = after
    return plies, states


class FirstPlies:
    """The outcomes for the side to move, found by position."""

    def __init__(self, game: Game, plies: list[Moves], states: States, outcomes: Outcomes) -> None:
        """The outcomes are those of the last positions, `states`; both as `moves_to` returns them."""
        self.game = game
        self._outcomes = _by_position(states, outcomes)
        for moves in reversed(plies):
            left = moves.ends.copy()
            left[moves.ends == ONGOING] = outcomes[moves.rows]
            outcomes = np.full(len(moves.states), LOSS, np.int8)
            np.maximum.at(outcomes, moves.parents, -left)
            self._outcomes |= _by_position(moves.states, outcomes)

    def __len__(self) -> int:
        return len(self._outcomes)

    def find(self, state: States) -> int | None:
        """The outcome of one position, `[1, words]`; None where it is later, or the game is over."""
        return self._outcomes.get(canonical(self.game, state)[0].tobytes())


def _by_position(states: States, outcomes: Outcomes) -> dict[bytes, int]:
    return {state.tobytes(): int(outcome) for state, outcome in zip(states, outcomes, strict=True)}


def write_outcomes(path: Path, states: States, outcomes: Outcomes) -> None:
    """Replaces the file by one with the outcomes of all positions, or of the first of them."""
    signs = "".join(_SIGNS[int(it)] for it in outcomes)
    kept = {"outcomes": signs, "digest": _digest(states, outcomes)}
    write_whole(path, (json.dumps(kept, indent=1) + "\n").encode())


def read_outcomes(path: Path, game: Game, states: States) -> Outcomes:
    """Of all positions, or of the first of them. Raises DamagedFile unless the file was written for the game as it is."""
    kept = read_json(path)
    try:
        outcomes = np.array([_OUTCOMES[sign] for sign in kept["outcomes"]], np.int8)
        whole = len(outcomes) <= len(states) and kept["digest"] == _digest(states, outcomes)
    except (LookupError, TypeError, AttributeError) as error:
        raise _damaged(path, game) from error
    if not whole:
        raise _damaged(path, game)
    return outcomes


def _digest(states: States, outcomes: Outcomes) -> str:
    """A hash of positions and outcomes: if a game wrote its states in other words, the outcomes would belong to other
    positions.
    """
    digest = hashlib.sha256(states[: len(outcomes)].tobytes())
    digest.update(outcomes.tobytes())
    return digest.hexdigest()[:16]


def _damaged(path: Path, game: Game) -> DamagedFile:
    return DamagedFile(f"'{path}' is damaged: the outcomes of {game.title} cannot be read; install Randori again.")


@cache
def _first_plies(game: Game, ply: int, path: Path) -> FirstPlies:
    plies, states = moves_to(game, ply)
    outcomes = read_outcomes(path, game, states)
    if len(outcomes) < len(states):
        raise _damaged(path, game)
    return FirstPlies(game, plies, states, outcomes)


def early_outcome(game: Game, state: States) -> int | None:
    """WIN, DRAW or LOSS of one position, `[1, words]`, for the side to move; None where it is not known at once."""
    known = game.knowledge.outcomes
    if known is None or game.n_squares - int(game.moves_left(state)[0]) > known.ply:
        return None
    return _first_plies(game, known.ply, known.file).find(state)
