"""Who sent a request: the address at the other end, or the one named by a proxy that the owner trusts."""

import ipaddress
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.types import Scope

from randori.errors import UserError

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1", "testserver"})
"""Names of this machine that lead nowhere else."""
_PROXIED = ("x-forwarded-for", "x-real-ip", "forwarded", "via")
"""Any of these says that somebody forwarded the request."""


class Sender(NamedTuple):
    """Where a request came from."""

    address: str
    host: str
    """The name, with its port, under which this server was addressed."""
    is_https: bool
    by_proxy: bool
    """Whether a trusted proxy has forwarded it."""
    is_local: bool
    """From this machine itself, by a name that only this machine has, and not forwarded. A foreign name that leads to
    127.0.0.1 does not count: a foreign page in the owner's browser could use it.
    """

    @property
    def share(self) -> str:
        """What limits are counted by."""
        return share_of(self.address)


def networks(named: Iterable[str]) -> tuple[Network, ...]:
    """Addresses and networks such as `10.0.0.0/8`, also several separated by commas. Raises UserError."""
    words = [word.strip() for it in named for word in it.split(",")]
    try:
        return tuple(ipaddress.ip_network(word) for word in words if word)
    except ValueError as error:
        raise UserError(
            f"--proxy takes addresses such as 127.0.0.1 or networks such as 10.0.0.0/8: {error}."
        ) from error


def sender_of(scope: Scope, headers: Headers, proxies: Sequence[Network]) -> Sender:
    peer = scope["client"][0] if scope.get("client") else ""
    host, is_https = headers.get("host", ""), scope["scheme"] in ("https", "wss")
    if not is_in(peer, proxies):
        is_local = is_loopback(peer) and name_of(host) in LOOPBACK and not any(it in headers for it in _PROXIED)
        return Sender(peer, host, is_https, False, is_local)
    scheme = headers.get("x-forwarded-proto", "").rpartition(",")[2].strip().lower()
    return Sender(
        address=_last_unknown(peer, headers.getlist("x-forwarded-for"), proxies),
        host=headers.get("x-forwarded-host", host),
        is_https=scheme in ("https", "wss") if scheme else is_https,
        by_proxy=True,
        is_local=False,
    )


def name_of(host: str) -> str:
    """A host without its port."""
    name, _, port = host.rpartition(":")
    return (name if port.isdigit() and name else host).strip("[]")


def share_of(address: str) -> str:
    """What limits are counted by: a home has a whole /64 of IPv6 addresses, which count as one."""
    if ":" not in address:
        return address
    try:
        known = ipaddress.IPv6Address(address)
    except ValueError:
        return address
    return str(known.ipv4_mapped or ipaddress.ip_network((int(known) >> 64 << 64, 64)))


def _last_unknown(peer: str, lists: list[str], proxies: Sequence[Network]) -> str:
    """The rightmost that is not a trusted proxy: the sender may have made up whatever stands left of it."""
    address = peer
    for word in reversed([it.strip() for line in lists for it in line.split(",")]):
        named = name_of(word) if word.count(":") == 1 or word.startswith("[") else word
        try:
            address = str(ipaddress.ip_address(named))
        except ValueError:
            return address
        if not is_in(address, proxies):
            return address
    return address


def is_in(address: str, among: Sequence[Network]) -> bool:
    if not among:
        return False
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return False
    plain = getattr(known, "ipv4_mapped", None) or known
    return any(plain in it for it in among)


def is_loopback(address: str) -> bool:
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return False
    return (getattr(known, "ipv4_mapped", None) or known).is_loopback
