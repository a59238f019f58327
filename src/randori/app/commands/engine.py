"""`randori engine`."""

import os
import secrets
import sys
from functools import partial
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from randori.app.flags import PlayersGameFlag
from randori.engines import Engine, GomocupEngine, GtpEngine, Inbox, NboardEngine, end_when_unheard, serve
from randori.errors import UserError
from randori.formats.points import Coordinates, has_vertices
from randori.kernels.compile import compile_in_silence
from randori.players import game_for
from randori.players import player as player_named

Protocol = Literal["gtp", "nboard", "gomocup"]


def engine(
    protocol: Annotated[
        Protocol, Positional, arg(metavar="gtp|nboard|gomocup", help="The protocol that the other program uses.")
    ],
    player: Annotated[str, arg(metavar="PLAYER", help="Who plays; `randori players` lists them.")],
    game: PlayersGameFlag = None,
    seed: Annotated[
        int | None,
        arg(
            metavar="S",
            help="The same seed and position give the same move.",
            help_behavior_hint="(default: a random one)",
        ),
    ] = None,
    coordinates: Coordinates = "board",
) -> None:
    """Runs a player as an engine: other programs start it and talk to it on stdin and stdout.

    Args:
        coordinates: For GTP: `board` is how people write the game's moves; `go` counts rows from the bottom and has no column I.
    """
    if seed is not None and seed < 0:
        raise UserError(f"--seed must be 0 or more, not {seed}.")
    rules = game_for([player], game)
    if coordinates == "go" and not has_vertices(rules):
        raise UserError(f"A move of {rules.title} is not a single square; leave out --coordinates.")
    # Some managers read stderr as they read stdout, and would mistake a word about compiling for an answer.
    compile_in_silence()
    inbox = Inbox()
    make_player = partial(player_named, player)
    chance = secrets.randbits(64) if seed is None else seed
    speaking: Engine
    if protocol == "gtp":
        speaking = GtpEngine(rules, make_player, inbox, chance, coordinates)
    elif protocol == "nboard":
        speaking = NboardEngine(rules, make_player, inbox, chance)
    else:
        speaking = GomocupEngine(rules, make_player, inbox, chance)
    end_when_unheard(sys.stdout.fileno())
    inbox.listen(sys.stdin.buffer)
    serve(speaking, inbox, sys.stdout.buffer)
    # Not by the usual way: threads that still read or think would hold up the end, or crash it.
    os._exit(0)
