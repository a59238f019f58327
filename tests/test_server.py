"""The server as a process of its own: stormed, killed."""

import asyncio
import re
import statistics
import time
from collections import Counter
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest
from serving import Server, Visitor, serving

from randori import games
from randori.app.service.limits import NEWCOMERS
from randori.app.service.store import Store

pytestmark = pytest.mark.xdist_group("page")

TRAINED = {"game": "tictactoe", "second": "zoo/tictactoe-evolution"}
LABORIOUS = {"game": "othello6", "first": "uct:simulations=10000", "second": "person"}


async def _storm(server: Server, refusals: list[float], n_requests: int) -> Counter[int]:
    """Asks as fast as it can over one connection; every request comes from a new visitor."""
    statuses: Counter[int] = Counter()
    async with Visitor(server.port, keeps_cookie=False) as visitor:
        for _ in range(n_requests):
            began = time.perf_counter()
            answer = await visitor.ask("GET", "/api/rooms")
            statuses[answer.status] += 1
            if answer.status == 429:
                refusals.append(time.perf_counter() - began)
    return statuses


async def _play_on(visitor: Visitor, delays: list[float]) -> None:
    room = {"over": True}
    while True:
        began = time.perf_counter()
        if room["over"]:
            answer = await visitor.ask("POST", "/api/rooms", TRAINED)
        else:
            answer = await visitor.ask("POST", f"/api/rooms/{room['id']}/moves", {"move": room["legal"][0]})
        delays.append(time.perf_counter() - began)
        assert answer.status in (200, 201), answer
        room = answer.json
        await asyncio.sleep(0.03)


async def _storm_and_peace(server: Server) -> tuple[Counter[int], list[float], list[float]]:
    """The storm's answers, how long refusals took, and how long a visitor elsewhere waited for answers."""
    refusals: list[float] = []
    delays: list[float] = []
    async with Visitor(server.port, "127.0.0.2") as elsewhere, asyncio.TaskGroup() as group:
        for new in (LABORIOUS, TRAINED):  # compiles and loads what is needed
            room = (await elsewhere.ask("POST", "/api/rooms", new)).json
            await elsewhere.ask("POST", f"/api/rooms/{room['id']}/moves", {"move": room["legal"][0]})
        peace = group.create_task(_play_on(elsewhere, delays))
        labours = [group.create_task(_ask_once(server, LABORIOUS)) for _ in range(10)]
        storms = [group.create_task(_storm(server, refusals, 100)) for _ in range(25)]
        await asyncio.wait(storms)
        for it in (peace, *labours):
            it.cancel()
        return sum((it.result() for it in storms), Counter()), refusals, delays
    raise AssertionError


async def _ask_once(server: Server, new: dict[str, str]) -> None:
    async with Visitor(server.port) as visitor:
        await visitor.ask("POST", "/api/rooms", new)


def test_a_storm_from_one_address_leaves_others_in_peace(tmp_path: Path) -> None:
    """2500 requests at once and a lot to think about; what one address may ask for is soon used up."""
    with serving(tmp_path) as server:
        statuses, refusals, delays = asyncio.run(asyncio.wait_for(_storm_and_peace(server), 60))
        assert server.process.poll() is None
    assert set(statuses) == {200, 429}
    assert statuses[200] >= NEWCOMERS.burst / 2
    assert statuses[429] > 500
    assert statistics.median(refusals) < 0.5
    assert len(delays) > 3
    assert statistics.median(delays) < 1.0


async def _burst(server: Server, n_visitors: int, paths: tuple[str, ...]) -> Counter[int]:
    """All connect first and then ask for a page at the same moment."""
    async with AsyncExitStack() as stack:
        addresses = [f"127.0.0.{2 + number % 50}" for number in range(n_visitors)]
        visitors = [await stack.enter_async_context(Visitor(server.port, it)) for it in addresses]
        requests = (it.ask("GET", paths[number % len(paths)]) for number, it in enumerate(visitors))
        answers = await asyncio.gather(*requests)
    assert all(b"<title>" in it.content for it in answers)
    return Counter(it.status for it in answers)


@pytest.mark.thorough
def test_a_hundred_visitors_at_once_all_get_a_page(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        for paths in (("/",), ("/", "/ladder", "/learning", "/papers", "/docs")):
            assert asyncio.run(asyncio.wait_for(_burst(server, 100, paths), 60)) == {200: 100}


async def _until_it_is_gone(server: Server, number: int, known: dict[str, list[str]]) -> None:
    """Plays on and notes the moves of each game that an answer has confirmed."""
    with suppress(ConnectionError, asyncio.IncompleteReadError):
        async with Visitor(server.port, f"127.0.0.{number + 2}") as visitor:
            room = {"over": True}
            while True:
                if room["over"]:
                    answer = await visitor.ask("POST", "/api/rooms", {"game": "gomoku9", "second": "random"})
                else:
                    answer = await visitor.ask("POST", f"/api/rooms/{room['id']}/moves", {"move": room["legal"][-1]})
                if answer.status < 300:
                    room = answer.json
                    known[room["id"]] = room["moves"]


def test_a_server_killed_in_the_middle_of_games_has_lost_no_move(tmp_path: Path) -> None:
    known: dict[str, list[str]] = {}

    async def play_and_kill(server: Server) -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(10):
                group.create_task(_until_it_is_gone(server, number, known))
            while sum(map(len, known.values())) < 300:
                await asyncio.sleep(0.01)
            server.kill()

    with serving(tmp_path) as server:
        asyncio.run(asyncio.wait_for(play_and_kill(server), 60))
    names, store = games.game("gomoku9").move_names, Store(f"sqlite:///{tmp_path / 'page.sqlite'}")
    assert len(known) >= 10
    for id, moves in known.items():
        kept = store.game(id)
        assert kept is not None
        # A move that was kept just before the end may not have been confirmed.
        assert [names[it] for it in kept.actions][: len(moves)] == moves
        assert len(kept.actions) <= len(moves) + 2


@pytest.mark.thorough
def test_the_frameworks_files_are_compressed_once_and_stay_as_they_are(tmp_path: Path) -> None:
    async def read(server: Server) -> None:
        async with Visitor(server.port) as visitor:
            page = (await visitor.ask("GET", "/")).content.decode()
            files = sorted(set(re.findall(r'"(/_nicegui/[^"]+\.(?:js|css))"', page)))
            assert len(files) > 5
            for file in files:
                first, second = [await visitor.ask("GET", file) for _ in range(2)]
                assert first.status == 200
                assert first == second
            assert (await visitor.ask("GET", "/_nicegui/none.js")).status == 404

    with serving(tmp_path) as server:
        asyncio.run(asyncio.wait_for(read(server), 60))
