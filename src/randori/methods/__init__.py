"""The methods: one room each, which reads like its paper. Others are registered from a script or a package."""

from randori.core.game import Game
from randori.methods import alphazero, comparison, deep_q, evolution, ntuple, som, table
from randori.methods.learner import Annealing, Learner, Pairing, Preset, Streaming
from randori.methods.method import REGISTRY, Method, Paper, PaperScale, Suited, Thinking

__all__ = [
    "REGISTRY",
    "Annealing",
    "Learner",
    "Method",
    "Pairing",
    "Paper",
    "PaperScale",
    "Preset",
    "Streaming",
    "Suited",
    "Thinking",
    "all_methods",
    "check_plays",
    "find",
    "load",
    "thinking_of",
]

REGISTRY.add_own(
    {room.METHOD.name: room.METHOD for room in (table, evolution, deep_q, alphazero, comparison, som, ntuple)}
)


def all_methods() -> dict[str, Method]:
    """Every method by its name."""
    return REGISTRY.all()


def find(name: str) -> Method:
    return REGISTRY.find(name)


def load(name: str) -> type[Learner]:
    """The learner of a method. Raises UserError where there is none of that name, or a package is missing."""
    return find(name).load()


def check_plays(name: str, game: Game) -> None:
    """Raises UserError where the method refuses the game."""
    find(name).check_plays(game)


def thinking_of(kind: str) -> Thinking:
    """How a kind of player in files can think less or more, if its method says so."""
    known = [it.thinking[kind] for it in all_methods().values() if kind in it.thinking]
    return known[0] if known else Thinking()
