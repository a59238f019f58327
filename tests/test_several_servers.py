"""Two servers on one PostgreSQL, as behind a proxy."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from databases import postgresql, postgresql_programs
from page_visitors import OpenPage, PageVisitor
from serving import Server, Visitor, serving
from storming import Witness, storm

from randori import games
from randori.app.service.store import Store

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("page")]


@contextmanager
def _two_servers(folder: Path) -> Iterator[tuple[str, Server, Server]]:
    """And the address of the database that they share."""
    programs = postgresql_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (on Debian: apt-get install postgresql)")
    pytest.importorskip("psycopg")
    with (
        postgresql(programs) as database,
        serving(folder / "one", database=database) as one,
        serving(folder / "two", database=database) as two,
    ):
        yield database, one, two


def test_two_friends_play_on_two_servers(tmp_path: Path) -> None:
    """Of two who join one gets the seat; moves, offers and the presence of the other are seen on the other server."""

    async def play(one: Server, two: Server) -> None:
        async with PageVisitor(one.port) as host, PageVisitor(two.port) as friend, Visitor(one.port) as late:
            new = {"game": "tictactoe", "seat": "first", "minutes": 5}
            room = (await host.ask("POST", "/api/invitations", new)).json
            invitation, url = f"/api/invitations/{room['friend']['invitation']}", f"/api/rooms/{room['id']}"
            for it in (friend, late):
                assert (await it.ask("GET", invitation)).status == 200
            answers = [await it.ask("POST", f"{invitation}/join") for it in (friend, late)]
            assert [it.status for it in answers] == [200, 403]
            for ply, move in enumerate(("a1", "b1", "a2", "b2")):
                answer = await (host, friend)[ply % 2].ask("POST", f"{url}/moves", {"move": move, "ply": ply})
                assert (answer.status, answer.json["ply"]) == (200, ply + 1)
            assert (await host.ask("GET", url)).json["friend"]["clock"]["running"] == 0
            _, hosts = await host.open(f"/game/{room['id']}")
            await hosts.until(lambda: _says(hosts, "away"))
            _, friends = await friend.open(f"/game/{room['id']}")
            await hosts.until(lambda: not _says(hosts, "away"))
            assert (await friend.ask("POST", f"{url}/offer", {"what": "draw"})).status == 200
            await hosts.until(lambda: _says(hosts, "Your friend offers a draw."))
            assert (await host.ask("POST", f"{url}/moves", {"move": "a3"})).json["result"] == 1.0
            await friends.until(lambda: _says(friends, "You lost."))

    with _two_servers(tmp_path) as (_, one, two):
        asyncio.run(asyncio.wait_for(play(one, two), 120))


def _says(page: OpenPage, words: str) -> bool:
    shown = [it["props"] for it in page.elements.values() if isinstance(it, dict) and "props" in it]
    return any(words in str(it.get("innerHTML", "")) for it in shown)


def test_one_person_plays_through_two_servers_at_once(tmp_path: Path) -> None:
    """No acknowledged move is lost or comes between two others, and the second of two at once is refused."""
    witness = Witness()
    with _two_servers(tmp_path) as (database, one, two):
        servers = [one, two]

        async def play() -> None:
            await asyncio.gather(*(storm(servers, witness, f"127.0.0.{it + 2}", it, 40) for it in range(3)))
            async with Visitor(one.port) as here, Visitor(two.port) as there:
                room = (await here.ask("POST", "/api/rooms", {"game": "gomoku9", "second": "random"})).json
                there.cookie, url = here.cookie, f"/api/rooms/{room['id']}"
                for _ in range(2):  # each sees at once what the other has done
                    for visitor in (here, there):
                        room = (await visitor.ask("POST", f"{url}/moves", {"move": room["legal"][0]})).json
                assert (await here.ask("GET", url)).json == room
                assert room["ply"] == 8

        asyncio.run(asyncio.wait_for(play(), 120))
        store, names = Store(database), games.game("gomoku9").move_names
        for id in witness.ids:
            kept = store.game(id)
            assert kept is not None
            witness.check(id, [names[it] for it in kept.actions])
        store.close()
    assert witness.statuses[200] > 40
    assert witness.statuses[409] > 0, "no two requests were in conflict"
