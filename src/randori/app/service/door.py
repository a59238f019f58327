"""The door of a server with a password: links with a key, the page that asks for the password, and what is public."""

from html import escape
from urllib.parse import parse_qs, parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Receive, Scope

from randori.app.service.access import COOKIE, Access
from randori.app.service.limits import GUESSES, Buckets
from randori.app.service.plain import SETTINGS, STYLE, is_for_programs, plain_page, problem
from randori.app.service.refusals import TooMany
from randori.app.service.safety import cookie_in, new_cookie
from randori.app.service.senders import Sender

_SECONDS = 90 * 24 * 3600
_LOGIN = "/login"
_PUBLIC = frozenset({STYLE, SETTINGS, "/favicon.ico", "/health"})


class Door:
    def __init__(self, access: Access) -> None:
        self._access = access
        self._guesses = Buckets(GUESSES)

    def is_owner(self, headers: Headers, sender: Sender) -> bool:
        """From the machine itself, or by the owner's key."""
        return sender.is_local or self._access.is_owners(_key_in(headers))

    def is_open(self, path: str, headers: Headers, sender: Sender) -> bool:
        return path in _PUBLIC or sender.is_local or self._access.admits(_key_in(headers))

    async def answer(self, scope: Scope, receive: Receive, headers: Headers, sender: Sender) -> Response | None:
        """The answer to a request that is not let in; None lets it in."""
        path, query = scope["path"], scope["query_string"].decode("latin-1")
        if scope["method"] == "GET" and "key=" in query and not is_for_programs(path):
            key = parse_qs(query).get("key", [""])[-1]
            if self._access.knows(key):
                return _welcome(_without_key(path, query), key, sender)
        if self._access.password is not None and path == _LOGIN:
            return await self._log_in(scope, receive, sender)
        if self.is_open(path, headers, sender):
            return None
        if is_for_programs(path):
            sentence = "This server asks for a password: send the key of your link as `Authorization: Bearer KEY`."
            return problem(path, 401, sentence, {"WWW-Authenticate": "Bearer"})
        return _login_page(_without_key(path, query) if scope["method"] == "GET" else "/")

    async def _log_in(self, scope: Scope, receive: Receive, sender: Sender) -> Response:
        if scope["method"] != "POST":
            return _login_page("/", status=200)
        sent = parse_qs((await Request(scope, receive).body()).decode("utf-8", "replace"))
        guess, target = (sent.get(name, [""])[0] for name in ("password", "next"))
        try:
            self._guesses.take(sender.share)
        except TooMany:
            return _login_page(target, "Too many guesses: wait a minute, then try again.", 429)
        key = self._access.guest_key
        if key is None or not self._access.is_password(guess):
            return _login_page(target, "That is not the password.")
        return _welcome(target, key, sender)


def _key_in(headers: Headers) -> str | None:
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    return bearer.strip() if scheme.lower() == "bearer" else cookie_in(headers, COOKIE)


def _welcome(target: str, key: str, sender: Sender) -> Response:
    """Redirects to the page that somebody wanted, with the key in a cookie and no longer in the address."""
    cookie = new_cookie(COOKIE, key, _SECONDS, sender.is_https)
    return RedirectResponse(_local_path(target), 303, {"Set-Cookie": cookie, "Cache-Control": "no-store"})


def _without_key(path: str, query: str) -> str:
    rest = urlencode([(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name != "key"])
    return f"{path}?{rest}" if rest else path


def _local_path(target: str) -> str:
    """A path on this server: a link to the login page must not lead anywhere else."""
    is_path = target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable()
    return target if is_path and "\\" not in target else "/"


def _login_page(target: str, complaint: str = "", status: int = 401) -> Response:
    alert = f'<p class="status" role="alert">{escape(complaint)}</p>' if complaint else ""
    destination = escape(_local_path(target))
    form = (
        f"<p>This server needs a password; ask whoever runs it.</p>{alert}"
        f'<form class="login" method="post" action="{_LOGIN}"><input type="hidden" name="next" value="{destination}">'
        '<label class="field"><span>Password</span><input type="password" name="password" autocomplete="current-password"'
        ' required autofocus></label><button class="button main">Log in</button></form>'
    )
    headers = {"Cache-Control": "no-store", **({"Retry-After": "60"} if status == 429 else {})}
    return HTMLResponse(plain_page("Log in", form, is_inside=False), status, headers)
