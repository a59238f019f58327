"""Games of other people: each is one file as a user of the package would write it, and none is part of the package."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from randori import games
from randori.registry import load_plugin, plugins

FILES: dict[str, Path] = {
    "snort5": Path(__file__).with_name("snort.py"),
    "clobber5": Path(__file__).with_name("clobber.py"),
    "reversi4x6": Path(__file__).with_name("reversi46.py"),
    "breakthrough5": Path(__file__).with_name("breakthrough.py"),
}
"""The file that registers each game."""


@contextmanager
def registered() -> Iterator[None]:
    """All of them are known by their names, and afterwards none is: other tests ask about every registered game."""
    for file in FILES.values():
        load_plugin(str(file))
    try:
        yield
    finally:
        for name in FILES:
            games.REGISTRY._foreign.pop(name, None)
        plugins[:] = [it for it in plugins if it not in FILES.values()]
