"""The gate that every request passes: it checks who sends it, from where, and how much they ask for."""

import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from randori.app.service.access import Access
from randori.app.service.door import Door
from randori.app.service.limits import (
    ADDRESSES,
    BY_ADDRESS,
    MAX_ALL_SOCKETS,
    MAX_BODY,
    MAX_HEADERS,
    MAX_IN_FLIGHT,
    MAX_SOCKETS,
    Buckets,
)
from randori.app.service.plain import problem
from randori.app.service.refusals import TooMany
from randori.app.service.safety import cookie_in, is_foreign, new_cookie, with_headers
from randori.app.service.senders import Network, Sender, name_of, sender_of
from randori.app.service.turns import asker

COOKIE = "randori"
_COOKIE_SECONDS = 2 * 365 * 24 * 3600
_TOKEN_LENGTH = 32  # 24 random bytes
_READING = ("GET", "HEAD", "OPTIONS")
_SOCKETS = "/_nicegui_ws/"
"""Where the page's sockets are; without one, requests here stand in for it."""
_PROXY_HEADERS = (b"x-forwarded-", b"forwarded")
"""Headers that only a trusted proxy may set."""


class Gate:
    """ASGI middleware. `hosts` are the names under which the server may be addressed directly, None for any: a foreign name
    that leads to this machine would otherwise let a foreign page talk to it.

    The application finds the visitor's `token` and whether it `is_owner` in the scope's state.
    """

    def __init__(
        self, app: ASGIApp, hosts: frozenset[str] | None, access: Access, proxies: Sequence[Network] = ()
    ) -> None:
        self._app, self._hosts, self._proxies = app, hosts, proxies
        self._door = Door(access)
        self._pace = Buckets(BY_ADDRESS)
        self._in_flight: Counter[str] = Counter()
        self._sockets: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        sender = sender_of(scope, headers, self._proxies)
        asker.set(sender.share)
        known = _token(headers)
        inner_scope = self._inner_scope(scope, headers, sender, known or secrets.token_urlsafe(24))
        if scope["type"] == "websocket":
            await self._socket(inner_scope, headers, sender, receive, send)
            return
        new = new_cookie(COOKIE, inner_scope["state"]["token"], _COOKIE_SECONDS, sender.is_https)
        await self._request(inner_scope, headers, sender, _bounded(receive), with_headers(send, [] if known else [new]))

    def _inner_scope(self, scope: Scope, headers: Headers, sender: Sender, token: str) -> Scope:
        """The scope that the application gets. It answers a HEAD like a GET; the server leaves out the body."""
        state = {**scope.get("state", {}), "token": token, "is_owner": self._door.is_owner(headers, sender)}
        port = scope["client"][1] if scope.get("client") else 0
        plain = "ws" if scope["type"] == "websocket" else "http"
        inner_scope = {
            **scope,
            "state": state,
            "client": (sender.address, port),
            "scheme": plain + "s" * sender.is_https,
        }
        if scope.get("method") == "HEAD":
            inner_scope["method"] = "GET"
        if not sender.by_proxy:
            inner_scope["headers"] = [it for it in scope["headers"] if not it[0].startswith(_PROXY_HEADERS)]
        return inner_scope

    async def _socket(self, scope: Scope, headers: Headers, sender: Sender, receive: Receive, send: Send) -> None:
        is_welcome = self._knows(sender) and not is_foreign(headers, sender)
        if not is_welcome or not self._door.is_open(scope["path"], headers, sender):
            await send({"type": "websocket.close", "code": 1008})  # against the rules
        elif _is_full(self._sockets, sender.share, MAX_SOCKETS, MAX_ALL_SOCKETS):
            await send({"type": "websocket.close", "code": 1013})  # try again later
        else:
            with _counted(self._sockets, sender.share):
                await self._app(scope, receive, send)

    async def _request(self, scope: Scope, headers: Headers, sender: Sender, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope, headers, sender)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        with _counted(self._in_flight, sender.share):
            try:
                answer = await self._door.answer(scope, receive, headers, sender)
                await (answer or self._app)(scope, receive, send)
            except _TooLong:
                await _too_long(scope["path"])(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers, sender: Sender) -> Response | None:
        path, method = scope["path"], scope["method"]
        if not self._knows(sender):
            return problem(path, 400, "This server is not known by that name.")
        if (method not in _READING or path.startswith(_SOCKETS)) and is_foreign(headers, sender):
            return problem(path, 403, "A page of another site may not do that here.")
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADERS:
            return problem(path, 431, f"The headers of a request have at most {MAX_HEADERS} bytes.")
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or int(length) > MAX_BODY:
            return _too_long(path)
        if _is_full(self._in_flight, sender.share, MAX_IN_FLIGHT, ADDRESSES * MAX_IN_FLIGHT):
            return problem(path, 429, "Too many requests at once: try again in a moment.")
        try:
            self._pace.take(sender.share)
        except TooMany as error:
            return problem(path, 429, str(error))
        return None

    def _knows(self, sender: Sender) -> bool:
        return sender.by_proxy or self._hosts is None or name_of(sender.host) in self._hosts


def _is_full(counter: Counter[str], share: str, most: int, most_in_all: int) -> bool:
    return counter[share] >= most or counter.total() >= most_in_all


@contextmanager
def _counted(counter: Counter[str], share: str) -> Iterator[None]:
    counter[share] += 1
    try:
        yield
    finally:
        counter[share] -= 1
        if not counter[share]:
            del counter[share]


class _TooLong(Exception):
    """A request has more bytes than it may have."""


def _too_long(path: str) -> Response:
    return problem(path, 413, f"A request has at most {MAX_BODY} bytes.")


def _bounded(receive: Receive) -> Receive:
    """Counts the bytes: a request need not announce its length."""
    left = MAX_BODY

    async def receive_bounded() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise _TooLong
        return message

    return receive_bounded


def _token(headers: Headers) -> str | None:
    """The token in the cookie; None if there is none, or not one of ours."""
    found = cookie_in(headers, COOKIE)
    return found if found is not None and len(found) == _TOKEN_LENGTH and found.isascii() else None
