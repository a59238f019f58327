"""Options in a player's spec: `key=value,key=value`, read by the signature of what makes the player."""

import inspect
import re
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType, NoneType
from typing import Any, get_args

from randori.errors import UserError, suggest

# A value between double quotes may hold commas.
_PARTS = re.compile(r'(?:[^,"]|"[^"]*")+')
_NOTHING: Mapping[str, str] = MappingProxyType({})
_BOOLS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def parse_options(make: Callable[..., Any], text: str, whose: str, old: Mapping[str, str] = _NOTHING) -> dict[str, Any]:
    """The options as values of the types that `make` declares after its first parameter, the game.

    `old` has spellings of an earlier version, of a key or of a key with its value, and what is written now.
    """
    parameters = dict(list(inspect.signature(make, eval_str=True).parameters.items())[1:])
    options: dict[str, Any] = {}
    if text.count('"') % 2:
        raise UserError(f"A quotation mark is missing in the options of {whose}.")
    for written in _PARTS.findall(text):
        part = _as_now(written, old)
        key, equals, value = part.partition("=")
        if not equals:
            raise UserError(f"Write options of {whose} as key=value, not '{part}'.")
        if key not in parameters:
            known = suggest(key, parameters) if parameters else " It takes none."
            raise UserError(f"There is no option '{key}' of {whose}.{known}")
        if key in options and part == written:
            raise UserError(f"Option '{key}' of {whose} is given twice.")
        options[key] = _convert(value.replace('"', ""), parameters[key].annotation, f"Option '{key}' of {whose}")
    missing = [key for key, it in parameters.items() if it.default is it.empty and key not in options]
    if missing:
        raise UserError(f"{whose} needs a {missing[0]}: add ':{missing[0]}=...'.")
    return options


def _as_now(written: str, old: Mapping[str, str]) -> str:
    key, _, value = written.partition("=")
    now = old[written] if written in old else f"{old[key]}={value}" if key in old else written
    if now != written:
        print(f"randori: the option '{written}' is now written '{now}'.", file=sys.stderr)
    return now


def option_defaults(make: Callable[..., Any]) -> dict[str, Any]:
    """The options and their defaults; '...' where one must be given."""
    parameters = list(inspect.signature(make).parameters.values())[1:]
    return {it.name: "..." if it.default is it.empty else it.default for it in parameters}


def _convert(value: str, kind: Any, what: str) -> Any:
    """`kind` is a type, or one with None for an option that need not be given."""
    kind = next((it for it in get_args(kind) if it is not NoneType), kind)
    try:
        found = _BOOLS[value.lower()] if kind is bool else kind(value)
        if isinstance(found, int | float) and not abs(found) < 2**63:
            raise UserError(f"{what} must be a finite number of at most 18 digits, not {value:.40}.")
        return found
    except UserError:
        raise
    except (ValueError, KeyError):
        needed = {int: "a whole number", float: "a number", bool: "true or false"}.get(kind, str(kind))
        raise UserError(f"{what} must be {needed}, not '{value}'.") from None


def spec_of(name: str, player: Any) -> str:
    """The spec that names a player made from a dataclass: its options, where they differ from the defaults."""
    parameters = list(inspect.signature(type(player)).parameters.values())[1:]
    options = [
        f"{it.name}={_quoted(getattr(player, it.name))}" for it in parameters if getattr(player, it.name) != it.default
    ]
    return f"{name}:{','.join(options)}" if options else name


def _quoted(value: Any) -> str:
    return f'"{value}"' if "," in str(value) else str(value)
