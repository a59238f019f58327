"""Rooms: servers that are killed, several servers on one database, databases that fail under load."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from databases import postgresql, postgresql_programs
from serving import Server, Visitor, serving
from storming import Witness, storm

from randori import games
from randori.app.service.store import KeptGame, Store
from randori.core.game_so_far import GameSoFar

KILLS = 60
PEOPLE = 10


async def _until_it_is_gone(server: Server, number: int, seed: int, known: dict[str, dict[str, Any]]) -> None:
    """Plays short games to their ends, resigns some, and records each game as in the last answer."""
    rng = np.random.default_rng([number, seed])
    with suppress(ConnectionError, asyncio.IncompleteReadError):
        async with Visitor(server.port, f"127.0.0.{number + 2}") as visitor:
            room: dict[str, Any] = {"over": True}
            while True:
                if room["over"]:
                    answer = await visitor.ask("POST", "/api/rooms", {"game": "tictactoe", "second": "random"})
                elif rng.random() < 0.1:
                    answer = await visitor.ask("POST", f"/api/rooms/{room['id']}/resign", {"ply": room["ply"]})
                else:
                    move = {"move": str(rng.choice(room["legal"])), "ply": room["ply"]}
                    answer = await visitor.ask("POST", f"/api/rooms/{room['id']}/moves", move)
                if answer.status < 300:
                    room = answer.json
                    known[room["id"]] = room
                else:
                    assert answer.status == 429, answer
                    await asyncio.sleep(0.1)


def _check_kept(kept: KeptGame | None, room: dict[str, Any]) -> None:
    assert kept is not None
    game = games.game(kept.game)
    assert [game.move_names[it] for it in kept.actions][: len(room["moves"])] == room["moves"]
    assert len(kept.actions) <= len(room["moves"]) + 2
    board = GameSoFar(game)
    for action in kept.actions:
        board.play(action)
    assert (kept.result is not None) == (board.is_over or kept.resigned is not None), (
        "a finished game has a result, an unfinished one none"
    )
    if room["over"]:
        assert kept.result == room["result"]


@pytest.mark.hard(minutes=8)
def test_killed_again_and_again(tmp_path: Path, promise: Any) -> None:
    rng, known = np.random.default_rng(0), {}

    async def play_and_kill(server: Server, seed: int, n_moves: int) -> None:
        so_far: dict[str, dict[str, Any]] = {}
        async with asyncio.TaskGroup() as group:
            for number in range(PEOPLE):
                group.create_task(_until_it_is_gone(server, number, seed, so_far))
            while sum(it["ply"] for it in so_far.values()) < n_moves:
                await asyncio.sleep(0.01)
            server.kill()
        known.update(so_far)

    for kill in range(KILLS):
        with serving(tmp_path) as server:
            asyncio.run(asyncio.wait_for(play_and_kill(server, kill, int(rng.integers(50, 200))), 60))
    store = Store(f"sqlite:///{tmp_path / 'page.sqlite'}")
    for id, room in known.items():
        _check_kept(store.game(id), room)
    n_moves, n_over = sum(it["ply"] for it in known.values()), sum(it["over"] for it in known.values())
    assert n_over > KILLS
    promise(
        "No acknowledged move is lost, and no finished game continues.",
        f"SIGKILL of a server while {PEOPLE} people play",
        KILLS,
        f"all {n_moves:,} acknowledged moves of {len(known):,} games are kept; all {n_over:,} finished games have results",
    )


@pytest.mark.hard(minutes=6)
def test_a_storm_through_two_servers(tmp_path: Path, promise: Any) -> None:
    programs = postgresql_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (on Debian: apt-get install postgresql)")
    witness, people, n_requests = Witness(), 20, 200
    with (
        postgresql(programs) as database,
        serving(tmp_path / "one", database=database) as one,
        serving(tmp_path / "two", database=database) as two,
    ):

        async def play() -> None:
            await asyncio.gather(
                *(storm([one, two], witness, f"127.0.0.{it + 2}", it, n_requests) for it in range(people))
            )

        asyncio.run(play())
        store, names = Store(database), games.game("gomoku9").move_names
        n_moves = 0
        for id in witness.ids:
            kept = store.game(id)
            assert kept is not None
            witness.check(id, [names[it] for it in kept.actions])
            n_moves += len(kept.actions)
        store.close()
    statuses = witness.statuses
    assert statuses[409] > 20, "the tabs never collided"
    promise(
        "Several servers can share a PostgreSQL.",
        f"{people} people, each in two tabs at two servers, play the same game in both at once",
        statuses.total(),
        f"{n_moves:,} moves without a hole, {statuses[409]:,} that came second were refused, no 5xx, "
        f"{statuses[429]:,} too quick",
    )


async def _ask_on(server: Server, number: int, statuses: Counter[int], slowest: list[float], until: float) -> None:
    rng = np.random.default_rng(number)
    async with Visitor(server.port, f"127.0.0.{number + 2}") as visitor:
        room: dict[str, Any] = {"over": True}
        while time.monotonic() < until:
            began = time.monotonic()
            if room["over"]:
                answer = await visitor.ask("POST", "/api/rooms", {"game": "tictactoe", "second": "random"})
            else:
                move = {"move": str(rng.choice(room["legal"]))}
                answer = await visitor.ask("POST", f"/api/rooms/{room['id']}/moves", move)
            slowest[0] = max(slowest[0], time.monotonic() - began)
            statuses[answer.status] += 1
            if answer.status < 300:
                room = answer.json
            elif answer.status == 503:
                assert answer.json["detail"].endswith((".", "is."))
                await asyncio.sleep(0.05)


def _lock(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None, timeout=30)) as other:
        other.execute("BEGIN EXCLUSIVE")
        time.sleep(4)
        other.execute("ROLLBACK")


def _remove(file: Path) -> None:
    aside = file.with_name("aside")
    os.rename(file, aside)
    time.sleep(2)
    os.rename(aside, file)


def _fill(file: Path) -> None:
    filler = file.with_name("filler")
    with suppress(OSError), filler.open("wb", buffering=0) as opened:
        while True:
            opened.write(bytes(4096))
    time.sleep(2)
    filler.unlink()


@pytest.mark.hard(minutes=4)
@pytest.mark.parametrize("fault", [_lock, _remove, _fill], ids=["locked", "removed", "full"])
def test_a_database_that_fails_under_load(tmp_path: Path, promise: Any, fault: Any) -> None:
    """Three times while people play; the full disk is a small separate one, if we may mount it."""
    folder, rounds = tmp_path / "data", 3
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)]
    is_mounted = fault is _fill and shutil.which("mount") is not None and not subprocess.run(mount).returncode
    if fault is _fill and not is_mounted:
        pytest.skip("only root can mount a small disk")
    statuses: Counter[int] = Counter()
    slowest = [0.0]
    try:
        with serving(folder) as server:

            async def play() -> None:
                until = time.monotonic() + 8 * rounds
                async with asyncio.TaskGroup() as group:
                    for number in range(PEOPLE):
                        group.create_task(_ask_on(server, number, statuses, slowest, until))
                    for _ in range(rounds):
                        await asyncio.sleep(1)
                        await asyncio.to_thread(fault, folder / "page.sqlite")

            asyncio.run(play())
            after: Counter[int] = Counter()
            asyncio.run(_ask_on(server, 100, after, [0.0], time.monotonic() + 1))
            assert server.process.poll() is None
        assert set(statuses) <= {200, 201, 429, 503}, statuses
        assert statuses[503] > 0, "no request failed"
        assert set(after) <= {200, 201, 429}, "and it works again"
        assert slowest[0] < 20
        with closing(sqlite3.connect(folder / "page.sqlite")) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            holes = "SELECT count(*) FROM (SELECT max(ply) + 1 - count(*) AS n FROM moves GROUP BY game) WHERE n <> 0"
            assert database.execute(holes).fetchone() == (0,)
    finally:
        if is_mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True)
    what = {_lock: "is locked by another program", _remove: "is moved away and back", _fill: "fills its disk"}[fault]
    promise(
        "A database that fails gives 503 with a sentence, and nothing else.",
        f"the database {what}, {rounds} times while {PEOPLE} people play",
        statuses.total() - statuses[429],
        f"{statuses[503]:,} answers of 503, none took over {max(1, round(slowest[0] + 0.5))} s, no other 5xx; no hole in "
        "any game, and it works again",
    )
