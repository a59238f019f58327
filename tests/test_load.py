"""A hundred people at once, and a storm of requests, on a real server."""

import asyncio
import statistics
import time
from collections import Counter
from pathlib import Path

import httpx
import numpy as np
import pytest
from serving import serving

PEOPLE, MOVES = 100, 8
OPPONENTS = {"tictactoe": "zoo/tictactoe-evolution", "othello6": "zoo/othello6-evolution"}

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("page")]


async def _somebody(address: str, number: int, answers: list[float]) -> None:
    """Plays on and on, half a second to one and a half between two moves, as somebody in a hurry does."""
    rng = np.random.default_rng(number)
    game = list(OPPONENTS)[number % len(OPPONENTS)]
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        room = {"over": True}
        for _ in range(MOVES):
            await asyncio.sleep(rng.uniform(0.5, 1.5))
            if room["over"]:
                new = {"game": game, "second": OPPONENTS[game]}
                answer = await client.post("/api/rooms", json=new)
            else:
                move = {"move": room["legal"][0]}
                began = time.perf_counter()
                answer = await client.post(f"/api/rooms/{room['id']}/moves", json=move)
                answers.append(time.perf_counter() - began)
            assert answer.status_code in (200, 201), answer.text
            room = answer.json()


def test_a_hundred_people_are_answered_in_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers: list[float] = []

    async def everybody(address: str) -> None:
        await _somebody(address, 0, [])  # loads what is loaded once
        await _somebody(address, 1, [])
        await asyncio.gather(*(_somebody(address, number, answers) for number in range(PEOPLE)))

    with serving(tmp_path) as server:
        asyncio.run(everybody(server.address))
    median, late = statistics.median(answers), statistics.quantiles(answers, n=20)[-1]
    with capsys.disabled():
        print(f"\n{PEOPLE} people, {len(answers)} moves: median {1000 * median:.0f} ms, 95 % in {1000 * late:.0f} ms")
    assert median < 0.3


def test_a_storm_is_answered_and_passes(tmp_path: Path) -> None:
    async def storm(address: str) -> Counter[int]:
        limits = httpx.Limits(max_connections=200)
        async with httpx.AsyncClient(base_url=address, timeout=60, limits=limits) as client:
            answers = await asyncio.gather(*(client.get("/api/profile") for _ in range(1500)))
            counted = Counter(it.status_code for it in answers)
            await asyncio.sleep(3)
            assert (await client.get("/api/games")).status_code == 200
            return counted

    with serving(tmp_path) as server:
        counted = asyncio.run(storm(server.address))
    assert set(counted) == {200, 429}
