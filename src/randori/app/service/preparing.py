"""Compiling before somebody waits for it: what a game on the page needs, or all that there is."""

from collections.abc import Iterator
from importlib import import_module
from itertools import filterfalse
from pathlib import Path

import numpy as np

import randori
from randori.app.service import partner
from randori.app.service.menu import Menu, is_partner
from randori.app.service.minds import read_mind
from randori.core.game import Game
from randori.kernels.compile import Kernel
from randori.review import COARSE, Referee
from randori.search.solver import Solver

_DECLARES = "from randori.kernels.compile import "


def prepare(menu: Menu, game: Game) -> None:
    """Whatever the first minute of a game asks for, in that order: the reply of the usual opponent, the graph, a hint."""
    start, rng = game.start(1), np.random.default_rng(0)
    partner.partner(game, None).choose(start, rng)
    Referee(game, COARSE).chance(start, COARSE)
    read_mind(menu.player(game, menu.adviser(game).spec), game, start, rng)


def prepare_everybody(menu: Menu, game: Game) -> None:
    """Whoever can be met in a game, exact endings and random games."""
    prepare(menu, game)
    Solver(game)
    game.finish(game.start(1), np.random.default_rng(0))
    for spec in filterfalse(is_partner, menu.entries(game)):
        read_mind(menu.player(game, spec), game, game.start(1), np.random.default_rng(0))


def kernels() -> Iterator[Kernel]:
    """Every kernel of the package that is not made for one game, those of learners included."""
    root = Path(randori.__file__).parent
    for path in sorted(root.rglob("*.py")):
        if _DECLARES in path.read_text(encoding="utf-8"):
            module = import_module(".".join(["randori", *path.relative_to(root).with_suffix("").parts]))
            yield from (
                it for it in vars(module).values() if isinstance(it, Kernel) and it.__module__ == module.__name__
            )
