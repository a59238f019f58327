"""Many visitors and greedy ones: a hundred with sockets at once, and one address that holds on to all it can get."""

import asyncio
import itertools
import statistics
import time
from collections import Counter
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Promise
from fastapi.testclient import TestClient
from made_up import ask_at_random
from page_visitors import OpenPage, PageVisitor
from serving import Visitor, serving
from websockets.exceptions import InvalidStatus

from randori.app.service.server import service
from randori.players.files import ZOO, read_card

PEOPLE, MOVES = 100, 5
SECONDS_TO_THINK = (4.0, 8.0)
OPPONENTS = [(read_card(path).game, f"zoo/{path.stem}") for path in sorted(ZOO.glob("*.safetensors"))]
IDLE_SOCKETS, HALF_REQUESTS = 600, 1500


class Guest:
    """A guest who opens the front page, begins a game and plays, by the API or on the page of the game."""

    def __init__(self, number: int, port: int) -> None:
        self._rng = np.random.default_rng(number)
        self._game, self._opponent = OPPONENTS[number % len(OPPONENTS)]
        self._plays_on_page = number % 2 == 0
        self._visitor = PageVisitor(port, f"127.0.1.{1 + number}")
        self.waited_for_page = self.waited_for_socket = 0.0
        self.waited_for_moves: list[float] = []

    async def come_and_play(self, n_moves: int, pause: tuple[float, float]) -> None:
        await asyncio.sleep(self._rng.uniform(0, 1))
        began = time.perf_counter()
        async with self._visitor:
            assert (await self._visitor.ask("GET", "/")).status == 200
            self.waited_for_page = time.perf_counter() - began
            await self._visitor.open("/", with_files=True)
            self.waited_for_socket = time.perf_counter() - began
            room: dict[str, Any] = {"over": True}
            page: OpenPage | None = None
            for _ in range(n_moves):
                await asyncio.sleep(self._rng.uniform(*pause))
                if room["over"]:
                    room = await self._begin()
                    page = (await self._visitor.open(f"/game/{room['id']}"))[1] if self._plays_on_page else None
                move = str(self._rng.choice(room["legal"]))
                began = time.perf_counter()
                if page is None:
                    answer = await self._visitor.ask("POST", f"/api/rooms/{room['id']}/moves", {"move": move})
                else:
                    await _play_on_page(page, move)
                self.waited_for_moves.append(time.perf_counter() - began)
                if page is not None:
                    answer = await self._visitor.ask("GET", f"/api/rooms/{room['id']}")
                assert answer.status == 200, answer
                room = answer.json

    async def _begin(self) -> dict[str, Any]:
        answer = await self._visitor.ask("POST", "/api/rooms", {"game": self._game, "second": self._opponent})
        assert answer.status == 201, answer
        return dict(answer.json)


async def _play_on_page(page: OpenPage, move: str) -> None:
    """Until the reply is on the board, or the game is over."""
    board = page.element(tag="nicegui-board")
    before = page.elements[board]["props"]["view"]["ply"]

    def has_replied() -> bool:
        props = page.elements[board]["props"]
        return props["view"]["ply"] > before and (props["playable"] or not any(map(any, props["view"]["moves"])))

    if move == "pass":
        await page.emit(page.element(id="pass"), "click", before)
    else:
        await page.emit(board, "choose", {"move": move, "ply": before})
    await asyncio.wait_for(page.until(has_replied), 60)


async def _everybody(port: int) -> list[Guest]:
    for number in range(len(OPPONENTS)):
        await Guest(number, port).come_and_play(2, (0, 0))  # loads what is loaded once
    guests = [Guest(number, port) for number in range(PEOPLE)]
    await asyncio.gather(*(it.come_and_play(MOVES, SECONDS_TO_THINK) for it in guests))
    return guests


@pytest.mark.hard(minutes=4)
def test_a_hundred_visitors_within_a_second(tmp_path: Path, promise: Promise) -> None:
    with serving(tmp_path) as server:
        guests = asyncio.run(_everybody(server.port))
        assert server.process.poll() is None
    pages, sockets = [it.waited_for_page for it in guests], [it.waited_for_socket for it in guests]
    moves = [took for it in guests for took in it.waited_for_moves]
    by_page = [took for it in guests[::2] for took in it.waited_for_moves]
    assert len(moves) == PEOPLE * MOVES
    assert statistics.median(moves) < 0.3
    assert max(sockets) < 30
    promise(
        "Many visitors may come at once: each gets a page and is answered in time.",
        f"{PEOPLE} visitors with websockets within one second, each with all files of the page and without a cache; "
        f"then {MOVES} moves each, half of them on the page and half by the API, at a human pace",
        len(moves),
        f"all got the page (median {statistics.median(pages):.1f} s, the last after {max(pages):.1f} s; with all files "
        f"and the socket {statistics.median(sockets):.1f} s and {max(sockets):.1f} s), no error; "
        f"median move {1000 * statistics.median(moves):.0f} ms, on the page {1000 * statistics.median(by_page):.0f} ms",
    )


async def _hold_sockets(stack: AsyncExitStack, port: int) -> Counter[str]:
    """Opens as many sockets as it is given, each with the page's protocol, and sends nothing through them."""
    counts: Counter[str] = Counter()
    greedy = await stack.enter_async_context(PageVisitor(port))
    for _ in range(IDLE_SOCKETS):
        try:
            socket = await greedy.socket("nobody", handshake=False)
        except InvalidStatus:
            counts["refused"] += 1
        else:
            stack.push_async_callback(socket.close)
            counts["open"] += 1
    return counts


async def _hold_requests(stack: AsyncExitStack, port: int) -> None:
    """Half of them never end their headers, the others never send the body they announce."""
    for number in range(HALF_REQUESTS):
        with suppress(ConnectionError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            stack.callback(writer.close)
            head = "POST /api/rooms HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
            writer.write((head + ("\r\n{" if number % 2 else "X-Slow: ")).encode())
            await writer.drain()


async def _others(port: int, n_visitors: int) -> list[float]:
    """How many seconds each of some requests from other addresses took."""
    seconds = []
    for number in range(n_visitors):
        async with Visitor(port, f"127.0.2.{1 + number}") as visitor:
            for path in ("/", "/api/games", "/health", "/ladder", "/style.css"):
                began = time.perf_counter()
                answer = await visitor.ask("GET", path)
                seconds.append(time.perf_counter() - began)
                assert answer.status == 200, (path, answer)
    return seconds


@pytest.mark.hard(minutes=3)
def test_one_address_that_holds_all_it_can_get(tmp_path: Path, promise: Promise) -> None:
    async def scene(port: int) -> tuple[Counter[str], list[float]]:
        await _others(port, 1)
        async with AsyncExitStack() as stack:
            sockets = await _hold_sockets(stack, port)
            holding = asyncio.create_task(_hold_requests(stack, port))
            seconds = await _others(port, 20)  # while they come
            await holding
            seconds += await _others(port, 40)
            return sockets, seconds

    with serving(tmp_path) as server:
        sockets, seconds = asyncio.run(scene(server.port))
        assert server.process.poll() is None
    assert sockets["open"] > 0
    assert statistics.median(seconds) < 0.3
    assert max(seconds) < 5
    promise(
        "One address that takes all it can get keeps nobody else out.",
        f"{IDLE_SOCKETS} idle websockets and {HALF_REQUESTS:,} requests that never end, from one address; "
        "requests from 60 others meanwhile",
        len(seconds),
        f"all others were answered with 200: median {1000 * statistics.median(seconds):.0f} ms, the slowest "
        f"{1000 * max(seconds):.0f} ms; {sockets['open']} sockets were given, {sockets['refused']} refused",
    )


@pytest.mark.hard(minutes=4)
def test_made_up_requests(tmp_path: Path, promise: Promise) -> None:
    app = service(tmp_path / "runs", f"sqlite:///{tmp_path / 'page.sqlite'}")
    app.state.rooms.pace.clock = itertools.count().__next__  # no limit on requests
    with TestClient(app) as client:
        statuses = ask_at_random(client, 200)
    promise(
        "The API answers as its schema promises, whatever it receives.",
        "requests made up by schemathesis for every operation, half of them about a game that exists",
        statuses.total(),
        "no 5xx, no status, content type or content that the schema lacks: "
        + ", ".join(f"{n:,} times {status}" for status, n in sorted(statuses.items())),
    )
