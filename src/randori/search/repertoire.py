"""A repertoire: for either side a move that keeps the outcome, against every reply, through the first plies of a game.

It begins with the first position and the positions after each first move. What follows are all replies to the moves stored
two plies before, so that the file need not name positions: it has a move and an outcome for each, in the order of their words,
ply by ply. Of positions that are turned images of each other there is one, whose words come first. A file that ends anywhere
is a shorter repertoire.
"""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.core.game import DRAW, LOSS, ONGOING, WIN, Game, States
from randori.core.symmetry import canonical, symmetries
from randori.reading import DamagedFile, read_json
from randori.tensorfile import write_whole

_SIGNS = {WIN: "+", DRAW: "=", LOSS: "-"}


class Answer(NamedTuple):
    """What is stored of a position, for the side to move: WIN, DRAW or LOSS, and an action that keeps it."""

    outcome: int
    action: int


class Ply(NamedTuple):
    """Positions with the same number of moves behind them; the last ones may have no answer yet."""

    states: States
    answers: list[Answer]

    @property
    def complete(self) -> bool:
        return len(self.answers) == len(self.states)


def next_states(game: Game, plies: list[Ply]) -> States:
    """The positions of the ply after these, all of which are complete."""
    if not plies:
        return game.start(1)
    states = game.start(1)
    if len(plies) > 1:
        states = game.play(plies[-2].states, np.array([it.action for it in plies[-2].answers], np.int16))
        states = states[game.outcome(states) == ONGOING]
    replies = game.children(states).states
    found: States = np.unique(canonical(game, replies[game.outcome(replies) == ONGOING])[0], axis=0)
    return found


class Repertoire:
    """The answers of all plies, found by position."""

    def __init__(self, game: Game, plies: list[Ply]) -> None:
        self.game, self.plies = game, plies
        self._answers = {
            state.tobytes(): answer
            for ply in plies
            for state, answer in zip(ply.states, ply.answers, strict=False)  # those of the last ply may be fewer
        }

    def __len__(self) -> int:
        return len(self._answers)

    def find(self, states: States) -> list[Answer | None]:
        """What is stored of each position; None where it is not among them."""
        first, numbers = canonical(self.game, states)
        return [self._find(words, int(number)) for words, number in zip(first, numbers, strict=True)]

    def _find(self, words: NDArray[np.uint64], number: int) -> Answer | None:
        answer = self._answers.get(words.tobytes())
        if answer is None:
            return None
        turned = symmetries(self.game)[number].actions
        return answer._replace(action=int(np.flatnonzero(turned == answer.action)[0]))


def write_repertoire(path: Path, game: Game, plies: list[Ply]) -> None:
    """Replaces the file."""
    rows = [
        {
            "moves": " ".join(game.move_names[it.action] for it in ply.answers),
            "outcomes": "".join(_SIGNS[it.outcome] for it in ply.answers),
        }
        for ply in plies
    ]
    write_whole(path, (json.dumps({"plies": rows, "digest": _digest(plies)}, indent=1) + "\n").encode())


def read_plies(path: Path, game: Game) -> list[Ply]:
    """Raises DamagedFile unless the file was written for the game as it is now."""
    kept = read_json(path)
    plies: list[Ply] = []
    try:
        for row in kept["plies"]:
            states = next_states(game, plies)
            plies.append(Ply(states, _answers(game, states, row["moves"].split(), row["outcomes"])))
        whole = kept["digest"] == _digest(plies)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(path, game) from error
    if not whole:
        raise _damaged(path, game)
    return plies


def _answers(game: Game, states: States, moves: list[str], signs: str) -> list[Answer]:
    outcomes = {sign: outcome for outcome, sign in _SIGNS.items()}
    actions = [game.move_names.index(name) for name in moves]
    if len(actions) > len(states) or not game.legal(states)[np.arange(len(actions)), actions].all():
        raise ValueError
    return [Answer(outcomes[sign], action) for sign, action in zip(signs, actions, strict=True)]


def _digest(plies: list[Ply]) -> str:
    """A hash of positions and answers: if a game wrote its states in other words, the answers would belong to other
    positions.
    """
    digest = hashlib.sha256()
    for ply in plies:
        digest.update(ply.states[: len(ply.answers)].tobytes())
        digest.update(np.array(ply.answers, np.int64).tobytes())
    return digest.hexdigest()[:16]


def _damaged(path: Path, game: Game) -> DamagedFile:
    return DamagedFile(f"'{path}' is damaged: the repertoire of {game.title} cannot be read; install Randori again.")


@cache
def repertoire(game: Game) -> Repertoire | None:
    """The repertoire that is included for the game; None where there is none."""
    path = game.knowledge.repertoire
    return None if path is None else Repertoire(game, read_plies(path, game))
