"""Trainings of the page on servers that are killed, and people who delete their profile while they play."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import httpx
import numpy as np
import pytest
from conftest import Promise
from serving import Server, Visitor, serving
from test_trainings_served import go_on, start, trainers, until_no_trainer

N_KILLS = 20
N_PEOPLE, N_LIVES = 8, 15


@pytest.mark.hard(minutes=8)
def test_a_training_survives_many_servers_and_outlives_none(tmp_path: Path, promise: Promise) -> None:
    rng = np.random.default_rng(0)
    cookies, path, last, seconds = httpx.Cookies(), "", 0, []
    for kill in range(N_KILLS):
        with serving(tmp_path) as server, httpx.Client(base_url=server.address, cookies=cookies) as owner:
            if kill:
                last = go_on(owner, path, last)
            else:
                path, cookies = start(owner), owner.cookies
            assert len(trainers(tmp_path)) == 1
            time.sleep(rng.uniform(0, 1.5))  # at any moment of a round, a checkpoint or a rating
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
            seconds.append(until_no_trainer(tmp_path))
    run = tmp_path / "runs" / path.rpartition("/")[2]
    kept = sorted((run / "snapshots").iterdir())
    _train(tmp_path / "whole", int(kept[-1].stem))
    for snapshot in kept:
        assert snapshot.read_bytes() == (tmp_path / "whole" / "snapshots" / snapshot.name).read_bytes()
    promise(
        "A training of the page ends with its server, whatever ends that, and nothing it had saved is lost.",
        "SIGKILL of the server at any moment of a training, restart, continue as the same visitor",
        N_KILLS,
        f"no process left after at most {max(seconds):.1f} s; the same owner; all {len(kept)} players kept after rounds "
        f"1 to {int(kept[-1].stem):,} have the bytes of an uninterrupted run",
    )


def _train(folder: Path, n_rounds: int) -> None:
    command = [sys.executable, "-m", "randori", "train", "table", "--game", "tictactoe", "--rounds", str(n_rounds)]
    subprocess.run(
        [*command, "--out", str(folder), "--workers", "1", "--evaluate-games", "0"], check=True, capture_output=True
    )


@pytest.mark.hard(minutes=4)
def test_a_profile_deleted_in_the_middle_of_its_games_is_gone(tmp_path: Path, promise: Promise) -> None:
    statuses: Counter[int] = Counter()
    with serving(tmp_path) as server:

        async def all_live() -> set[str]:
            return set().union(*await asyncio.gather(*(_live(server, it, statuses) for it in range(N_PEOPLE))))

        games = asyncio.run(all_live())
    with closing(sqlite3.connect(tmp_path / "page.sqlite")) as database:
        kept = {row[0] for row in database.execute("SELECT id FROM games")}
        names = [row[0] for row in database.execute("SELECT name FROM profiles WHERE name != ''")]
        assert not database.execute("PRAGMA foreign_key_check").fetchall()
    assert not kept & games
    assert names == []
    assert not [status for status in statuses if status >= 500 and status != 503], statuses
    promise(
        "Whoever deletes their profile leaves no row behind, whatever they were doing.",
        "DELETE /api/profile while moves and new games of the same person were being answered",
        N_PEOPLE * N_LIVES,
        f"none of {len(games):,} games left, no name, no dangling row; answers {dict(sorted(statuses.items()))}",
    )


async def _live(server: Server, number: int, statuses: Counter[int]) -> set[str]:
    """Plays with three hands and deletes the profile in the middle of it, again and again. Returns the games that were begun."""
    rng, begun = np.random.default_rng(number), set()
    address = f"127.0.0.{number + 2}"
    async with Visitor(server.port, address) as me:
        await me.ask("GET", "/api/profile")
        for life in range(N_LIVES):
            statuses[(await me.ask("PUT", "/api/profile", {"name": f"{number} in life {life}"})).status] += 1
            hands = [asyncio.create_task(_play(server, address, me, begun, statuses)) for _ in range(3)]
            await asyncio.sleep(float(rng.uniform(0.1, 0.5)))
            farewell = await me.ask("DELETE", "/api/profile")
            assert farewell.status == 204, farewell
            before_deletion = set(begun)
            for hand in hands:
                hand.cancel()
            await asyncio.gather(*hands, return_exceptions=True)
            # Games begun after the deletion belong to a new profile, which is deleted as well.
            assert (await me.ask("DELETE", "/api/profile")).status == 204
            begun = before_deletion
    return begun


async def _play(server: Server, address: str, me: Visitor, begun: set[str], statuses: Counter[int]) -> None:
    async with Visitor(server.port, address) as hand:
        hand.cookie = me.cookie
        room = {"over": True}
        while True:
            if room["over"]:
                answer = await hand.ask("POST", "/api/rooms", {"game": "tictactoe", "second": "random"})
            else:
                answer = await hand.ask("POST", f"/api/rooms/{room['id']}/moves", {"move": room["legal"][0]})
            statuses[answer.status] += 1
            room = answer.json if answer.status in (200, 201) else {"over": True}
            if "id" in room:
                begun.add(str(room["id"]))
            await asyncio.sleep(0.01)
