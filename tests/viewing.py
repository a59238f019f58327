"""A visitor who looks at a view through a real socket, without a browser: presses buttons and makes up events."""

import json
import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import unescape
from typing import Any
from urllib.parse import urlencode

import httpx
import socketio
from waiting import wait_for

FROM_ELSEWHERE = {"X-Forwarded-For": "203.0.113.9"}
"""Of requests that are not the owner's."""
PATIENCE = 180.0
"""Seconds; a first tournament may wait for kernels to compile."""


class View:
    """The elements of a view by their numbers, kept up to date, and the pages that it opened."""

    def __init__(self, socket: socketio.Client, client_id: str, elements: dict[str, Any]) -> None:
        self._socket, self._client_id, self._elements = socket, client_id, elements
        self.opened: list[str] = []
        socket.on("update", self._update)
        socket.on("open", lambda message: self.opened.append(message["path"]))

    def _update(self, message: dict[str, Any]) -> None:
        self._elements |= {id: element for id, element in message.items() if isinstance(element, dict)}
        for removed in (id for id, element in message.items() if element is None):
            self._elements.pop(removed, None)

    @property
    def text(self) -> str:
        return " ".join(it.get("props", {}).get("innerHTML", "") for it in list(self._elements.values()))

    @property
    def buttons(self) -> set[str]:
        """The names of the buttons that are shown."""
        shown = [it for it in list(self._elements.values()) if it.get("props", {}).get("tag") == "button"]
        return {it["props"].get("id", "") for it in shown if "hidden" not in it.get("class", [])}

    def press(self, name: str, *args: object) -> None:
        """Even if the button is not shown."""
        id, element = next(it for it in self._elements.items() if it[1].get("props", {}).get("id") == name)
        listener = next(it["listener_id"] for it in element["events"] if it["type"] == "click")
        sent = {"id": int(id), "client_id": self._client_id, "listener_id": listener, "args": [*map(json.dumps, args)]}
        self._socket.emit("event", sent)

    def press_point(self, point: object) -> None:
        """Sends the event that a chart sends when one of its points is pressed."""
        charts = [it for it in self._elements.items() if "echart" in str(it[1].get("component", it[1].get("tag", "")))]
        for id, element in charts:
            listener = next(it["listener_id"] for it in element["events"] if it["type"] == "componentClick")
            sent = {"id": int(id), "client_id": self._client_id, "listener_id": listener, "args": [json.dumps(point)]}
            self._socket.emit("event", sent)

    def until(self, found: Callable[[], Any]) -> Any:
        return wait_for(found, PATIENCE, lambda: f"in a view that says: {self.text}")


@contextmanager
def viewing(visitor: httpx.Client, path: str) -> Iterator[View]:
    """A view as the visitor, with their cookie and headers, gets it."""
    answer = visitor.get(path)
    assert answer.status_code == 200, answer.text
    found = re.search(r"parseElements\(String\.raw`(.*)`\), \{", answer.text)
    client = re.search(r"'client_id': '([^']+)'", answer.text)
    assert found, answer.text
    assert client, answer.text
    elements = json.loads(unescape(found[1]))
    socket = socketio.Client(reconnection=False)
    view = View(socket, client[1], elements)
    query = {
        "client_id": client[1],
        "next_message_id": 0,
        "implicit_handshake": "true",
        "tab_id": uuid.uuid4(),
        "document_id": uuid.uuid4(),
    }
    cookie = "; ".join(f"{it.name}={it.value}" for it in visitor.cookies.jar)
    headers = {**{name: visitor.headers[name] for name in FROM_ELSEWHERE if name in visitor.headers}, "Cookie": cookie}
    address = f"{str(visitor.base_url).rstrip('/')}?{urlencode(query)}"
    socket.connect(
        address, headers, transports=["websocket"], socketio_path="/_nicegui_ws/socket.io", wait_timeout=int(PATIENCE)
    )
    try:
        yield view
    finally:
        socket.disconnect()
