"""The page's server: where it listens, whom it lets in, and what it prints about that when it starts."""

import ipaddress
import socket
import sys
import threading
import time
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from randori.app.service.access import Access, new_key
from randori.app.service.senders import LOOPBACK, Network, is_in, is_loopback
from randori.errors import UserError

if TYPE_CHECKING:
    from fastapi import FastAPI

_MAX_MESSAGE = 256 * 1024
"""Bytes that a page may send at once through its socket: a long transcript, pasted."""
# A port whose last connections are still closing is free. On Windows it is in any case, and the same option would share
# the port with a server that is still there.
if sys.platform == "win32":
    _FREE_WHILE_CLOSING = socket.SO_EXCLUSIVEADDRUSE
else:
    _FREE_WHILE_CLOSING = socket.SO_REUSEADDR


@dataclass(frozen=True)
class Invitation:
    """Whom a server lets in, and as what."""

    host: str
    password: str | None
    proxies: tuple[Network, ...]
    open_training: bool

    @property
    def is_private(self) -> bool:
        """Only this machine can reach it."""
        return _is_this_machine(self.host) and not self.proxies

    def access(self) -> Access:
        """Whoever sits at another machine needs a key to be known as the owner."""
        return Access(self.password, None if self.is_private else new_key())

    def in_words(self, access: Access, port: int) -> list[str]:
        """What somebody who starts the server should know."""
        if self.is_private:
            return []
        elsewhere, is_behind = _url(_reachable(self.host), port), _is_this_machine(self.host)
        stranger = "Everybody who reaches your proxy" if is_behind else "Everybody on your network"
        who = "Whoever knows the password" if self.password else stranger
        place = "" if is_behind else f" at {elsewhere}"
        lines = [f"{who} can play here{place}{', and start trainings' if self.open_training else ''}."]
        if not self.open_training:
            where = (
                "by your own link"
                if is_in("127.0.0.1", self.proxies)
                else "on this machine, or elsewhere by your own link"
            )
            lines.append(f"Trainings and tournaments stay with you: {where}.")
        if access.guest_key is not None:
            lines.append(f"The link for guests, in place of the password: {elsewhere}?key={access.guest_key}")
        if access.owner_key is not None:
            lines.append(f"Your own link, which makes its bearer the owner: {elsewhere}?key={access.owner_key}")
        if not self.password:
            lines.append("To ask visitors for a password, add --password.")
        return lines


def serve(invitation: Invitation, port: int, runs: Path, browser: bool) -> None:
    import uvicorn

    from randori.app.page.app import with_page
    from randori.app.service.connections import Connections
    from randori.app.service.server import service

    listening = _listen(invitation.host, port)
    port = listening.getsockname()[1]
    access, proxies = invitation.access(), invitation.proxies
    hosts = LOOPBACK if _is_this_machine(invitation.host) else None
    app = with_page(service(runs, hosts=hosts, access=access, proxies=proxies, open_training=invitation.open_training))
    # People think for some seconds between two moves; their connection lasts longer than that.
    config = uvicorn.Config(
        app,
        http=Connections(proxies).protocol(),
        ws_max_size=_MAX_MESSAGE,
        proxy_headers=False,  # the gate knows whom to believe
        log_level="warning",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    name = "localhost" if _is_this_machine(invitation.host) or _is_everywhere(invitation.host) else invitation.host
    lines = [f"Randori is at {_url(name, port)} (Ctrl-C ends it).", *invitation.in_words(access, port)]
    threading.Thread(
        target=_announce, args=(server, lines, _url(name, port) if browser else None, app), daemon=True
    ).start()
    _allow_many_connections()
    server.run(sockets=[listening])


def _announce(server: object, lines: list[str], address: str | None, app: "FastAPI") -> None:
    """Prints where the page is as soon as it can be visited; opens it if an address is given."""
    from randori.app.page.setup import FIRST_GAME
    from randori.games import game

    while not getattr(server, "started", False):
        time.sleep(0.05)
    print("\n".join(lines), flush=True)
    if address is not None:
        webbrowser.open(address)
    app.openapi()  # prepares the routes, for which the first request would wait
    # What a first game needs is loaded, or compiled, while the visitor is still choosing.
    app.state.rooms.preparations.want(game(FIRST_GAME))


def _listen(host: str, port: int) -> socket.socket:
    """Takes the first free port from this one on, so that no other process can."""
    for candidate in range(port, min(port + 20, 65536)):
        listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, _FREE_WHILE_CLOSING, 1)
        try:
            listener.bind((host, candidate))
            listener.listen()
        except OSError:
            listener.close()
            continue
        return listener
    raise UserError(f"No port from {port} on is free at {host}; choose another with --port.")


def _allow_many_connections() -> None:
    """Each takes a file handle, and many systems give a process few unless it asks for more."""
    if sys.platform == "win32":  # which has no such limit
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 16384 if hard == resource.RLIM_INFINITY else min(16384, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def _is_this_machine(host: str) -> bool:
    return host == "localhost" or is_loopback(host)


def _is_everywhere(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return not host


def _reachable(host: str) -> str:
    """An address that others can use: of a server that listens everywhere, the one that leads to the network."""
    if _is_this_machine(host):
        return "localhost"
    if not _is_everywhere(host):
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # of a network for examples; nothing is sent
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
