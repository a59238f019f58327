"""What a method says of itself."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, NamedTuple

from randori.core.game import Game
from randori.errors import UserError
from randori.methods.learner import Learner, Preset
from randori.methods.pictures import Pictures
from randori.players.files import PLAYER_CLASSES
from randori.players.kinds import REGISTRY as PLAYERS
from randori.players.kinds import PlayerKind
from randori.registry import Registry, load

__all__ = ["REGISTRY", "Method", "Paper", "PaperScale", "Suited", "Thinking"]


def plays_anything(game: Game) -> str | None:
    return None


class PaperScale(NamedTuple):
    """How large a paper's tables are made."""

    meaning: str
    """A line without a full stop: seeds, games, how it compares with the paper's own size."""
    cpu_minutes: float | None = None
    """Of all tables, as measured; None: not measured. A stored report of this scale knows better."""


class Paper(NamedTuple):
    """The paper that a method comes from."""

    name: str
    """By which `randori reproduce` knows it."""
    authors: str
    place: str
    """Where its tables are reproduced, as `module:function`."""
    claim: str = ""
    """What it says to have found, in a sentence or two."""
    outcome: str = ""
    """What our reproduction found, in a sentence or two."""
    table: str = ""
    """How the title of the table begins that shows it; without, the first that has published figures is taken."""
    tables: Mapping[int, str] = {}
    """What each table shows, by its number; those of ours go on after the paper's."""
    scales: Mapping[str, PaperScale] = {}
    """How large it can be made, by the name that `randori reproduce --scale` knows; the first is the default."""


class Thinking(NamedTuple):
    """How a kind of player thinks less or more, by options of its spec."""

    alone: str = ""
    """Options with which it plays by what it has learned alone: one ply, no search, no exact endings."""
    effort: str | None = None
    """The option, a whole number, that makes it think longer; None: it thinks no longer."""
    least: int = 1
    """Of that option."""
    in_steps: bool = False
    """Whether one more of it takes several times as long, as with a depth."""


class Suited(NamedTuple):
    """A preset for a budget."""

    preset: str
    games: tuple[str, ...] = ()
    """For these alone; none: for all."""
    cpu_seconds: float = math.inf
    """For budgets of at most so many."""


@dataclass(frozen=True)
class Method:
    """A way to learn. What it needs is imported when somebody asks for it, since some methods need torch."""

    name: str
    title: str
    summary: str
    """A line without a full stop."""
    learner: type[Learner] | str
    """The learner's class, or where it is, as `module:Class`."""
    players: Mapping[str, Any]
    """The kinds of players in its files: each a class, or where it is."""
    refusal: Callable[[Game], str | None] | str = plays_anything
    """Tells why it does not learn a game, None where it does; or where that function is, as `module:name`."""
    needs: str = ""
    """A package of the extra `train` that it cannot do without."""
    paper: Paper | None = None
    pictures: Pictures | str | None = None
    """What draws its players, or where that is, as `module:name`; None: there are no pictures."""
    kinds: tuple[PlayerKind, ...] = field(default=())
    """Players of the paper that are named by a spec instead of a file."""
    presets: Mapping[str, Preset] | str | None = None
    """Those of the learner, or where they are, for a method whose learner needs a package that its settings do not."""
    main_settings: tuple[str, ...] = ()
    """The settings to try first, by name; without, the first few of its config."""
    thinking: Mapping[str, Thinking] = field(default_factory=dict)
    """By kind of player; a kind that is not named always plays as its file says."""
    suited: tuple[Suited, ...] = ()
    """Which preset it takes for a game and a budget in CPU time: the first that fits, else `default`."""

    def load(self) -> type[Learner]:
        """The learner. Raises UserError where a package is missing."""
        self.check_installed()
        try:
            found: type[Learner] = load(self.learner)
        except ModuleNotFoundError as error:
            if error.name is None or error.name.startswith("randori"):
                raise
            raise self._missing(error.name) from error
        return found

    def load_presets(self) -> Mapping[str, Preset]:
        """Raises UserError where only the learner has them, and a package is missing."""
        found: Mapping[str, Preset] = self.load().presets if self.presets is None else load(self.presets)
        return found

    def load_pictures(self) -> Pictures | None:
        found: Pictures | None = load(self.pictures)
        return found

    def check_installed(self) -> None:
        """Raises UserError where a package is missing that the learner needs; imports nothing."""
        if self.needs and find_spec(self.needs) is None:
            raise self._missing(self.needs)

    def _missing(self, package: str) -> UserError:
        return UserError(
            f"Learner '{self.name}' needs {package}, which is not installed: type `pip install 'randori[train]'`, "
            "or `pip install -e '.[train]'` in a working copy."
        )

    def preset_for(self, game: Game, cpu_seconds: float) -> str:
        """The name of the preset that suits a game and a budget."""
        fitting = [
            it for it in self.suited if game.name in (it.games or (game.name,)) and cpu_seconds <= it.cpu_seconds
        ]
        return fitting[0].preset if fitting else "default"

    def why_not(self, game: Game) -> str | None:
        """Why the learner refuses a game; None where it does not."""
        reason: str | None = load(self.refusal)(game)
        return reason

    def check_plays(self, game: Game) -> None:
        """Raises UserError where the learner refuses the game."""
        reason = self.why_not(game)
        if reason is not None:
            raise UserError(f"Learner '{self.name}' does not play {game.title}: {reason}.")


class _Methods(Registry[Method]):
    """Registers the players of each method, too."""

    def add(self, name: str, thing: Method) -> None:
        super().add(name, thing)
        PLAYER_CLASSES.update(thing.players)
        for kind in thing.kinds:
            PLAYERS.register(kind)

    def add_own(self, things: Mapping[str, Method]) -> None:
        super().add_own(things)
        for it in things.values():
            PLAYER_CLASSES.update(it.players)
            PLAYERS.add_own({kind.name: kind for kind in it.kinds})


def _named_methods(offered: Any) -> Iterable[tuple[str, Method]]:
    for it in offered if isinstance(offered, list | tuple) else [offered]:
        if not isinstance(it, Method):
            raise UserError(f"A method is a randori.Method, not {it!r:.80}.")
        yield it.name, it


REGISTRY = _Methods("learner", "randori.methods", _named_methods)
