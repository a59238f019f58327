"""Flags that several commands share, each with its help in one place."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from randori import games


def with_games(told: str) -> Callable[[], str]:
    """Help that ends with the names of the games, asked for when somebody reads it: packages that add some are read then."""
    return lambda: f"{told}: {', '.join(games.names())}."


PlayerFlag = Annotated[
    str,
    Positional,
    arg(metavar="PLAYER", help="Such as `heuristic` or `uct:simulations=1000`; `randori players` lists them."),
]
GameFlag = Annotated[str, arg(metavar="GAME", help=with_games("What is played"))]
PlayersGameFlag = Annotated[
    str | None,
    arg(
        metavar="GAME",
        help=with_games("What is played"),
        help_behavior_hint="(default: the game on a trained player's card)",
    ),
]
SeedFlag = Annotated[int, arg(metavar="S", help="Where chance comes from: the same seed, the same result.")]
OpeningsFlag = Annotated[
    int | None,
    arg(
        metavar="PLIES",
        help="Random plies that each game begins with, 0 for none.",
        help_behavior_hint="(default: the game's usual number)",
    ),
]
BookFlag = Annotated[
    Path | None,
    arg(
        metavar="FILE",
        help="Games begin with the lines of this file, whole or their first --openings plies, each once before any twice.",
        help_behavior_hint="",
    ),
]
WorkersFlag = Annotated[
    int | None,
    arg(
        metavar="N",
        help="Processes; the result does not depend on them.",
        help_behavior_hint="(default: more than one if it takes long)",
    ),
]
RayFlag = Annotated[
    str | None,
    arg(
        metavar="ADDRESS",
        help="Work on the Ray cluster at this HOST:PORT instead; `auto` starts one here.",
        help_behavior_hint="",
    ),
]
JsonFlag = Annotated[bool, arg(name="json", help="Print one JSON object instead of text.", help_behavior_hint="")]
Switch = Annotated[bool, arg(help_behavior_hint="")]
"""Something that is only done when it is asked for."""
Count = Annotated[int, arg(metavar="N")]
TrainedFlag = Annotated[
    str, Positional, arg(metavar="PLAYER", help="`zoo/NAME`, the folder of a run, or a player file.")
]
ReportFolderFlag = Annotated[
    Path | None,
    arg(
        metavar="FOLDER",
        help="Also write `report.md`, `report.json` and a plot into this folder.",
        help_behavior_hint="",
    ),
]
