"""A hundred people at once on a real server, against every included player."""

import asyncio
import statistics
import time
from pathlib import Path

import numpy as np
import pytest
from serving import Server, Visitor, serving

from randori.players.files import ZOO, read_card

PEOPLE = 100
OPPONENTS = [(read_card(path).game, f"zoo/{path.stem}") for path in sorted(ZOO.glob("*.safetensors"))]
SECONDS_TO_THINK = (4.0, 8.0)
MOVES, MOVES_IN_HASTE = 6, 20

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("page")]


async def _person(port: int, number: int, n_moves: int, pause: tuple[float, float], delays: list[float]) -> None:
    """Makes `n_moves` moves and notes how long the replies take; begins a new game when one is over."""
    rng = np.random.default_rng(number)
    game, opponent = OPPONENTS[number % len(OPPONENTS)]
    # People come from many places; one address may not ask for so much.
    async with Visitor(port, f"127.0.0.{2 + number % 250}") as visitor:
        await asyncio.sleep(rng.uniform(0, pause[1]))
        room = {"over": True}
        for _ in range(n_moves):
            if room["over"]:
                room = (await visitor.ask("POST", "/api/rooms", {"game": game, "second": opponent})).json
            await asyncio.sleep(rng.uniform(*pause))
            began = time.perf_counter()
            answer = await visitor.ask(
                "POST", f"/api/rooms/{room['id']}/moves", {"move": str(rng.choice(room["legal"]))}
            )
            delays.append(time.perf_counter() - began)
            assert answer.status == 200, answer
            room = answer.json


async def _crowd(server: Server, n_moves: int, pause: tuple[float, float]) -> tuple[list[float], str]:
    """How long each answer took, and a summary in words."""
    delays: list[float] = []
    for number in range(len(OPPONENTS)):
        await _person(server.port, number, 2, (0, 0), [])  # loads what is loaded once
    before, began = server.cpu_seconds, time.perf_counter()
    await asyncio.gather(*(_person(server.port, number, n_moves, pause, delays) for number in range(PEOPLE)))
    cpu_seconds, seconds = server.cpu_seconds - before, time.perf_counter() - began
    median, slow = statistics.median(delays), statistics.quantiles(delays, n=20)[-1]
    return delays, (
        f"{PEOPLE} people, {pause[0]:g} to {pause[1]:g} s between moves, {len(delays)} answers in {seconds:.0f} s: "
        f"median {1000 * median:.0f} ms, 95% in {1000 * slow:.0f} ms; server {cpu_seconds:.1f} CPU s, "
        f"{1000 * cpu_seconds / len(delays):.1f} ms per answer, {len(delays) / cpu_seconds:.0f} answers per CPU second"
    )


def test_a_hundred_people_are_answered_in_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """People who never stop to think are only reported: their figure says how much more the server could do."""
    with serving(tmp_path) as server:
        delays, summary = asyncio.run(_crowd(server, MOVES, SECONDS_TO_THINK))
        _, hasty_summary = asyncio.run(_crowd(server, MOVES_IN_HASTE, (0, 0)))
    with capsys.disabled():
        print(f"\n{summary}\n{hasty_summary}")
    assert statistics.median(delays) < 0.3
