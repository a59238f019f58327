"""What is kept, in every kind of database that is supported."""

import importlib.util
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from databases import postgresql, postgresql_programs
from fastapi.testclient import TestClient
from sqlalchemy.exc import IntegrityError

from randori.app.service.server import service
from randori.app.service.store import KeptMove, KeptRating, Store
from randori.errors import UserError


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path_factory.mktemp('store') / 'page.sqlite'}"
        return
    programs = postgresql_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (on Debian: apt-get install postgresql)")
    if importlib.util.find_spec("psycopg") is None:
        pytest.skip("its driver is not installed (pip install 'randori[postgresql]')")
    with postgresql(programs) as url:
        yield url


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    store = Store(database)
    yield store
    store.close()


def test_people_and_their_ratings(store: Store) -> None:
    me = store.profile("a" * 32)
    assert store.profile("a" * 32) == me
    store.rename(me.id, "Ann")
    assert store.profile("a" * 32).name == "Ann"
    for elo in (100.0, 200.0):
        store.keep_rating(me.id, KeptRating("othello8", elo, 50.0, 3))
    assert store.ratings(me.id) == {"othello8": KeptRating("othello8", 200.0, 50.0, 3)}


def test_many_who_come_at_once_are_one(store: Store) -> None:
    with ThreadPoolExecutor(8) as threads:
        assert len({it.id for it in threads.map(store.profile, ["b" * 32] * 32)}) == 1


def test_a_game_from_its_beginning_to_its_end(store: Store) -> None:
    me = store.profile("c" * 32)
    store.add_game("one", me.id, "tictactoe", ("person", "random"), [4])
    store.add_moves([KeptMove("one", 1, 0), KeptMove("one", 2, 8)])
    with pytest.raises(IntegrityError):
        store.add_moves([KeptMove("one", 3, 1), KeptMove("one", 2, 2)])
    kept = store.game("one")
    assert kept is not None
    assert (kept.actions, kept.result, kept.assisted) == ((4, 0, 8), None, False)
    assert store.count_under_way(me.id) == 1
    store.finish("one", 0.0, 0)
    kept = store.game("one")
    assert kept is not None
    assert (kept.result, kept.resigned) == (0.0, 0)
    store.take_back("one", 1)
    kept = store.game("one")
    assert kept is not None
    assert (kept.actions, kept.result, kept.resigned, kept.assisted) == ((4,), None, None, True)


def test_games_are_listed_from_the_newest(store: Store) -> None:
    me = store.profile("d" * 32)
    for id in ("first", "second", "third"):
        store.add_game(id, me.id, "tictactoe", ("person", "random"), [])
    store.note_assistance("third")
    assert [(it.id, it.assisted) for it in store.games(me.id, 2)] == [("third", True), ("second", False)]
    assert store.game("fourth") is None


def test_many_games_are_written_at_once(store: Store) -> None:
    me = store.profile("e" * 32)
    ids = [f"at-once-{number}" for number in range(8)]

    def play(id: str) -> None:
        store.add_game(id, me.id, "gomoku9", ("person", "random"), [])
        for ply in range(20):
            store.add_moves([KeptMove(id, ply, ply)])

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(play, ids))
    for id in ids:
        kept = store.game(id)
        assert kept is not None
        assert kept.actions == tuple(range(20))


def test_the_service_plays_on_it(database: str, tmp_path: Path) -> None:
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
def test_a_database_that_cannot_be_opened_is_told_in_a_sentence(url: str) -> None:
    with pytest.raises(UserError, match=r"check RANDORI_DB \(.*\)\.$|pip install"):
        Store(url)
