"""Connections that never finish their requests are closed here; the server itself would wait for ever."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Sequence
from functools import partial
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from randori.app.service.limits import MAX_ALL_HALF_OPEN, MAX_CONNECTIONS, MAX_HALF_OPEN, MAX_HEADERS, SECONDS_TO_ASK
from randori.app.service.senders import Network, is_in, share_of

_TOO_LONG = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class Connections:
    """All connections, and by address those whose request is not complete. Trusted proxies may have any number:
    they wait for their own visitors.
    """

    def __init__(self, proxies: Sequence[Network] = (), seconds_to_ask: float = SECONDS_TO_ASK) -> None:
        self.seconds_to_ask = seconds_to_ask
        self._proxies = proxies
        self._open: Counter[str] = Counter()
        self._unfinished: OrderedDict[str, OrderedDict[GuardedProtocol, None]] = OrderedDict()

    def protocol(self) -> Any:
        """What the server makes for each connection."""
        return partial(GuardedProtocol, self)

    def share(self, address: str) -> str | None:
        """What limits are counted by; None for proxies, which have no limits."""
        return None if is_in(address, self._proxies) else share_of(address)

    def enter(self, share: str | None) -> bool:
        """Whether there is room for one more."""
        if share is None:
            return True
        if self._open[share] >= MAX_CONNECTIONS:
            return False
        self._open[share] += 1
        return True

    def leave(self, share: str | None) -> None:
        if share is not None:
            self._open[share] -= 1
            if not self._open[share]:
                del self._open[share]

    def wait_for(self, it: "GuardedProtocol") -> None:
        """Notes that its request has begun. If an address has too many of these, the oldest is closed."""
        if it.share is None:
            return
        waiting = self._unfinished.setdefault(it.share, OrderedDict())
        waiting[it] = None
        if len(waiting) > MAX_HALF_OPEN or sum(map(len, self._unfinished.values())) > MAX_ALL_HALF_OPEN:
            most = max(self._unfinished.values(), key=len)
            next(iter(most)).give_up()

    def finish(self, it: "GuardedProtocol") -> None:
        """Notes that its request is complete, or never will be."""
        waiting = self._unfinished.get(it.share or "", OrderedDict())
        waiting.pop(it, None)
        if not waiting:
            self._unfinished.pop(it.share or "", None)


class GuardedProtocol(HttpToolsProtocol):
    """One connection."""

    share: str | None = None

    def __init__(self, connections: Connections, **settings: Any) -> None:
        super().__init__(**settings)
        self._connections = connections
        self._limit: asyncio.TimerHandle | None = None
        self._is_counted, self._has_headers, self._n_bytes = False, False, 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.share = self._connections.share(self.client[0] if self.client else "")
        self._is_counted = self._connections.enter(self.share)
        if self._is_counted:
            self._begin()
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._limit is None:
            self._begin()
        super().data_received(data)
        if self._limit is not None and not self._has_headers:
            self._n_bytes += len(data)
            if self._n_bytes > MAX_HEADERS:
                self.transport.write(_TOO_LONG)
                self.transport.close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._has_headers = False

    def on_headers_complete(self) -> None:
        self._has_headers = True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._finish()

    def handle_websocket_upgrade(self) -> None:
        self._leave()  # the gate counts sockets
        super().handle_websocket_upgrade()

    def give_up(self) -> None:
        self._finish()
        self.transport.abort()

    def _begin(self) -> None:
        self._has_headers, self._n_bytes = False, 0
        self._limit = self.loop.call_later(self._connections.seconds_to_ask, self.give_up)
        self._connections.wait_for(self)

    def _finish(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
            self._connections.finish(self)

    def _leave(self) -> None:
        self._finish()
        if self._is_counted:
            self._is_counted = False
            self._connections.leave(self.share)
