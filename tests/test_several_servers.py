"""Two servers on one PostgreSQL, as behind a proxy."""

import asyncio
from pathlib import Path

import pytest
from databases import postgresql, postgresql_programs
from serving import Visitor, serving
from storming import Witness, storm

from randori import games
from randori.app.service.store import Store

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("page")]


def test_one_person_plays_through_two_servers_at_once(tmp_path: Path) -> None:
    """No move that was acknowledged is lost, none is between two others, and what comes second is told so."""
    programs = postgresql_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (on Debian: apt-get install postgresql)")
    pytest.importorskip("psycopg")
    witness = Witness()
    with (
        postgresql(programs) as database,
        serving(tmp_path / "one", database=database) as one,
        serving(tmp_path / "two", database=database) as two,
    ):
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
    assert witness.statuses[409] > 0, "they never met"
