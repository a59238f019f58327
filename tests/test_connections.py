"""Connections that never finish their requests, on a real server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from randori.app.service import connections
from randori.app.service.connections import Connections
from randori.app.service.limits import MAX_HALF_OPEN, MAX_HEADERS
from randori.app.service.senders import networks

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
WHOLE = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


async def _echo(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        body = await Request(scope, receive).body()
        await PlainTextResponse(f"{len(body)} bytes")(scope, receive, send)


@asynccontextmanager
async def serving(guard: Connections) -> AsyncIterator[int]:
    config = uvicorn.Config(_echo, port=0, http=guard.protocol(), lifespan="off", log_level="critical")
    server = uvicorn.Server(config)
    server.capture_signals = suppress  # type: ignore[method-assign,assignment]  # they are pytest's
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    yield int(server.servers[0].sockets[0].getsockname()[1])
    server.should_exit = server.force_exit = True
    await task


class Line:
    """A connection by hand."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def to(cls, port: int, data: bytes = b"", address: str = "127.0.0.1") -> "Line":
        line = cls(*await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0)))
        line.say(data)
        return line

    def say(self, data: bytes) -> None:
        self._writer.write(data)

    async def answer(self) -> str:
        """The first line and the content of an answer; empty if the server has hung up."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await self._reader.readuntil(b"\r\n\r\n")).decode().splitlines()
            length = next(int(it.partition(":")[2]) for it in head if it.startswith("content-length"))
            return f"{head[0]}: {(await self._reader.readexactly(length)).decode()}"
        return ""

    async def is_over(self) -> bool:
        with suppress(ConnectionError):
            return await self._reader.read(1) == b""
        return True

    def close(self) -> None:
        self._writer.close()


def test_slow_requests_are_not_waited_for() -> None:
    async def scene() -> None:
        async with serving(Connections(seconds_to_ask=0.5)) as port:
            nothing, half = await Line.to(port), await Line.to(port, HALF)
            body = await Line.to(port, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12345")
            again = await Line.to(port, WHOLE)
            assert (await again.answer()).endswith("0 bytes")
            again.say(HALF)  # the second request on a connection is waited for no longer than the first
            for line in (nothing, half, body, again):
                assert await asyncio.wait_for(line.is_over(), 20)

    asyncio.run(scene())


def test_a_connection_between_two_requests_is_kept() -> None:
    async def scene() -> None:
        async with serving(Connections(seconds_to_ask=1.0)) as port:
            line = await Line.to(port, WHOLE)
            assert (await line.answer()).endswith("0 bytes")
            await asyncio.sleep(1.5)
            line.say(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc")
            assert (await line.answer()).endswith("3 bytes")
            line.close()

    asyncio.run(scene())


def test_of_many_half_requests_the_oldest_end_and_whole_ones_are_answered() -> None:
    async def scene() -> None:
        async with serving(Connections()) as port:
            lines = [await Line.to(port, HALF) for _ in range(2 * MAX_HALF_OPEN)]
            ended = [await asyncio.wait_for(line.is_over(), 20) for line in lines[:MAX_HALF_OPEN]]
            assert all(ended)
            for address in ("127.0.0.1", "127.0.0.2"):
                whole = await Line.to(port, WHOLE, address)
                assert (await whole.answer()).startswith("HTTP/1.1 200 OK")
                whole.close()
            lines[-1].say(b"done\r\n\r\n")
            assert (await lines[-1].answer()).startswith("HTTP/1.1 200 OK")
            for line in lines:
                line.close()

    asyncio.run(scene())


def test_connections_per_address_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 3)

    async def scene() -> None:
        async with serving(Connections()) as port:
            kept = [await Line.to(port, WHOLE) for _ in range(3)]
            for line in kept:
                assert await line.answer()
            assert await (await Line.to(port)).is_over()
            elsewhere = await Line.to(port, WHOLE, "127.0.0.2")
            assert await elsewhere.answer()
            kept[0].close()
            while not await (last := await Line.to(port, WHOLE)).answer():  # until the server has noticed
                await asyncio.sleep(0.01)
            for line in (*kept, elsewhere, last):
                line.close()
        async with serving(Connections(networks(["127.0.0.1"]))) as port:
            lines = [await Line.to(port, WHOLE) for _ in range(5)]  # a proxy may have as many as it likes
            for line in lines:
                assert await line.answer()
                line.close()

    asyncio.run(asyncio.wait_for(scene(), 30))


def test_headers_without_end_are_cut_short() -> None:
    async def scene() -> None:
        async with serving(Connections()) as port:
            line = await Line.to(port, HALF + b"x" * (MAX_HEADERS + 1))
            assert (await line.answer()).startswith("HTTP/1.1 431")
            assert await line.is_over()

    asyncio.run(scene())
