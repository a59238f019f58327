"""Rooms: memory and database agree, whatever fails and whichever server writes."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from faults import Faults

from randori.app.service import followers
from randori.app.service.limits import Buckets, Rate
from randori.app.service.menu import Menu
from randori.app.service.refusals import Unavailable, Unknown
from randori.app.service.room import GoneOn, Room
from randori.app.service.rooms import Rooms
from randori.app.service.server import service
from randori.app.service.store import Change
from randori.core.game import States
from randori.players import Choice
from randori.players.simple import Random

NEARLY_WON = "a1b1a2b2"
"""Of Tic-Tac-Toe: `a3` wins for the side that began."""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(service(tmp_path / "runs", f"sqlite:///{tmp_path / 'page.sqlite'}")) as client:
        rooms_of(client).pace = Buckets(Rate(1e6, 1e6))  # nobody is too quick
        yield client


def rooms_of(client: TestClient) -> Rooms:
    rooms: Rooms = client.app.state.rooms  # type: ignore[attr-defined]
    return rooms


def begin(client: TestClient, **more: str) -> dict[str, Any]:
    answer = client.post("/api/rooms", json={"game": "tictactoe", "second": "random", **more})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def url(room: dict[str, Any]) -> str:
    return f"/api/rooms/{room['id']}"


def check_memory(client: TestClient) -> None:
    """Rooms in memory are as in the database, and every finished game has its result and its rating."""
    rooms = rooms_of(client)
    me = rooms.store.profile(client.cookies["randori"]).id
    for room in rooms._open.values():
        kept = rooms.store.game(room.id)
        assert kept is not None
        assert (room.board.history, room.resigned, room.assisted, room.result, room.version) == (
            list(kept.actions),
            kept.resigned,
            kept.assisted,
            kept.result,
            kept.version,
        )
    kept_games = rooms.store.games(me, 1000)
    assert {it.id for it in kept_games} >= set(rooms._open)
    counted = [it for it in kept_games if it.result is not None and not it.assisted]
    rating = rooms.store.ratings(me).get("tictactoe")
    assert (0 if rating is None else rating.games) == len(counted)


Act = Callable[[TestClient, dict[str, Any]], Any]
ACTS: dict[str, tuple[dict[str, str], Act]] = {
    "open": ({}, lambda client, room: client.post("/api/rooms", json={"game": "tictactoe", "second": "random"})),
    "open what is over": (
        {},
        lambda client, room: client.post(
            "/api/rooms", json={"game": "tictactoe", "second": "random", "moves": NEARLY_WON + "a3"}
        ),
    ),
    "move and reply": ({}, lambda client, room: client.post(f"{url(room)}/moves", json={"move": "b2"})),
    "last move": (
        {"moves": NEARLY_WON},
        lambda client, room: client.post(f"{url(room)}/moves", json={"move": "a3"}),
    ),
    "reply": ({"first": "heuristic"}, lambda client, room: client.post(f"{url(room)}/step")),
    "resign": ({"moves": NEARLY_WON}, lambda client, room: client.post(f"{url(room)}/resign")),
    "take back": ({"moves": NEARLY_WON}, lambda client, room: client.post(f"{url(room)}/undo")),
    "assist": ({"moves": NEARLY_WON}, lambda client, room: client.post(f"{url(room)}/hint")),
}


@pytest.mark.parametrize("late", [False, True], ids=["before", "after the commit"])
@pytest.mark.parametrize("name", ACTS)
def test_memory_agrees_with_the_database_whichever_statement_fails(client: TestClient, name: str, late: bool) -> None:
    new, act = ACTS[name]
    act(client, begin(client, **new))  # loads players
    with Faults().watching() as faults:
        for point in range(1, 40):
            room = begin(client, **new)
            faults.arm(point, late)
            answer = act(client, room)
            happened = faults.happened
            faults.arm(None)
            assert answer.status_code == 503 if happened else answer.status_code < 300, answer.text
            if happened:
                assert answer.json()["detail"].startswith("The database cannot be reached")
            client.get(url(room))  # if the commit succeeded unnoticed, memory learns of it now
            check_memory(client)
            if not happened:
                break
            assert client.get(url(room)).status_code == 200
        else:
            raise AssertionError("it always fails")
    assert point > 3


def test_a_failed_request_can_be_repeated(client: TestClient) -> None:
    room = begin(client, moves=NEARLY_WON)
    with Faults().watching() as faults:
        for point in (1, 2, 3):
            faults.arm(point)
            assert client.post(f"{url(room)}/moves", json={"move": "a3", "ply": 4}).status_code == 503
    assert client.post(f"{url(room)}/moves", json={"move": "a3", "ply": 4}).json()["result"] == 1.0


@pytest.mark.parametrize("act", ["undo", "resign", "hint", "moves"])
def test_an_action_for_an_outdated_position_is_refused_with_the_present_one(client: TestClient, act: str) -> None:
    room = begin(client)
    now = client.post(f"{url(room)}/moves", json={"move": "b2", "ply": 0}).json()
    more = {"move": now["legal"][0]} if act == "moves" else {}
    answer = client.post(f"{url(room)}/{act}", json={"ply": 0, **more})
    assert answer.status_code == 409
    assert "moved on" in answer.json()["detail"]
    assert answer.json()["room"] == now == client.get(url(room)).json()
    assert client.post(f"{url(room)}/{act}", json={"ply": now["ply"], **more}).status_code == 200


def test_a_step_is_made_once(client: TestClient) -> None:
    room = begin(client, first="random")
    assert client.post(f"{url(room)}/step", json={"ply": 0}).json()["ply"] == 1
    assert client.post(f"{url(room)}/step", json={"ply": 0}).status_code == 409


def in_rooms(tmp_path: Path, act: Callable[[Rooms, int], Any]) -> None:
    """Runs `act` inside a running service, as a person with a profile."""
    app = service(tmp_path / "runs", f"sqlite:///{tmp_path / 'page.sqlite'}")

    async def run() -> None:
        async with app.router.lifespan_context(app):
            rooms: Rooms = app.state.rooms
            rooms.pace = Buckets(Rate(1e6, 1e6))
            await act(rooms, (await rooms.profile_of("a" * 32)).id)

    asyncio.run(asyncio.wait_for(run(), 60))


def test_a_move_for_another_position_of_the_same_ply_is_refused(tmp_path: Path) -> None:
    """Undo and another move lead to the same ply."""

    async def act(rooms: Rooms, me: int) -> None:
        old = await rooms.move(await rooms.open(me, "tictactoe", ("person", "person")), "b2")
        now = await rooms.move(await rooms.undo(old), "a1")
        assert now.ply == old.ply
        with pytest.raises(GoneOn) as error:
            await rooms.move(old, "c3")
        assert error.value.room is now

    in_rooms(tmp_path, act)


class Ponderer(Random):
    """Thinks until the test lets it end."""

    begun, may_end = threading.Event(), threading.Event()

    def choose(self, states: States, rng: np.random.Generator) -> Choice:
        self.begun.set()
        assert self.may_end.wait(60)
        return super().choose(states, rng)


def test_a_reply_to_an_outdated_position_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The person takes back, or resigns, while the opponent thinks: nobody waits for the thought, and it is not played."""
    monkeypatch.setattr(Menu, "known_player", lambda menu, game, spec: Ponderer(game))

    async def act(rooms: Rooms, me: int) -> None:
        for change in (rooms.undo, rooms.resign):
            Ponderer.begun.clear(), Ponderer.may_end.clear()
            room = await rooms.move(await rooms.open(me, "tictactoe", ("person", "random")), "b2")
            thinking = asyncio.create_task(rooms.reply(room))
            assert await asyncio.to_thread(Ponderer.begun.wait, 60)
            changed = await change(room)
            assert not thinking.done()
            Ponderer.may_end.set()
            assert (await thinking).version == changed.version
            kept = rooms.store.game(room.id)
            assert kept is not None
            assert (list(kept.actions), kept.version) == (changed.board.history, changed.version)

    in_rooms(tmp_path, act)


def test_a_hint_elsewhere_does_not_stop_a_move(tmp_path: Path) -> None:
    """It changes the room's version, but nothing that is shown."""

    async def act(rooms: Rooms, me: int) -> None:
        room = await rooms.open(me, "tictactoe", ("person", "random"))
        await rooms.hint(room)
        moved = await rooms.move(room, "b2")
        assert (moved.assisted, moved.version) == (True, 2)

    in_rooms(tmp_path, act)


def test_help_in_an_analysis_counts_as_a_hint_while_the_game_goes_on(tmp_path: Path) -> None:
    async def act(rooms: Rooms, me: int) -> None:
        helped, unaided = [await rooms.open(me, "tictactoe", ("person", "greedy")) for _ in range(2)]
        await rooms.assist(me, helped.id)
        await rooms.assist(me, helped.id)
        moved = await rooms.move(helped, "b2")
        assert (moved.assisted, moved.version) == (True, 2), "once is enough"
        over = await rooms.resign(unaided)
        await rooms.assist(me, unaided.id)
        assert not (await rooms.find(me, unaided.id)).assisted, "a finished game takes no help"
        assert (await rooms.find(me, unaided.id)).version == over.version
        with pytest.raises(Unknown):
            await rooms.assist(me + 1, helped.id)

    in_rooms(tmp_path, act)


def test_two_tabs_share_one_reply_and_both_show_it(tmp_path: Path) -> None:
    async def act(rooms: Rooms, me: int) -> None:
        shown: list[list[Room]] = [[], []]
        room = await rooms.open(me, "tictactoe", ("random", "person"))
        for tab in shown:
            rooms.followers.add(room.id, tab.append)
        rooms.followers.add(room.id, _broken_page)
        replies = await asyncio.gather(*(rooms.reply(room) for _ in range(3)))
        assert {it.version for it in replies} == {1}
        assert [[it.ply for it in tab] for tab in shown] == [[1], [1]]
        rooms.followers.remove(room.id, shown[0].append)
        await rooms.resign(replies[0])
        assert [len(tab) for tab in shown] == [1, 2]

    in_rooms(tmp_path, act)


def _broken_page(room: Room) -> None:
    raise RuntimeError("closed")


def test_changes_by_another_server_are_seen_here(tmp_path: Path) -> None:
    """For rooms, another server is just another writer to the same database."""

    async def act(rooms: Rooms, me: int) -> None:
        room = await rooms.open(me, "tictactoe", ("person", "person"))
        shown: list[Room] = []
        rooms.followers.add(room.id, shown.append)
        rooms.store.keep([Change(room.id, 0, 0, (4,), None, False, None)])
        with pytest.raises(GoneOn) as error:
            await rooms.move(room, "a1")
        assert error.value.room.moves == ["b2"]
        assert [it.version for it in shown] == [1]
        rooms.store.keep([Change(room.id, 1, 1, (0,), None, False, None)])
        assert (await rooms.find(me, room.id)).moves == ["b2", "a1"]
        rooms.store.keep([Change(room.id, 2, 2, (1,), None, False, None)])
        await rooms._follow([room.id])
        assert [it.ply for it in shown] == [1, 2, 3]

    in_rooms(tmp_path, act)


def test_followers_look_for_changes_as_long_as_anybody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followers, "_SECONDS", 0.01)
    looks: list[list[str]] = []

    async def look(ids: Iterable[str]) -> None:
        looks.append(list(ids))
        if len(looks) == 1:
            raise Unavailable("The database is busy.")

    async def act() -> None:
        here = followers.Followers(look)
        here.add("one", shown.append)
        here.add("two", shown.append)
        while len(looks) < 3:
            await asyncio.sleep(0.01)
        for id in ("one", "two"):
            here.remove(id, shown.append)
        while here._looking is not None:
            await asyncio.sleep(0.01)

    shown: list[Room] = []
    asyncio.run(asyncio.wait_for(act(), 30))
    assert looks[:3] == [["one", "two"]] * 3


def test_memory_follows_a_database_that_went_back(tmp_path: Path) -> None:
    """An older copy was put in its place: its version is lower than the one in memory."""

    async def act(rooms: Rooms, me: int) -> None:
        room = await rooms.move(await rooms.open(me, "tictactoe", ("person", "person")), "b2")
        with rooms.store._begin() as connection:
            connection.exec_driver_sql("DELETE FROM moves")
            connection.exec_driver_sql("UPDATE games SET version = 0")
        assert (await rooms.find(me, room.id)).moves == []

    in_rooms(tmp_path, act)
