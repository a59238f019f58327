"""Who learns: the table of learners. Each is imported when it is asked for, since some need torch."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from randori.errors import UserError, suggest
from randori.game import Game
from randori.learners.learner import Learner, Pairing, Preset
from randori.players import stones

__all__ = ["Kind", "Learner", "Pairing", "Preset", "check_installed", "check_plays", "kinds", "load"]


def _plays_anything(game: Game) -> str | None:
    return None


def _has_few_positions(game: Game) -> str | None:
    cells = game.shape[0] * game.shape[1]
    return (
        None if cells <= 16 else f"a table needs a row for each position, and a board of {cells} squares has too many"
    )


@dataclass(frozen=True)
class Kind:
    """A line of the table: where the class is, what it does, and why it does not play a game (None: it does)."""

    where: str
    summary: str
    refusal: Callable[[Game], str | None] = _plays_anything
    needs: str = ""
    """A package of the extra `train` that it cannot do without."""


_LEARNERS: dict[str, Kind] = {
    "table": Kind(
        "randori.learners.table:TableLearner", "remembers how games went on from each position", _has_few_positions
    ),
    "evolution": Kind(
        "randori.learners.evolution:EvolutionLearner", "evolves evaluation networks (Handa and Horiuchi)"
    ),
    "deep-q": Kind(
        "randori.learners.deep_q:DeepQLearner",
        "learns the worth of actions by networks (Humphreys et al.)",
        needs="torch",
    ),
    "alphazero": Kind(
        "randori.learners.alphazero:AlphaZeroLearner",
        "a network guides a search and learns from it; takes over others' networks (Hongcharoen)",
        needs="torch",
    ),
    "comparison": Kind(
        "randori.learners.comparison:ComparisonLearner",
        "learns the moves that beat it, in games of stones in a row (Freisleben)",
        stones.refusal,
    ),
    "som": Kind("randori.learners.som:SomLearner", "values of places on self-organizing maps (Kamei and Kakizoe)"),
}


def kinds() -> dict[str, Kind]:
    """Every learner by its name."""
    return dict(_LEARNERS)


def _kind(name: str) -> Kind:
    if name not in _LEARNERS:
        raise UserError(f"There is no learner '{name}'.{suggest(name, _LEARNERS)}")
    return _LEARNERS[name]


def load(name: str) -> type[Learner]:
    """The learner of this name."""
    check_installed(name)
    module, _, found = _kind(name).where.partition(":")
    try:
        learner: type[Learner] = getattr(import_module(module), found)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("randori"):
            raise
        raise _missing(name, error.name) from error
    return learner


def check_installed(name: str) -> None:
    """Raises UserError where a package is missing that the learner needs; imports nothing."""
    needs = _kind(name).needs
    if needs and find_spec(needs) is None:
        raise _missing(name, needs)


def _missing(name: str, package: str) -> UserError:
    return UserError(
        f"Learner '{name}' needs {package}, which is not installed: type `pip install 'randori[train]'`, "
        "or `pip install -e '.[train]'` in a working copy."
    )


def check_plays(name: str, game: Game) -> None:
    """Raises UserError where the learner refuses the game."""
    reason = _kind(name).refusal(game)
    if reason is not None:
        raise UserError(f"Learner '{name}' does not play {game.title}: {reason}.")
