"""Recipes: what is trained, on which game, with which settings and for how long."""

import json
import re
import shlex
from dataclasses import asdict, dataclass, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from randori import games, methods
from randori.errors import UserError, suggest
from randori.methods import Preset
from randori.methods.checks import check_least
from randori.reading import DamagedFile, is_number, parse_json, read_text

FORMAT_VERSION = 1

LAST_RATING = 0.1  # the share of a budget that is kept for the last rating

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True)
class Recipe:
    """A training; `game`, `learner`, `config` and `seed` decide the result, the rest how long it runs and how it is
    observed.
    """

    game: str
    learner: str
    config: Any
    """An object of the learner's `Config`."""
    seed: int = 0
    rounds: int | None = None
    """The run ends after this many rounds, counted from its beginning."""
    budget: float | None = None
    """The run ends after about this many seconds over all its sessions, including its last rating. With neither limit
    it continues until it is stopped.
    """
    evaluate_every: int | None = None
    """Rounds between two ratings; None: so often that they take about a tenth of the time."""
    evaluate_games: int = 40
    """Games against each opponent of the field in a rating, at the end five times as many; 0: no ratings."""

    def __post_init__(self) -> None:
        methods.check_plays(self.learner, games.game(self.game))
        check_least(self, seed=0, rounds=0, budget=0, evaluate_every=1, evaluate_games=0)

    @property
    def learning_seconds(self) -> float | None:
        """The budget less what is kept for the last rating; None without a budget."""
        if self.budget is None or not self.evaluate_games:
            return self.budget
        return self.budget * (1 - LAST_RATING)

    def is_fulfilled(self, rounds: int, seconds: float) -> bool:
        """Whether there is nothing left to learn in this recipe; the last rating may be missing."""
        enough = self.rounds is not None and rounds >= self.rounds
        return enough or (self.learning_seconds is not None and seconds >= self.learning_seconds)

    def difference(self, other: "Recipe") -> str | None:
        """The first setting in which the other training differs, as this one has it; None where none does."""
        ours = {"game": self.game, "learner": self.learner, "seed": self.seed}
        theirs = {"game": other.game, "learner": other.learner, "seed": other.seed}
        if self.learner == other.learner:
            ours, theirs = ours | asdict(self.config), theirs | asdict(other.config)
        return next((f"{key}={ours[key]}" for key in ours if ours[key] != theirs[key]), None)


def find_preset(learner: str, name: str = "default") -> Preset:
    """Settings of a learner by their name. Raises UserError for an unknown one."""
    presets = methods.load(learner).presets
    if name not in presets:
        raise UserError(f"Learner '{learner}' has no preset '{name}'.{suggest(name, presets)}")
    found: Preset = presets[name]
    return found


def recipe_for(
    learner: str,
    game: str,
    preset: str = "default",
    *,
    config: Any = None,
    rounds: int | None = None,
    budget: float | str | None = None,
    **more: Any,
) -> Recipe:
    """The recipe of a preset, or of a config in place of the preset's; `budget` in seconds, or as in `20m`.

    It ends after the preset's time or rounds where neither rounds nor a budget are given. `more` are other fields of a
    recipe.
    """
    chosen = find_preset(learner, preset)
    if rounds is None and budget is None:
        rounds, budget = (chosen.rounds, None) if chosen.budget is None else (None, chosen.budget)
    return Recipe(
        game,
        learner,
        chosen.config if config is None else config,
        rounds=rounds,
        budget=parse_duration(budget) if isinstance(budget, str) else budget,
        **more,
    )


def run_folder(learner: str, game: str, preset: str = "default") -> Path:
    """The default folder of a run."""
    variant = "" if preset == "default" else f"-{preset}"
    return Path("runs") / f"{game}-{learner}{variant}"


def recipe_json(recipe: Recipe) -> str:
    """The text of a run's `recipe.json`."""
    return json.dumps({"format_version": FORMAT_VERSION, **asdict(recipe)}, indent=2) + "\n"


def read_recipe(path: Path) -> Recipe:
    return parse_recipe(read_text(path), str(path))


def parse_recipe(text: str, where: str) -> Recipe:
    """The recipe that `recipe_json` wrote. Raises UserError that names the wrong setting."""
    try:
        plain = parse_json(text)
    except ValueError as error:
        raise DamagedFile(f"{where} is damaged: {error}.") from None
    if not isinstance(plain, dict) or not isinstance(plain.get("format_version"), int):
        raise UserError(f"{where} is not a recipe: it names no format_version.")
    version = plain.pop("format_version")
    if version > FORMAT_VERSION:
        raise UserError(f"{where} was written by a newer version of this package (format {version}); update it first.")
    config = plain.get("config")
    name = plain.get("learner")
    if isinstance(name, str):
        plain["config"] = _typed(methods.load(name).Config, config, "config", where)
    recipe: Recipe = _typed(Recipe, plain, "recipe", where)
    return recipe


def _typed(kind: Any, value: Any, name: str, where: str) -> Any:
    """The value as the type that a field declares, `X` or `X | None`; JSON's lists become tuples."""
    if kind is Any or (is_dataclass(kind) and isinstance(kind, type) and isinstance(value, kind)):
        return value
    if is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind, value, name, where)
    if get_origin(kind) in (Union, UnionType):
        # Runs of the first edition wrote an empty text for what was not given.
        if (value is None or value == "") and NoneType in get_args(kind):
            return None
        return _typed(get_args(kind)[0], value, name, where)
    if get_origin(kind) is tuple and isinstance(value, list | tuple):
        of = get_args(kind)
        kinds = [of[0]] * len(value) if of[-1] is Ellipsis else list(of)
        if len(kinds) == len(value):
            return tuple(_typed(it, part, name, where) for it, part in zip(kinds, value, strict=True))
    if get_origin(kind) is Literal and value in get_args(kind):
        return value
    if kind is float and is_number(value):
        return float(value)
    if isinstance(kind, type) and type(value) is kind:
        return value
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
    raise UserError(f"{where}: '{name}' must be {words.get(kind, str(kind))}, not {json.dumps(value)}.")


def _dataclass(kind: type[Any], value: Any, name: str, where: str) -> Any:
    if not isinstance(value, dict):
        raise UserError(f"{where}: '{name}' must be an object with settings, not {json.dumps(value)}.")
    known = {field.name for field in fields(kind)}
    for key in value:
        if key not in known:
            raise UserError(f"{where}: there is no setting '{key}'.{suggest(key, sorted(known))}")
    hints = get_type_hints(kind)
    given = {key: _typed(hints[key], it, key, where) for key, it in value.items()}
    try:
        return kind(**given)
    except TypeError:
        missing = [field.name for field in fields(kind) if field.name not in given]
        raise UserError(f"{where}: settings are missing among {', '.join(missing)}.") from None


def train_command(learner: str, game: str, config: dict[str, Any], seed: int, rounds: int) -> str:
    """The command for the same training: the nearest preset, and a flag for every setting that differs from it."""
    kind = methods.load(learner)
    whole = _typed(kind.Config, config, "config", "the card")
    presets = {name: _differences(it.config, whole) for name, it in kind.presets.items()}
    nearest = min(presets, key=lambda name: len(presets[name]))
    chosen = "" if nearest == "default" else f" --preset {nearest}"
    flags = "".join(f" {setting_flag(kind.Config, name, value)}" for name, value in presets[nearest].items())
    return f"randori train {learner} --game {game}{chosen}{flags} --rounds {rounds} --seed {seed}"


def _differences(one: Any, other: Any) -> dict[str, Any]:
    """The settings of the other one where the two differ."""
    return {it.name: getattr(other, it.name) for it in fields(one) if getattr(one, it.name) != getattr(other, it.name)}


def setting_flag(config: type[Any], name: str, value: Any) -> str:
    """A setting as it is typed for `randori train` in a shell."""
    spoken = next((it.name for it in _arguments(config, name) if it.name), name).replace("_", "-")
    if isinstance(value, bool):
        return f"--{spoken}" if value else f"--no-{spoken}"
    values = value if isinstance(value, tuple) else (value,)
    return shlex.join([f"--{spoken}", *map(str, values)])


def _arguments(config: type[Any], name: str) -> tuple[Any, ...]:
    """What a field's annotation says about its flag."""
    return tuple(getattr(get_type_hints(config, include_extras=True)[name], "__metadata__", ()))


def parse_duration(text: str) -> float:
    """Seconds of `90`, `45s`, `20m`, `1h30m`, `1.5h` or `2d`."""
    if not re.fullmatch(r"\d+(\.\d+)?|(\d+(\.\d+)?[smhd])+", text) or not re.search("[1-9]", text):
        raise UserError(f"'{text}' is not a length of time; write it as 90s, 20m or 1h30m.")
    return sum(float(number) * _UNITS[unit or "s"] for number, unit in re.findall(r"([\d.]+)([smhd]?)", text))
