"""`randori play`: the page in the browser, or a board of letters in the terminal."""

import os
from pathlib import Path
from typing import Annotated

from tyro.conf import UseAppendAction, arg

from randori.app.flags import Switch, with_games
from randori.errors import UserError

_USUAL_GAME = "othello8"


def play(
    terminal: Switch = False,
    game: Annotated[
        str | None,
        arg(
            metavar="GAME",
            help=with_games("The game to play in the terminal"),
            help_behavior_hint=f"(default: the game of a trained opponent, else {_USUAL_GAME})",
        ),
    ] = None,
    opponent: Annotated[str, arg(metavar="PLAYER")] = "heuristic",
    follow: Switch = False,
    host: Annotated[str, arg(metavar="ADDRESS")] = "127.0.0.1",
    port: Annotated[int, arg(metavar="N")] = 8080,
    runs: Annotated[Path, arg(metavar="FOLDER")] = Path("runs"),
    password: Annotated[
        str | None,
        arg(
            metavar="WORDS",
            help="Visitors from other machines must give this password. RANDORI_PASSWORD does the same without showing it in "
            "the list of processes.",
            help_behavior_hint="",
        ),
    ] = None,
    proxy: Annotated[
        UseAppendAction[tuple[str, ...]],
        arg(
            metavar="ADDRESS",
            help="Trust the X-Forwarded-For of this proxy, or of a network of proxies such as 10.0.0.0/8; repeat it for several.",
            help_behavior_hint="",
        ),
    ] = (),
    open_training: Switch = False,
    no_browser: Switch = False,
) -> None:
    """Opens a page in the browser to play against trained players, and prints its address.

    Args:
        terminal: A text board here instead of the page.
        opponent: Your opponent in the terminal; `randori players` lists them.
        follow: Let the opponent begin in the terminal.
        host: The address to listen on. Any but 127.0.0.1 lets other machines in; 0.0.0.0 listens on all addresses.
        port: The port to listen on, or the next free one if it is taken.
        runs: Your own runs, to play against; trainings started on the page go there too.
        open_training: Let visitors from other machines start trainings too.
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
        raise UserError("--password is empty: give one, or leave the flag out to let everybody in.")
    visitors_password = password or os.environ.get("RANDORI_PASSWORD") or None
    serve(Invitation(host, visitors_password, networks(proxy), open_training), port, runs, not no_browser)
