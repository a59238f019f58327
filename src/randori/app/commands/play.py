"""`randori play`: the page in the browser, or a board of letters in the terminal."""

import ipaddress
import socket
import threading
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import arg

from randori.errors import UserError

if TYPE_CHECKING:
    from fastapi import FastAPI


def play(
    terminal: bool = False,
    game: str = "othello8",
    opponent: str = "heuristic",
    follow: bool = False,
    host: str = "127.0.0.1",
    port: int = 8080,
    runs: Annotated[Path, arg(help="Whose players can be met, and where trainings go.")] = Path("runs"),
    open_training: bool = False,
    no_browser: bool = False,
) -> None:
    """Play against trained players: opens a page in the browser and prints its address.

    Args:
        terminal: A text board here instead of the page.
        game: What is played in the terminal.
        opponent: Who plays in the terminal.
        follow: Let the opponent begin in the terminal.
        host: The address to listen at; others than 127.0.0.1 let other machines in.
        port: Where to listen; the next free one if somebody else does.
        open_training: Visitors from elsewhere may start trainings here too.
        no_browser: Do not open the browser; only print the address.
    """
    if terminal:
        from randori.app.text_board import play_in_terminal

        play_in_terminal(game, opponent, follow)
        return
    _serve(host, port, runs, open_training, not no_browser)


def _serve(host: str, port: int, runs: Path, open_training: bool, browser: bool) -> None:
    import uvicorn

    from randori.app.page.app import application
    from randori.app.service.access import Access, new_key
    from randori.app.service.senders import LOOPBACK

    listening = _listen(host, port)
    address = f"http://{'localhost' if _is_loopback(host) else host}:{listening.getsockname()[1]}/"
    is_here = _is_loopback(host)
    access = Access(owner_key=None if is_here else new_key())
    app = application(runs, hosts=LOOPBACK if is_here else None, access=access, open_training=open_training)
    # People think for some seconds between two moves; their connection lasts longer than that.
    config = uvicorn.Config(
        app, log_level="warning", proxy_headers=False, timeout_keep_alive=30, timeout_graceful_shutdown=2
    )
    server = uvicorn.Server(config)
    threading.Thread(target=_announce, args=(server, address, browser, app), daemon=True).start()
    server.run(sockets=[listening])


def _announce(server: object, address: str, browser: bool, app: "FastAPI") -> None:
    """Says where the page is once it can be visited, and not before."""
    while not getattr(server, "started", False):
        time.sleep(0.05)
    print(f"Randori is at {address} (Ctrl-C ends it).", flush=True)
    if browser:
        webbrowser.open(address)
    app.openapi()  # prepares the routes, for which the first request would wait
    _warm_up()


def _warm_up() -> None:
    """Compiles or loads what a first game needs while the visitor is still choosing."""
    from randori.app.service.thinking import choose
    from randori.core.game_so_far import GameSoFar
    from randori.games import game
    from randori.players import player

    othello = game("othello8")
    for spec in ("heuristic", "uct:simulations=10"):
        choose(player(spec, othello), GameSoFar(othello))


def _listen(host: str, port: int) -> socket.socket:
    """The first port that is free from this one on, taken at once: nobody can come in between."""
    for candidate in range(port, min(port + 20, 65536)):
        taken = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
        # A port whose last connections are still closing is free.
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind((host, candidate))
            taken.listen()
        except OSError:
            taken.close()
            continue
        return taken
    raise UserError(f"Nothing is free at {host} from port {port} on; choose another with --port.")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
