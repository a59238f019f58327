"""The headers that make browsers careful, and the cookies that are set and read."""

from collections.abc import Sequence
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Send

from randori.app.service.senders import Sender, name_of

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
_PORTS = {"http": 80, "https": 443}


def is_foreign(headers: Headers, sender: Sender) -> bool:
    """Whether a page of another site sent this. Browsers always say whose page opens a socket or sends data; who says
    nothing is not a browser, and nobody's cookies are at stake.
    """
    origin = headers.get("origin")
    if origin is None:
        return False
    try:
        parts = urlsplit(origin)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return True
    if parts.scheme not in _PORTS or parts.hostname != name_of(sender.host).lower():
        return True
    # A proxy may leave out the port by which it was reached itself.
    return not sender.by_proxy and port != _port_of(sender.host, _PORTS["https" if sender.is_https else "http"])


def _port_of(host: str, usual: int) -> int:
    port = host.rpartition(":")[2]
    return int(port) if port.isascii() and port.isdigit() and ":" in host else usual


def cookie_in(headers: Headers, name: str) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return None
    return None if found is None else found.value


def new_cookie(name: str, value: str, seconds: int, is_https: bool) -> str:
    secure = "; Secure" if is_https else ""
    return f"{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"


def with_headers(send: Send, cookies: Sequence[str]) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            for cookie in cookies:
                headers.append("Set-Cookie", cookie)
        await send(message)

    return send_with_headers
