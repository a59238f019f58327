"""The gate that every request passes: who asks, how much, from where."""

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
from randori.app.service.senders import Network, Sender, name_of, sender
from randori.app.service.turns import asker

COOKIE = "randori"
_COOKIE_SECONDS = 2 * 365 * 24 * 3600
_TOKEN_LENGTH = 32  # 24 random bytes
_READING = ("GET", "HEAD", "OPTIONS")
_SOCKETS = "/_nicegui_ws/"
"""Where the page's sockets are; where one cannot be had, requests here stand in for it."""
_RETOLD = (b"x-forwarded-", b"forwarded")
"""What only a believed proxy may say of a request."""


class Gate:
    """ASGI middleware. `hosts` are the names under which the server may be addressed directly, None for any: a foreign name
    that leads to this machine would otherwise let a foreign page talk to it.

    What comes after it finds the visitor's `token` and whether it `is_owner` in the scope's state.
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
        came = sender(scope, headers, self._proxies)
        asker.set(came.share)
        known = _token(headers)
        told = self._told(scope, headers, came, known or secrets.token_urlsafe(24))
        if scope["type"] == "websocket":
            await self._socket(told, headers, came, receive, send)
            return
        new = new_cookie(COOKIE, told["state"]["token"], _COOKIE_SECONDS, came.is_https)
        await self._request(told, headers, came, _bounded(receive), with_headers(send, [] if known else [new]))

    def _told(self, scope: Scope, headers: Headers, came: Sender, token: str) -> Scope:
        """The scope as those after us see it. Whoever answers a GET answers a HEAD; the server leaves out the body."""
        state = {**scope.get("state", {}), "token": token, "is_owner": self._door.is_owner(headers, came)}
        port = scope["client"][1] if scope.get("client") else 0
        plain = "ws" if scope["type"] == "websocket" else "http"
        told = {**scope, "state": state, "client": (came.address, port), "scheme": plain + "s" * came.is_https}
        if scope.get("method") == "HEAD":
            told["method"] = "GET"
        if not came.by_proxy:
            told["headers"] = [it for it in scope["headers"] if not it[0].startswith(_RETOLD)]
        return told

    async def _socket(self, scope: Scope, headers: Headers, came: Sender, receive: Receive, send: Send) -> None:
        is_welcome = self._knows(came) and not is_foreign(headers, came)
        if not is_welcome or not self._door.is_open(scope["path"], headers, came):
            await send({"type": "websocket.close", "code": 1008})  # against the rules
        elif _is_full(self._sockets, came.share, MAX_SOCKETS, MAX_ALL_SOCKETS):
            await send({"type": "websocket.close", "code": 1013})  # try again later
        else:
            with _counted(self._sockets, came.share):
                await self._app(scope, receive, send)

    async def _request(self, scope: Scope, headers: Headers, came: Sender, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope, headers, came)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        with _counted(self._in_flight, came.share):
            try:
                answer = await self._door.answer(scope, receive, headers, came)
                await (answer or self._app)(scope, receive, send)
            except _TooLong:
                await _too_long(scope["path"])(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers, came: Sender) -> Response | None:
        path, method = scope["path"], scope["method"]
        if not self._knows(came):
            return problem(path, 400, "This server is not known by that name.")
        if (method not in _READING or path.startswith(_SOCKETS)) and is_foreign(headers, came):
            return problem(path, 403, "A page of another site may not do that here.")
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADERS:
            return problem(path, 431, f"The headers of a request have at most {MAX_HEADERS} bytes.")
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or int(length) > MAX_BODY:
            return _too_long(path)
        if _is_full(self._in_flight, came.share, MAX_IN_FLIGHT, ADDRESSES * MAX_IN_FLIGHT):
            return problem(path, 429, "Too many requests at once: try again in a moment.")
        try:
            self._pace.take(came.share)
        except TooMany as error:
            return problem(path, 429, str(error))
        return None

    def _knows(self, came: Sender) -> bool:
        return came.by_proxy or self._hosts is None or name_of(came.host) in self._hosts


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
    """More bytes came than a request may have."""


def _too_long(path: str) -> Response:
    return problem(path, 413, f"A request has at most {MAX_BODY} bytes.")


def _bounded(receive: Receive) -> Receive:
    """Counts what comes: a request need not say its length beforehand."""
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
    """The token in the cookie; None where there is none that we could have given."""
    found = cookie_in(headers, COOKIE)
    return found if found is not None and len(found) == _TOKEN_LENGTH and found.isascii() else None
