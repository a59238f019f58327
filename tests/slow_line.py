"""A slow connection to a server: a relay in its own thread that passes every byte on after a delay."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread


@contextmanager
def slow_line(port: int, seconds: float) -> Iterator[int]:
    """The port of a relay to a server on this machine; a round trip takes `seconds`."""
    loop = asyncio.new_event_loop()
    relay = loop.run_until_complete(asyncio.start_server(lambda *ends: _connect(*ends, port, seconds / 2), "127.0.0.1"))
    thread = Thread(target=loop.run_forever)
    thread.start()
    try:
        yield relay.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))


async def _connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int, delay: float) -> None:
    far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.gather(_hand_on(reader, far_writer, delay), _hand_on(far_reader, writer, delay))


async def _hand_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
    """Passes bytes on in order, all with the same delay."""
    loop = asyncio.get_running_loop()
    with suppress(ConnectionError):
        while content := await reader.read(65536):
            loop.call_later(delay, writer.write, content)
    loop.call_later(delay, writer.close)
