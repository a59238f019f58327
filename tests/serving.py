"""A server in another process, for tests that need a real one, and its visitors."""

import asyncio
import gzip
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self


class Server(NamedTuple):
    address: str
    process: subprocess.Popen[str]

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds that all its threads have used so far (Linux)."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        user, system = fields[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """Like a power cut: nothing can be written any more."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def serving(
    folder: Path,
    plugins: Iterable[Path] = (),
    more: Iterable[str] = (),
    database: str | None = None,
    kernels: Path | None = None,
) -> Iterator[Server]:
    """Runs `randori play` with its data and runs in a folder and with these plugins, until the block ends.

    `kernels` is the folder of a separate kernel cache.
    """
    flags = [word for path in plugins for word in ("--plugin", str(path))]
    command = [
        sys.executable,
        "-m",
        "randori",
        "play",
        "--no-browser",
        "--port",
        "8300",
        "--runs",
        str(folder / "runs"),
    ]
    command += [*flags, *more]
    environment = os.environ | {"RANDORI_DB": database or f"sqlite:///{folder / 'page.sqlite'}"}
    if kernels is not None:
        environment["RANDORI_CACHE"] = str(kernels)
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+?(?=/ )", line)
        assert found, line
        try:
            yield Server(found[0], process)
        finally:
            process.kill()


class Answer(NamedTuple):
    status: int
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content) if self.content else None


class Visitor:
    """A person with their own address, connection and cookie.

    A hundred of them hardly load the machine that they share with the server, unlike a hundred HTTP clients.
    """

    def __init__(self, port: int, address: str = "127.0.0.1", keeps_cookie: bool = True, cookie: str = "") -> None:
        self._port, self._address, self.cookie, self._keeps_cookie = port, address, cookie, keeps_cookie

    async def __aenter__(self) -> Self:
        here = (self._address, 0)
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, local_addr=here)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()

    async def ask(self, method: str, path: str, body: object = None) -> Answer:
        text = "" if body is None else json.dumps(body)
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(text)}", self.cookie]
        lines += ["Accept-Encoding: gzip"]
        lines += ["Content-Type: application/json"] * bool(text)
        self._writer.write("\r\n".join([*filter(None, lines), "", text]).encode())
        status, *header_lines = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (it.partition(": ") for it in header_lines)}
        if "set-cookie" in headers and self._keeps_cookie:
            self.cookie = f"Cookie: {headers['set-cookie'].partition(';')[0]}"
        content = await self._content(headers)
        if headers.get("content-encoding") == "gzip":
            content = gzip.decompress(content)
        return Answer(int(status.split()[1]), content)

    async def _content(self, headers: dict[str, str]) -> bytes:
        if "chunked" not in headers.get("transfer-encoding", ""):
            return await self._reader.readexactly(int(headers.get("content-length", 0)))
        content = b""
        while size := int(await self._reader.readline(), 16):
            content += await self._reader.readexactly(size)
            await self._reader.readline()
        await self._reader.readline()
        return content
