"""`randori play`: the page in the browser, or a board of letters in the terminal."""

import os
from pathlib import Path
from typing import Annotated

from tyro.conf import UseAppendAction, arg


def play(
    terminal: bool = False,
    game: str = "othello8",
    opponent: str = "heuristic",
    follow: bool = False,
    host: str = "127.0.0.1",
    port: int = 8080,
    runs: Annotated[Path, arg(help="Whose players can be met, and where trainings go.")] = Path("runs"),
    password: str | None = None,
    proxy: UseAppendAction[tuple[str, ...]] = (),
    open_training: bool = False,
    no_browser: bool = False,
) -> None:
    """Play against trained players: opens a page in the browser and prints its address.

    Args:
        terminal: A text board here instead of the page.
        game: What is played in the terminal.
        opponent: Who plays in the terminal.
        follow: Let the opponent begin in the terminal.
        host: The address to listen at; others than 127.0.0.1 let other machines in, 0.0.0.0 all of them.
        port: Where to listen; the next free one if somebody else does.
        password: What visitors from elsewhere are asked for. RANDORI_PASSWORD does the same, and no list of processes shows it.
        proxy: An address, or a network such as 10.0.0.0/8, whose X-Forwarded-For is believed; may be given several times.
        open_training: Visitors from elsewhere may start trainings here too.
        no_browser: Do not open the browser; only print the address.
    """
    if terminal:
        from randori.app.text_board import play_in_terminal

        play_in_terminal(game, opponent, follow)
        return
    from randori.app.service.senders import networks
    from randori.app.serving import Invitation, serve

    asked = password if password is not None else os.environ.get("RANDORI_PASSWORD")
    serve(Invitation(host, asked or None, networks(proxy), open_training), port, runs, not no_browser)
