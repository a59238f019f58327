"""Player files: one safetensors file a trained player, with a card that says what it is.

Metadata of the file: `format_version`; `game`, `player` and `learner` as plain words; `settings`, `config`,
`training` and `rating` as JSON. What is measured by the clock is no part of a run's own file, so that the same
training gives the same bytes.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from os.path import isdir, isfile, lexists
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray
from safetensors import SafetensorError, safe_open

from randori.core.game import Game
from randori.core.options import parse_options
from randori.core.player import Player
from randori.errors import UserError, nearest, suggest
from randori.players.kinds import REGISTRY
from randori.reading import DamagedFile, check_file, is_count, is_rating, parse_json
from randori.registry import load
from randori.tensorfile import pack, write_whole

__all__ = [
    "PLAYER_CLASSES",
    "PLAYER_FILE",
    "ZOO",
    "Card",
    "Contents",
    "TrainedPlayer",
    "class_of",
    "copy_player",
    "find_file",
    "load_player",
    "names_file",
    "player_from_file",
    "read_card",
    "read_tensors",
    "save_player",
    "split_spec",
]

FORMAT_VERSION = 1
# Far beyond whatever was learned, and low enough that products of two such weights are finite in 32 bits.
_GREATEST_WEIGHT = 1e15
PLAYER_FILE = "player.safetensors"
"""The name of the player's file in the folder of a run."""
ZOO = Path(__file__).parent.parent / "zoo"

PLAYER_CLASSES: dict[str, Any] = {}
"""The classes of trained players by their kind, or where they are: methods put theirs here. Imported when a file asks for
one: who plays with a table need not wait for networks."""


class Contents(NamedTuple):
    """What a player is made of: arrays, and settings as plain values."""

    tensors: Mapping[str, NDArray[Any]]
    settings: Mapping[str, Any]

    def floats(self, name: str, dtype: DTypeLike = np.float64) -> NDArray[Any]:
        """An array of weights as kernels take it. Raises ValueError where it holds anything else."""
        if self.tensors[name].dtype.kind != "f":
            raise ValueError(f"'{name}' is an array of {self.tensors[name].dtype}, not of weights")
        return np.ascontiguousarray(self.tensors[name], dtype)

    def whole(self, name: str, default: int | None = None) -> int:
        """A setting that is a whole number of 0 or more. Raises ValueError where it is anything else."""
        found = self.settings.get(name, default)
        if not is_count(found):
            raise ValueError(f"its setting '{name}' is {found!r:.40}, not a whole number")
        return int(found)

    def wholes(self, name: str) -> tuple[int, ...]:
        """A setting that is a list of such numbers."""
        found = self.settings[name]
        if not isinstance(found, list | tuple) or not all(map(is_count, found)):
            raise ValueError(f"its setting '{name}' is {found!r:.40}, not a list of whole numbers")
        return tuple(found)


class TrainedPlayer(Player, Protocol):
    """A player that can be kept in a file: a frozen dataclass with a field `name`.

    Its class also has `from_contents(game, contents, ...)`, which makes it again; further parameters, all with a type
    and a default, are options of its spec, None where the file decides. `OLD_OPTIONS`, where it has them, are spellings
    of an earlier version and what is written now.
    """

    kind: ClassVar[str]
    """What the method that taught it calls it."""

    @property
    def chances(self) -> bool:
        """Whether its values are chances, because it has learned how games end; else they mean more or less, no more."""

    def contents(self) -> Contents: ...


@dataclass(frozen=True)
class Card:
    """What a player file says about its player."""

    game: str
    player: str
    """The kind of player."""
    learner: str
    settings: dict[str, Any]
    """What the kind of player needs to know beside the arrays."""
    config: dict[str, Any]
    """How the learner was set."""
    training: dict[str, Any]
    """At least `seed`, `rounds`, `games` and the `version` of this package."""
    rating: Mapping[str, Any] | None
    """`elo`, `low`, `high`, `games` and the `opponents` met; None where it was not measured."""


def save_player(
    path: Path,
    player: TrainedPlayer,
    game: Game,
    *,
    learner: str,
    config: dict[str, Any],
    training: dict[str, Any],
    rating: Mapping[str, Any] | None = None,
) -> None:
    """Writes the file, whole or not at all; the same player and card give the same bytes."""
    tensors, settings = player.contents()
    _write(path, tensors, Card(game.name, player.kind, learner, dict(settings), config, training, rating))


def copy_player(source: Path, path: Path, *, training: dict[str, Any], rating: Mapping[str, Any] | None) -> None:
    """A copy whose card says more: further facts of the training, and another rating where one is given."""
    card = read_card(source)
    more = replace(card, training=card.training | training, rating=rating or card.rating)
    _write(path, read_tensors(source), more)


def _write(path: Path, tensors: Mapping[str, NDArray[Any]], card: Card) -> None:
    metadata = {"format_version": str(FORMAT_VERSION)}
    for field in fields(card):
        value = getattr(card, field.name)
        metadata[field.name] = value if field.type is str else json.dumps(value, sort_keys=True, allow_nan=False)
    write_whole(path, pack(tensors, metadata))


def read_card(path: Path) -> Card:
    """What the file says, without its arrays. Raises UserError for what is not a player file."""
    check_file(path)
    try:
        with safe_open(path, framework="numpy") as file:
            metadata: dict[str, str] = file.metadata() or {}
    except (OSError, SafetensorError) as error:
        raise DamagedFile(
            f"'{path}' is damaged or not a player file ({error}); train or fetch the player again."
        ) from None
    return _card(path, metadata)


def _card(path: Path, metadata: dict[str, str]) -> Card:
    version = metadata.get("format_version", "")
    # Not `isdigit`, to which "²" is a digit.
    if not re.fullmatch("[0-9]{1,9}", version):
        raise DamagedFile(f"'{path}' is not a player file of this package: its metadata names no format_version.")
    if int(version) > FORMAT_VERSION:
        raise UserError(f"'{path}' has the newer format {version}; update this package, which reads {FORMAT_VERSION}.")
    values: dict[str, Any] = {}
    for it in fields(Card):
        try:
            values[it.name] = metadata[it.name] if it.type is str else parse_json(metadata[it.name])
        except KeyError:
            raise _damaged_card(path, f"it has no '{it.name}'") from None
        except ValueError as error:
            raise _damaged_card(path, f"'{it.name}': {error}") from None
    card = Card(**values)
    _check_card(path, card)
    return card


def _check_card(path: Path, card: Card) -> None:
    for name in ("settings", "config", "training"):
        if not isinstance(getattr(card, name), dict):
            raise _damaged_card(path, f"its {name} are not a JSON object")
    counted = [key for key in ("seed", "rounds", "games") if not is_count(card.training.get(key, 0))]
    if counted:
        raise _damaged_card(path, f"its training has no number of '{counted[0]}'")
    if card.rating is not None and not is_rating(card.rating):
        raise _damaged_card(path, "its rating is not the numbers 'elo', 'low' and 'high'")


def _damaged_card(path: Path, reason: str) -> DamagedFile:
    return DamagedFile(f"'{path}' is damaged: its card cannot be read ({reason}); train or fetch the player again.")


def read_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file whose card could be read. Raises UserError where their numbers are none."""
    try:
        with safe_open(path, framework="numpy") as file:
            tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise DamagedFile(f"'{path}' is damaged: its arrays cannot be read ({error}).") from None
    for name, array in tensors.items():
        if array.dtype.kind == "f" and array.size and not float(np.abs(array).max()) < _GREATEST_WEIGHT:
            raise DamagedFile(f"'{path}' is damaged: the array {name} has numbers that are not finite, or huge.")
    return tensors


def class_of(path: Path, card: Card) -> Any:
    """The class of the player in a file. Raises UserError where its kind is unknown here."""
    if card.player not in PLAYER_CLASSES:
        REGISTRY.all()  # the methods have brought their players then
    if card.player not in PLAYER_CLASSES:
        raise UserError(f"'{path}' holds a player of a kind unknown here, '{card.player}'; update this package.")
    return load(PLAYER_CLASSES[card.player])


def load_player(path: Path, game: Game, options: str = "", name: str | None = None) -> Player:
    """The player in a file; `options` as in a spec. Raises UserError for what it is not."""
    card = read_card(path)
    if card.game != game.name:
        raise UserError(f"'{path}' plays {card.game}, not {game.name}; choose a player trained for {game.name}.")
    kind = class_of(path, card)
    make = partial(kind.from_contents, game)
    chosen = parse_options(make, options, f"the player in '{path}'", getattr(kind, "OLD_OPTIONS", {}))
    try:
        player: Any = make(Contents(read_tensors(path), card.settings), **chosen)
    except UserError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        why = f"it has no {error}" if isinstance(error, KeyError) else error
        raise DamagedFile(f"'{path}' is damaged: it does not hold a player of kind '{card.player}' ({why}).") from error
    named: Player = replace(player, name=name or str(path))
    return named


def names_file(spec: str) -> bool:
    """Whether a spec names a file or a folder instead of a kind of player: `zoo/...`, `runs/...`, `x.safetensors`.

    A folder that holds a player is one without a slash too, as long as nobody is registered by its name.
    """
    place = split_spec(spec)[0]
    if "/" in place or "\\" in place or place.endswith(".safetensors"):
        return True
    return isfile(Path(place) / PLAYER_FILE) and place not in REGISTRY.all()


def player_from_file(spec: str, game: Game) -> Player:
    """The player of a spec that names a file: `zoo/NAME`, the folder of a run, or the file itself, with options."""
    place, options = split_spec(spec)
    return load_player(find_file(place), game, options, name=spec)


def find_file(place: str) -> Path:
    """The player file that `zoo/NAME`, the folder of a run, or a path means. Raises UserError where there is none."""
    if place.startswith("zoo/"):
        return _in_zoo(place.removeprefix("zoo/"))
    path = Path(place)
    if isdir(path):
        if not lexists(path / PLAYER_FILE):
            raise UserError(f"'{place}' holds no {PLAYER_FILE}: name the folder of a run, or a player file.")
        path = path / PLAYER_FILE
    if not lexists(path):
        hint = nearest(place, _siblings(path)) or " Name the folder of a run, a player file, or zoo/NAME."
        raise UserError(f"There is no player at '{place}'.{hint}")
    check_file(path)
    return path


def _siblings(path: Path) -> list[str]:
    try:
        return sorted(map(str, path.parent.iterdir()))
    except OSError:
        return []


def _in_zoo(name: str) -> Path:
    names = sorted(path.stem for path in ZOO.glob("*.safetensors"))
    # Only names out of the listing are opened, so that no name can lead out of the folder.
    if name not in names:
        raise UserError(f"There is no '{name}' in the zoo.{suggest(name, names) if names else ' It is empty.'}")
    return ZOO / f"{name}.safetensors"


def split_spec(spec: str) -> tuple[str, str]:
    """The place that a spec names and the options after it; the colon of a drive letter belongs to the place."""
    drive = re.match(r"[A-Za-z]:[\\/]", spec)
    start = 2 if drive else 0
    place, _, options = spec[start:].partition(":")
    return spec[:start] + place, options
