"""The framework's own files, a megabyte for each new visitor: read and compressed once, then kept."""

import asyncio
from weakref import WeakValueDictionary

from nicegui import __version__
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_PLACES = tuple(f"/_nicegui/{__version__}/{it}/" for it in ("static", "libraries", "components", "esm", "resources"))
_MAX_BYTES = 64 * 1024 * 1024


class KeptFiles:
    """ASGI middleware. These files never change while the server runs: their version is in their address."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._kept: dict[tuple[str, bool], tuple[Message, bytes]] = {}
        self._n_bytes = 0
        self._turns: WeakValueDictionary[tuple[str, bool], asyncio.Lock] = WeakValueDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_whole_file(scope):
            await self._app(scope, receive, send)
            return
        key = scope["path"], "gzip" in Headers(scope=scope).get("accept-encoding", "")
        answer = self._kept.get(key)
        if answer is None:
            turn = self._turns.setdefault(key, asyncio.Lock())  # of many first requests, one does the work
            async with turn:
                answer = self._kept.get(key) or await self._read(key, scope, receive)
        start, body = answer
        await send({**start, "headers": list(start["headers"])})  # a copy: other middleware adds headers
        await send({"type": "http.response.body", "body": body})

    async def _read(self, key: tuple[str, bool], scope: Scope, receive: Receive) -> tuple[Message, bytes]:
        """The whole answer before any of it is sent: whoever reads slowly keeps nobody else waiting."""
        start: Message = {}
        parts: list[bytes] = []

        async def take(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            else:
                parts.append(message.get("body", b""))

        await self._app(scope, receive, take)
        body = b"".join(parts)
        MutableHeaders(scope=start)["content-length"] = str(len(body))
        if start["status"] == 200 and self._n_bytes + len(body) <= _MAX_BYTES:
            self._kept[key] = start, body
            self._n_bytes += len(body)
        return start, body


def _is_whole_file(scope: Scope) -> bool:
    """Whether the request is for a whole file, not for a part or only if it has changed."""
    names = {name for name, _ in scope["headers"]}
    is_file = scope["path"].startswith(_PLACES) and not scope["query_string"]
    return scope["method"] == "GET" and is_file and not names & {b"range", b"if-none-match", b"if-modified-since"}
