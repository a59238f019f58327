"""The pupil: knows positions by self-organizing maps, and of their worth only what games with one person have taught it.

What Kamei and Kakizoe wish for in the end: a partner that grows with the person it plays with.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from randori.core.evaluation import Evaluation
from randori.core.game import Game, States
from randori.core.player import Choice
from randori.core.replay import positions
from randori.core.symmetry import symmetries
from randori.errors import UserError
from randori.methods.som.kernels import sparring
from randori.methods.som.player import SelfOrganized
from randori.methods.som.values import PlaneValues, planes_of
from randori.players.files import ZOO, load_player
from randori.players.kinds import Offer

OFFER = Offer("pupil", "Pupil", "knows nothing but what its games with you have taught it")
RATE = 0.05
"""The share of an error that the first reading corrects; later readings correct less, in even steps down to nothing."""
TRACE_DECAY = 0.9
READINGS = 20
"""How often it replays all games. A person plays tens of games, not hundreds of thousands as in a training."""
MOST_LESSONS = 200
"""It remembers the last ones: a few of them take milliseconds to learn, all about a second."""


class Lesson(NamedTuple):
    """A game to learn from; one that was resigned may end early."""

    actions: Sequence[int]
    result: float
    """Of the side that began: 1 won, 0.5 drawn, 0 lost."""


@dataclass(frozen=True, eq=False)
class Pupil:
    """Plays to the next position that it thinks best, and draws by lot where it has no idea.

    All that it knows follows from its lessons: the same lessons make the same pupil.
    """

    game: Game
    lessons: tuple[Lesson, ...] = ()
    name: str = "pupil"
    kind: ClassVar[str] = "pupil"
    chances: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_maps(self.game)

    @cached_property
    def values(self) -> PlaneValues:
        """Both sides' positions are learned by the rule of sparring, each turned by lot at each reading."""
        ignorant = _ignorant(self.game)
        planes, rng = ignorant.planes, np.random.default_rng(0)
        room = sparring.room_for(planes)
        places = np.stack([np.argsort(it.cells) for it in symmetries(self.game)])
        stream = rng.integers(0, 2**63, 1).astype(np.uint64)
        games = [_path(self.game, it) for it in self.lessons[-MOST_LESSONS:]]
        for reading in range(READINGS):
            how = sparring.Sparring(RATE * (1 - reading / READINGS), TRACE_DECAY, 0.0, 0, 0, True)
            for place in rng.permutation(len(games)):
                sparring.learn_played(self.game.rules, planes, room, places, how, stream, *games[place])
        return planes_of(ignorant.atlas, planes, ignorant.temperature)

    def evaluate(self, states: States, rng: np.random.Generator) -> Evaluation:
        return self.values(states, rng)

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        return SelfOrganized(self.game, self.values, exact=0).choose(states, rng)


def has_maps(game: Game) -> bool:
    """Whether the zoo has maps for a pupil."""
    return (ZOO / f"{game.name}-som.safetensors").is_file()


def check_maps(game: Game) -> None:
    """Raises UserError for a game without maps."""
    if not has_maps(game):
        raise UserError(f"There is no pupil for {game.title} yet, since nobody has drawn its maps: meet the companion.")


def _ignorant(game: Game) -> PlaneValues:
    """The zoo's maps, whose places are worth nothing yet; a copy that may be changed."""
    maps = _trained(game)
    levels, slopes = np.zeros_like(maps.levels), np.zeros_like(maps.slopes)
    return PlaneValues(maps.atlas, levels, slopes, maps.temperature)


@lru_cache
def _trained(game: Game) -> PlaneValues:
    player = load_player(ZOO / f"{game.name}-som.safetensors", game)
    assert isinstance(player, SelfOrganized)
    assert isinstance(player.values, PlaneValues)
    return player.values


def _path(game: Game, lesson: Lesson) -> tuple[NDArray[np.uint64], int]:
    """The states of a game, and its result for the side to move in the last."""
    if not lesson.actions or lesson.result not in (0.0, 0.5, 1.0):
        raise UserError(f"A lesson is a game of at least one move that was won, drawn or lost, not {lesson}.")
    for_first = round(2 * lesson.result - 1)
    return positions(game, lesson.actions), for_first if len(lesson.actions) % 2 == 0 else -for_first
