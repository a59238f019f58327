"""Flags that several commands share, each with its help in one place."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from randori import games


def with_games(words: str) -> Callable[[], str]:
    """Help that ends with the names of the games. They are looked up when the help is shown, since packages may add some."""
    return lambda: f"{words}: {', '.join(games.names())}."


PlayerFlag = Annotated[
    str,
    Positional,
    arg(
        metavar="PLAYER", help="A player, such as `heuristic` or `uct:simulations=1000`; `randori players` lists them."
    ),
]
GameFlag = Annotated[str, arg(metavar="GAME", help=with_games("One of"))]
PlayersGameFlag = Annotated[
    str | None,
    arg(
        metavar="GAME",
        help=with_games("One of"),
        help_behavior_hint="(default: the game on a trained player's card)",
    ),
]
SeedFlag = Annotated[int, arg(metavar="S", help="Random seed: the same seed gives the same result.")]
OpeningsFlag = Annotated[
    int | None,
    arg(
        metavar="PLIES",
        help="Random plies at the start of each game; 0 for none.",
        help_behavior_hint="(default: the game's usual number)",
    ),
]
BookFlag = Annotated[
    Path | None,
    arg(
        metavar="FILE",
        help="Start games from the lines of this file, or from their first --openings plies; no line is used twice "
        "before all have been used once.",
        help_behavior_hint="",
    ),
]
WorkersFlag = Annotated[
    int | None,
    arg(
        metavar="N",
        help="Number of processes; the result does not depend on it.",
        help_behavior_hint="(default: several for long work)",
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
"""Off unless it is given."""
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
