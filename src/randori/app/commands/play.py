"""`randori play`: the page in the browser, or a board of letters in the terminal."""

import os
from pathlib import Path
from typing import Annotated

from tyro.conf import UseAppendAction, arg

from randori.app.flags import with_games
from randori.errors import UserError

_USUAL_GAME = "othello8"


def play(
    terminal: bool = False,
    game: Annotated[
        str | None,
        arg(
            metavar="GAME",
            help=with_games("What is played in the terminal"),
            help_behavior_hint=f"(default: the game of a trained opponent, else {_USUAL_GAME})",
        ),
    ] = None,
    opponent: str = "heuristic",
    follow: bool = False,
    host: str = "127.0.0.1",
    port: int = 8080,
    runs: Annotated[Path, arg(help="Whose players can be met, and where trainings go.")] = Path("runs"),
    password: Annotated[
        str | None,
        arg(
            metavar="WORDS",
            help="What visitors from elsewhere are asked for. RANDORI_PASSWORD does the same, and no list of processes shows it.",
            help_behavior_hint="",
        ),
    ] = None,
    proxy: Annotated[
        UseAppendAction[tuple[str, ...]],
        arg(
            metavar="ADDRESS",
            help="A proxy whose X-Forwarded-For is believed, or a network of them such as 10.0.0.0/8; repeat it for several.",
            help_behavior_hint="",
        ),
    ] = (),
    open_training: bool = False,
    no_browser: bool = False,
) -> None:
    """Play against trained players: opens a page in the browser and prints its address.

    Args:
        terminal: A text board here instead of the page.
        opponent: Who plays in the terminal.
        follow: Let the opponent begin in the terminal.
        host: The address to listen at; others than 127.0.0.1 let other machines in, 0.0.0.0 all of them.
        port: Where to listen; the next free one if somebody else does.
        open_training: Visitors from elsewhere may start trainings here too.
        no_browser: Do not open the browser; only print the address.
    """
    if terminal:
        from randori.app.text_board import play_in_terminal
        from randori.players.files import names_file

        usual = None if names_file(opponent) else _USUAL_GAME
        play_in_terminal(game or usual, opponent, follow)
        return
    from randori.app.service.senders import networks
    from randori.app.serving import Invitation, serve

    if password == "":
        raise UserError("--password is empty: give it a word, or leave it out to let everybody in.")
    asked = password or os.environ.get("RANDORI_PASSWORD") or None
    serve(Invitation(host, asked, networks(proxy), open_training), port, runs, not no_browser)
