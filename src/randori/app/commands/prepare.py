"""`randori prepare`."""

import os
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from randori import games
from randori.app.flags import with_games
from randori.app.service.menu import Menu
from randori.app.service.preparing import kernels, prepare, prepare_everybody

GamesFlag = Annotated[
    tuple[str, ...],
    Positional,
    arg(
        metavar="[GAME...]",
        help=with_games("Only what the page needs for these games"),
        help_behavior_hint="(default: everything)",
    ),
]


def main(
    names: GamesFlag = (),
    gently: Annotated[bool, arg(help="Run only while the processor is idle.", help_behavior_hint="")] = False,
) -> None:
    """Compiles now what would otherwise be compiled on its first use, and keeps it for later."""
    if gently and hasattr(os, "nice"):
        os.nice(19)
    menu = Menu(Path("runs"))
    for name in names:
        prepare(menu, games.game(name))
    if not names:
        for kernel in kernels():
            _ = kernel.compiled
        for name in games.names():
            prepare_everybody(menu, games.game(name))
