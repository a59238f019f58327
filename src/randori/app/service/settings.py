"""What can be set for a learner on the page: a preset, a seed, and its main settings within bounds."""

import ast
import inspect
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from textwrap import dedent
from typing import Any, Literal, get_args, get_origin, get_type_hints

from randori import methods
from randori.app.service.refusals import Invalid
from randori.experiments.recipe import setting_flag
from randori.methods import Method, Preset

_FIRST_FEW = 4
_BEYOND = 10
"""How many times the largest value among the presets a number may be: visitors share the machine."""
_MAX_SEED = 2**31 - 1
_BOOLEANS = {"yes": True, "no": False}


@dataclass(frozen=True)
class Wishes:
    """What a form asks for besides learner, game and time, as text."""

    preset: str = "default"
    seed: str = "0"
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Setting:
    """A field of a learner's config that a form can show."""

    name: str
    kind: type[int] | type[float] | type[bool] | type[str]
    help: str
    choices: tuple[str, ...]
    """For a word or a boolean; empty for a number."""
    most: float
    """The largest that a number may be."""

    def text(self, config: Any) -> str:
        """As a form shows it."""
        value = getattr(config, self.name)
        return ("yes" if value else "no") if self.kind is bool else str(value)

    def parse(self, text: str) -> Any:
        """Raises Invalid."""
        if self.choices:
            if text not in self.choices:
                raise Invalid(f"'{self.name}' must be one of {', '.join(self.choices)}.")
            return _BOOLEANS[text] if self.kind is bool else text
        try:
            value: float = int(text) if self.kind is int else float(text)
        except ValueError:
            expected = "a whole number" if self.kind is int else "a number"
            raise Invalid(f"'{self.name}' must be {expected}, not '{text[:20]}'.") from None
        if not -self.most <= value <= self.most:  # which no nan fulfils
            raise Invalid(f"'{self.name}' can be {self.most:,g} at most on this page.")
        return value


def main_settings(method: Method) -> list[Setting]:
    """Only numbers, booleans and words from a list: nobody names a file or a player here."""
    presets = method.load_presets()
    config = type(presets["default"].config)
    hints, helps = get_type_hints(config), _helps(config)
    known = {it.name: _setting(it.name, hints[it.name], helps.get(it.name, ""), presets) for it in fields(config)}
    settable = {name: it for name, it in known.items() if it is not None}
    chosen = method.main_settings or tuple(settable)[:_FIRST_FEW]
    return [settable[name] for name in chosen if name in settable]


def _setting(name: str, hint: Any, help: str, presets: Mapping[str, Preset]) -> Setting | None:
    if get_origin(hint) is Literal:
        return Setting(name, str, help, tuple(map(str, get_args(hint))), 0.0)
    if hint is bool:
        return Setting(name, bool, help, tuple(_BOOLEANS), 0.0)
    if hint is int or hint is float:
        largest = max(abs(getattr(it.config, name)) for it in presets.values())
        return Setting(name, hint, help, (), _BEYOND * max(largest, 1))
    return None


def _helps(config: type[Any]) -> dict[str, str]:
    """The docstrings of a dataclass's fields; none if its source cannot be read."""
    try:
        tree = ast.parse(dedent(inspect.getsource(config)))
    except (OSError, TypeError, SyntaxError):
        return {}
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    helps = {}
    for one, following in pairwise(body):
        match one, following:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(docstring))):
                helps[name] = " ".join(docstring.split())
    return helps


def flags_of(learner: str, wishes: Wishes) -> tuple[str, ...]:
    """The flags of `randori train` for what somebody wishes. Raises a UserError that names what is not possible."""
    method = methods.find(learner)
    presets = method.load_presets()
    if wishes.preset not in presets:
        raise Invalid("Choose a preset from the list.")
    seed = int(wishes.seed) if re.fullmatch("[0-9]{1,10}", wishes.seed) else _MAX_SEED + 1
    if seed > _MAX_SEED:
        raise Invalid(f"The seed must be a whole number from 0 to {_MAX_SEED:,}.")
    config = presets[wishes.preset].config
    known = {it.name: it for it in main_settings(method)}
    if not set(wishes.settings) <= set(known):
        raise Invalid(f"Only these can be set here: {', '.join(known)}.")
    given = {name: known[name].parse(text) for name, text in wishes.settings.items()}
    changed = {name: value for name, value in given.items() if value != getattr(config, name)}
    replace(config, **changed)  # which refuses what does not go together
    flags = [] if wishes.preset == "default" else ["--preset", wishes.preset]
    flags += ["--seed", str(seed)] if seed else []
    flags += [part for it in changed.items() for part in shlex.split(setting_flag(type(config), *it))]
    return tuple(flags)
