"""The gate that every request passes: who asks, how much, from where; and what browsers are told about safety."""

import secrets
from collections import Counter
from collections.abc import Sequence
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from randori.app.service.access import COOKIE as KEY_COOKIE
from randori.app.service.access import Access
from randori.app.service.limits import ADDRESSES, BY_ADDRESS, MAX_BODY, MAX_IN_FLIGHT, Buckets
from randori.app.service.refusals import TooMany
from randori.app.service.senders import Network, sender
from randori.app.service.turns import asker

COOKIE = "randori"
_COOKIE_SECONDS = 2 * 365 * 24 * 3600
_TOKEN_LENGTH = 32  # 24 random bytes
# The page's framework compiles templates in the browser and sets styles on elements.
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self' ws: wss:; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"}


class Gate:
    """ASGI middleware. `hosts` are the names under which the server may be addressed, None for any: a foreign name that
    leads to this machine would otherwise let a foreign page talk to it.
    """

    def __init__(
        self, app: ASGIApp, hosts: frozenset[str] | None, access: Access, proxies: Sequence[Network] = ()
    ) -> None:
        self._app, self._hosts, self._access, self._proxies = app, hosts, access, proxies
        self._pace = Buckets(BY_ADDRESS)
        self._in_flight: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        came = sender(scope, headers, self._proxies)
        token, address = _token(headers), came.share
        is_owner = came.is_local or self._access.is_owners(_cookie(headers, KEY_COOKIE))
        asker.set(address)
        scope.setdefault("state", {}).update(token=token or secrets.token_urlsafe(24), is_owner=is_owner)
        if scope["type"] == "websocket":
            if not self._knows(headers):
                await send({"type": "websocket.close", "code": 1008})
                return
            await self._app(scope, receive, send)
            return
        answer = _with_headers(send, None if token else scope["state"]["token"])
        refusal = self._refusal(scope, headers, address)
        if refusal is not None:
            await refusal(scope, receive, answer)
            return
        self._in_flight[address] += 1
        try:
            await self._app(scope, _bounded(receive), answer)
        except _TooLong:
            await _problem(413, f"A request has at most {MAX_BODY} bytes.")(scope, receive, answer)
        finally:
            self._in_flight[address] -= 1
            if not self._in_flight[address]:
                del self._in_flight[address]

    def _refusal(self, scope: Scope, headers: Headers, address: str) -> JSONResponse | None:
        if not self._knows(headers):
            return _problem(400, "This server is not known by that name.")
        if scope["method"] not in _METHODS:
            return _problem(405, "There is no such method here.")
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MAX_BODY:
            return _problem(413, f"A request has at most {MAX_BODY} bytes.")
        in_flight = self._in_flight
        if in_flight[address] >= MAX_IN_FLIGHT or in_flight.total() >= ADDRESSES * MAX_IN_FLIGHT:
            return _problem(429, "Too many are asking at once: try again in a moment.")
        try:
            self._pace.take(address)
        except TooMany as error:
            return _problem(429, str(error))
        return None

    def _knows(self, headers: Headers) -> bool:
        host = headers.get("host", "").rpartition(":")[0] or headers.get("host", "")
        return self._hosts is None or host.strip("[]") in self._hosts


class _TooLong(Exception):
    """More bytes came than a request may have."""


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


def _with_headers(send: Send, new_token: str | None) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            if new_token is not None:
                cookie = f"{COOKIE}={new_token}; Path=/; Max-Age={_COOKIE_SECONDS}; HttpOnly; SameSite=Lax"
                headers.append("Set-Cookie", cookie)
        await send(message)

    return send_with_headers


def _token(headers: Headers) -> str | None:
    """The token in the cookie; None where there is none that we could have given."""
    found = _cookie(headers, COOKIE)
    sound = found is not None and len(found) == _TOKEN_LENGTH and found.isascii()
    return found if sound else None


def _cookie(headers: Headers, name: str) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return None
    return None if found is None else found.value


def _problem(status: int, sentence: str) -> JSONResponse:
    headers = {"Retry-After": "1"} if status == 429 else None
    return JSONResponse({"detail": sentence}, status, headers)
