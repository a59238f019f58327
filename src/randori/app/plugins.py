"""`--plugin FILE.py`, which every command takes."""

import os
from pathlib import Path

from randori import registry
from randori.errors import UserError

FLAG = "--plugin"
HELP = (
    f"Add {FLAG} FILE.py to any command to use the games, players and methods that the file registers; repeat it for "
    "several files."
)


def load_plugins(arguments: list[str]) -> list[str]:
    """Loads the plugins that the arguments name, and returns the other arguments."""
    others, rest = [], iter(arguments)
    for argument in rest:
        flag, equals, file = argument.partition("=")
        if flag != FLAG:
            others.append(argument)
            continue
        named = file if equals else next(rest, "")
        if not named:
            raise UserError(f"Name a Python file after {FLAG}, such as {FLAG} my_game.py.")
        registry.load_plugin(named)
    return others


def plugin_flags() -> list[str]:
    """The flags that load the same plugins into another command."""
    return [it for path in registry.plugins for it in (FLAG, _shown(path))]


def _shown(path: Path) -> str:
    """Relative to the current folder if it is below: people read the command."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
