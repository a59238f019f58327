"""A hundred people at once on a real server, against every trained player that comes along."""

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


async def _somebody(port: int, number: int, n_moves: int, pause: tuple[float, float], took: list[float]) -> None:
    """Makes so many moves, and notes how long the replies took; begins again where a game is over."""
    rng = np.random.default_rng(number)
    game, opponent = OPPONENTS[number % len(OPPONENTS)]
    # As people come from many places; one address would be too much for one person's share.
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
            took.append(time.perf_counter() - began)
            assert answer.status == 200, answer
            room = answer.json


async def _everybody(server: Server, n_moves: int, pause: tuple[float, float]) -> tuple[list[float], str]:
    """How long each answer took, and that in words."""
    took: list[float] = []
    for number in range(len(OPPONENTS)):
        await _somebody(server.port, number, 2, (0, 0), [])  # loads what is loaded once
    before, began = server.cpu_seconds, time.perf_counter()
    await asyncio.gather(*(_somebody(server.port, number, n_moves, pause, took) for number in range(PEOPLE)))
    used, seconds = server.cpu_seconds - before, time.perf_counter() - began
    median, late = statistics.median(took), statistics.quantiles(took, n=20)[-1]
    return took, (
        f"{PEOPLE} people, {pause[0]:g} to {pause[1]:g} s between moves, {len(took)} answers in {seconds:.0f} s: "
        f"median {1000 * median:.0f} ms, 95% in {1000 * late:.0f} ms; server {used:.1f} CPU s, "
        f"{1000 * used / len(took):.1f} ms an answer, {len(took) / used:.0f} answers a CPU second"
    )


def test_a_hundred_people_are_answered_in_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who never stops to think is reported and not judged: it says how much more the server could do."""
    with serving(tmp_path) as server:
        took, told = asyncio.run(_everybody(server, MOVES, SECONDS_TO_THINK))
        _, told_of_haste = asyncio.run(_everybody(server, MOVES_IN_HASTE, (0, 0)))
    with capsys.disabled():
        print(f"\n{told}\n{told_of_haste}")
    assert statistics.median(took) < 0.3
