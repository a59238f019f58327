"""The store, with every kind of database that is supported."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from randori.app.service.server import service
from randori.app.service.store import Change, Conflict, KeptGame, KeptRating, Rated, Store
from randori.errors import UserError


def played(id: str, version: int, *actions: int, **more: Any) -> Change:
    """A change that adds moves to a game in which each change before has added one."""
    return Change(id, version, version, actions, more.get("resigned"), False, more.get("result"), more.get("rated"))


def kept(store: Store, id: str) -> KeptGame:
    found = store.game(id)
    assert found is not None
    return found


def test_people_and_their_ratings(store: Store) -> None:
    me = store.profile("a" * 32)
    assert store.profile("a" * 32) == me
    store.rename(me.id, "Ann")
    assert store.profile("a" * 32).name == "Ann"
    first, second = KeptRating("othello8", 100.0, 50.0, 3), KeptRating("othello8", 200.0, 50.0, 4)
    store.add_game("rated", me.id, "othello8", ("person", "random"), [19], 1.0, Rated(me.id, None, first))
    assert store.ratings(me.id) == {"othello8": first}
    store.keep([played("rated", 0, result=0.0, rated=Rated(me.id, first, second))])
    assert store.ratings(me.id) == {"othello8": second}


def test_a_rating_is_changed_from_its_present_value_or_not(store: Store) -> None:
    """Two games of one person may end at once: the second has to look again."""
    me = store.profile("f" * 32)
    known = KeptRating("tictactoe", 100.0, 50.0, 1)
    for id in ("ends", "ends-too"):
        store.add_game(id, me.id, "tictactoe", ("person", "random"), [])
    store.keep([played("ends", 0, 4, result=1.0, rated=Rated(me.id, None, known))])
    for outdated in (None, known._replace(games=0)):
        with pytest.raises(Conflict):
            store.keep([played("ends-too", 0, 4, result=1.0, rated=Rated(me.id, outdated, known))])
    assert store.ratings(me.id) == {"tictactoe": known}
    assert kept(store, "ends-too").actions == ()


def test_many_simultaneous_requests_make_one_profile(store: Store) -> None:
    with ThreadPoolExecutor(8) as threads:
        assert len({it.id for it in threads.map(store.profile, ["b" * 32] * 32)}) == 1


def test_a_game_from_its_beginning_to_its_end(store: Store) -> None:
    me = store.profile("c" * 32)
    store.add_game("one", me.id, "tictactoe", ("person", "random"), [4])
    store.keep([Change("one", 0, 1, (0, 8), None, False, None)])
    now = kept(store, "one")
    assert (now.actions, now.result, now.assisted, now.version) == ((4, 0, 8), None, False, 1)
    assert store.count_under_way(me.id) == 1
    store.keep([Change("one", 1, 3, (), 0, False, 0.0)])
    now = kept(store, "one")
    assert (now.actions, now.result, now.resigned) == ((4, 0, 8), 0.0, 0)
    store.keep([Change("one", 2, 1, (), None, True, None)])
    now = kept(store, "one")
    assert (now.actions, now.result, now.resigned, now.assisted, now.version) == ((4,), None, None, True, 3)
    assert (store.version("one"), store.versions(["one", "none"])) == (3, {"one": 3})


def test_a_change_that_comes_too_late_changes_nothing(store: Store) -> None:
    me = store.profile("g" * 32)
    for id in ("late", "in-time"):
        store.add_game(id, me.id, "tictactoe", ("person", "random"), [])
    store.keep([played("late", 0, 4)])
    with pytest.raises(Conflict):
        store.keep([played("late", 0, 0), played("in-time", 0, 1)])
    with pytest.raises(Conflict):
        store.keep([played("in-time", 0, 1), played("in-time", 0, 2)])
    assert (kept(store, "late").actions, kept(store, "in-time").actions) == ((4,), ())
    with pytest.raises(Conflict):
        store.keep([played("nowhere", 0, 4)])
    with pytest.raises(Conflict):
        store.add_game("of-nobody", 10**6, "tictactoe", ("person", "random"), [])


def test_games_are_listed_from_the_newest(store: Store) -> None:
    me = store.profile("d" * 32)
    for id in ("first", "second", "third"):
        store.add_game(id, me.id, "tictactoe", ("person", "random"), [])
    store.keep([Change("third", 0, 0, (), None, True, None)])
    assert [(it.id, it.assisted) for it in store.games(me.id, 2)] == [("third", True), ("second", False)]
    assert store.game("fourth") is None


def test_many_games_are_written_at_once(store: Store) -> None:
    me = store.profile("e" * 32)
    ids = [f"at-once-{number}" for number in range(8)]

    def play(id: str) -> None:
        store.add_game(id, me.id, "gomoku9", ("person", "random"), [])
        for ply in range(20):
            store.keep([played(id, ply, ply)])

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(play, ids))
    for id in ids:
        assert kept(store, id).actions == tuple(range(20))


def test_the_service_plays_with_it(database: str, tmp_path: Path) -> None:
    with TestClient(service(tmp_path / "runs", database)) as client:
        room = client.post("/api/rooms", json={"game": "tictactoe", "second": "random"}).json()
        while not room["over"]:
            room = client.post(f"/api/rooms/{room['id']}/moves", json={"move": room["legal"][0]}).json()
    with TestClient(service(tmp_path / "runs", database), cookies=client.cookies) as client:
        assert client.get(f"/api/rooms/{room['id']}").json() == room
        assert client.get("/api/profile").json()["ratings"]["tictactoe"]["games"] == 1


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UserError, match=r"needs the package psycopg: pip install 'randori\[postgresql\]'"):
        Store("postgresql://localhost/randori")


@pytest.mark.parametrize(
    "url", ["sqlite:////no/such/folder/page.sqlite", "nonsense", "postgresql://localhost:1/randori"]
)
def test_a_database_that_cannot_be_opened_is_refused_in_a_sentence(url: str) -> None:
    with pytest.raises(UserError, match=r"check RANDORI_DB \(.*\)\.$|pip install"):
        Store(url)
