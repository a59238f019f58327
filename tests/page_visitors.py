"""Visitors who talk to the page as its script in a browser does: a page, then a socket with events and updates."""

import asyncio
import html
import json
import re
import uuid
from contextlib import AsyncExitStack
from typing import Any, Self

from serving import Answer, Visitor
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

_ELEMENTS = re.compile(r"parseElements\(String\.raw`(.*?)`\)", re.DOTALL)
_CLIENT = re.compile(r"'client_id': '([^']+)'")
_FILES = re.compile(r'(?:src|href|from)[= ]"(/(?:_nicegui/|style)[^"]+)"')


class OpenPage:
    """An open page with its socket. Elements are as in their last update."""

    def __init__(self, socket: ClientConnection, client: str, elements: dict[str, dict[str, Any]]) -> None:
        self._socket, self._client = socket, client
        self.elements = elements
        self.led_to = ""
        """Where the server has sent the page."""
        self._news = asyncio.Event()
        self._listening = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        """Packets: `2` is a ping, `42` an event in JSON."""
        async for packet in self._socket:
            text = packet if isinstance(packet, str) else packet.decode()
            if text == "2":
                await self._socket.send("3")
            elif text.startswith("42"):
                name, *arguments = json.loads(text[2:])
                if name == "update":
                    self.elements.update(arguments[0])
                elif name == "open":
                    self.led_to = arguments[0]["path"]
                self._news.set()

    def element(self, **props: object) -> str:
        """The id of the element that has these properties or this tag."""
        return next(id for id, it in self.elements.items() if it and _has(it, props))

    async def emit(self, element: str, event: str, *arguments: object) -> None:
        listener = next(it["listener_id"] for it in self.elements[element]["events"] if it["type"] == event)
        message = {
            "id": int(element),
            "client_id": self._client,
            "listener_id": listener,
            "args": [json.dumps(it) for it in arguments],
        }
        await self._socket.send("42" + json.dumps(["event", message]))

    async def until(self, condition: Any) -> None:
        while not condition():
            self._news.clear()
            await self._news.wait()

    async def close(self) -> None:
        self._listening.cancel()
        await self._socket.close()


def _has(element: dict[str, Any], properties: dict[str, object]) -> bool:
    known = {**element.get("props", {}), "tag": element.get("tag")}
    return all(known.get(name) == value for name, value in properties.items())


class PageVisitor(Visitor):
    """A person with a browser: a cookie, a connection for requests, and a socket for each open page."""

    async def __aenter__(self) -> Self:
        self._pages = AsyncExitStack()
        await super().__aenter__()
        return self

    async def __aexit__(self, *how: object) -> None:
        await self._pages.aclose()
        await super().__aexit__(*how)

    async def open(self, path: str, with_files: bool = False) -> tuple[Answer, OpenPage]:
        """The page at an address, the files that it needs, and its socket."""
        answer = await self.ask("GET", path)
        assert answer.status == 200, (path, answer.status)
        text = answer.content.decode()
        found, client = _ELEMENTS.search(text), _CLIENT.search(text)
        assert found, text[:500]
        assert client
        for file in dict.fromkeys(_FILES.findall(text)) if with_files else ():
            assert (await self.ask("GET", file)).status == 200, file
        page = OpenPage(await self.socket(client[1]), client[1], json.loads(html.unescape(found[1])))
        self._pages.push_async_callback(page.close)
        return answer, page

    async def socket(self, client: str, handshake: bool = True) -> ClientConnection:
        query = f"EIO=4&transport=websocket&implicit_handshake={str(handshake).lower()}&next_message_id=0&client_id={client}"
        query += f"&tab_id={uuid.uuid4()}&document_id={uuid.uuid4()}"
        socket = await connect(
            f"ws://127.0.0.1:{self._port}/_nicegui_ws/socket.io/?{query}",
            origin=Origin(f"http://127.0.0.1:{self._port}"),
            additional_headers={"Cookie": self.cookie.partition(": ")[2]},
            local_addr=(self._address, 0),
            compression=None,
            open_timeout=60,
        )
        assert str(await socket.recv()).startswith("0")
        await socket.send("40")
        while not str(await socket.recv()).startswith("40"):
            pass
        return socket
