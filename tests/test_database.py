"""Databases that are locked, full, read-only, removed, replaced, old, or in use by another server."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from databases import postgresql, postgresql_programs
from fastapi.testclient import TestClient

from randori.app.service.duel import Duel
from randori.app.service.refusals import Unavailable
from randori.app.service.server import service
from randori.app.service.store import Store
from randori.errors import UserError

FIRST_EDITION = """
CREATE TABLE profiles (id {serial} PRIMARY KEY, token_hash VARCHAR(64) NOT NULL UNIQUE, name VARCHAR(40) NOT NULL,
    created TIMESTAMP NOT NULL);
CREATE TABLE games (id VARCHAR(24) NOT NULL PRIMARY KEY, profile INTEGER NOT NULL REFERENCES profiles (id),
    game VARCHAR(32) NOT NULL, first VARCHAR(200) NOT NULL, second VARCHAR(200) NOT NULL, resigned INTEGER,
    assisted BOOLEAN NOT NULL, result FLOAT, created TIMESTAMP NOT NULL);
CREATE TABLE moves (game VARCHAR(24) NOT NULL REFERENCES games (id), ply INTEGER NOT NULL, action INTEGER NOT NULL,
    played TIMESTAMP NOT NULL, PRIMARY KEY (game, ply));
CREATE TABLE ratings (profile INTEGER NOT NULL REFERENCES profiles (id), game VARCHAR(32) NOT NULL, elo FLOAT NOT NULL,
    deviation FLOAT NOT NULL, games INTEGER NOT NULL, PRIMARY KEY (profile, game));
CREATE TABLE pupils (profile INTEGER NOT NULL REFERENCES profiles (id), game VARCHAR(32) NOT NULL,
    since TIMESTAMP NOT NULL, PRIMARY KEY (profile, game));
"""
"""Its tables, as it made them."""
TOKEN = "a" * 32
TOKEN_HASH = "3ba3f5f43b92602683c19aee62a20342b084dd5971ddd33808d81a328879a547"
PLAYED = {
    "won": ("random", (0, 1, 3, 4, 6), None),  # killed before its result was written
    "taught": ("pupil", (0, 1, 3, 4, 6), None),
    "on": ("random", (4, 0), None),
    "holed": ("random", (4, 0, None, 8), None),  # two servers on one file
    "lost": ("random", (0, 4, 1, 2, 8, 6), 0.0),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "page.sqlite"


@contextmanager
def served(file: Path) -> Iterator[TestClient]:
    with TestClient(service(file.parent / "runs", f"sqlite:///{file}"), cookies={"randori": TOKEN}) as client:
        yield client


def begin(client: TestClient, **more: str) -> Any:
    answer = client.post("/api/rooms", json={"game": "tictactoe", "second": "random", **more})
    return answer.json() if answer.status_code == 201 else answer


def move(client: TestClient, room: dict[str, Any]) -> Any:
    return client.post(f"/api/rooms/{room['id']}/moves", json={"move": room["legal"][0], "ply": room["ply"]})


def test_a_second_server_on_the_same_file_is_refused(file: Path) -> None:
    first = Store(f"sqlite:///{file}")
    with pytest.raises(UserError, match=rf"in use by another server \(process {os.getpid()}\): end that one first"):
        Store(f"sqlite:///{file.parent}/../{file.parent.name}/{file.name}")
    first.close()
    Store(f"sqlite:///{file}").close()


def test_the_lock_of_a_killed_server_is_gone(file: Path) -> None:
    hold = f"from randori.app.service.store import Store; Store('sqlite:///{file}'); print('held', flush=True); input()"
    command = [sys.executable, "-c", hold]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(UserError, match=f"process {process.pid}"):
            Store(f"sqlite:///{file}")
        process.send_signal(signal.SIGKILL)
        process.wait()
        Store(f"sqlite:///{file}").close()


def test_two_databases_in_memory_are_two() -> None:
    first, second = Store("sqlite://"), Store("sqlite://")
    for store, name in ((first, "Ada"), (second, "Bea")):
        store.rename(store.profile("token").id, name)
    assert [store.profile("token").name for store in (first, second)] == ["Ada", "Bea"]
    first.close()
    second.close()


def test_a_removed_file_is_noticed_and_works_when_it_is_back(file: Path) -> None:
    aside = file.with_name("aside")
    with served(file) as client:
        room = begin(client)
        file.rename(aside)
        for _ in range(2):
            answer = move(client, room)
            assert answer.status_code == 503
            assert answer.json()["detail"] == "The database file is gone: put it back, or restart the server."
        assert client.get(f"/api/rooms/{room['id']}").status_code == 503
        assert client.get("/api/games").status_code == 200
        assert not file.exists(), "an empty one would hide that it is gone"
        aside.rename(file)
        room = move(client, room).json()
        assert room["ply"] == 2
        assert client.get(f"/api/rooms/{room['id']}").json() == room


def test_a_new_file_has_no_profiles_and_works(file: Path) -> None:
    with served(file) as client:
        for stranger in ("b", "c"):
            client.cookies.set("randori", stranger * 32)
            room = begin(client)
        for name in (file, *file.parent.glob("page.sqlite-*")):
            name.unlink()
        Store(f"sqlite:///{file.with_name('other')}").close()
        file.with_name("other").rename(file)
        assert client.get("/api/rooms").json() == []
        assert move(client, room).status_code == 404
        for stranger in ("c", "b"):  # in another order than before: the first visitor gets the first number
            client.cookies.set("randori", stranger * 32)
            mine = move(client, begin(client)).json()
            assert [it["id"] for it in client.get("/api/rooms").json()] == [mine["id"]]


def test_a_file_that_another_server_has_taken_over_is_left_alone(file: Path) -> None:
    """All files were removed and another server was started while this one kept running."""
    with served(file) as client:
        room = begin(client)
        for name in file.parent.glob("page.sqlite*"):
            name.unlink()
        other = Store(f"sqlite:///{file}")
        answer = move(client, room)
        assert (answer.status_code, "in use by another server" in answer.json()["detail"]) == (503, True)
        other.close()
        assert move(client, room).status_code == 404


@contextmanager
def on_checkout(statements: list[str]) -> Iterator[None]:
    """Executes these statements on every connection before it is used."""

    def prepare(connection: Any, *_: object) -> None:
        for it in statements:
            connection.execute(it)

    sa.event.listen(sa.pool.Pool, "checkout", prepare)
    try:
        yield
    finally:
        sa.event.remove(sa.pool.Pool, "checkout", prepare)


@pytest.mark.parametrize(
    ("fault", "cure", "sentence"),
    [
        ("PRAGMA max_page_count=1", "PRAGMA max_page_count=1073741823", "no space left"),
        ("PRAGMA query_only=1", "PRAGMA query_only=0", "cannot be written to"),
    ],
    ids=["full", "read-only"],
)
def test_a_database_that_cannot_be_written_can_be_read(file: Path, fault: str, cure: str, sentence: str) -> None:
    statements: list[str] = []
    with served(file) as client, on_checkout(statements):
        room = begin(client)
        statements[:] = [fault]
        for _ in range(200):  # pages that are already there may have room for some more
            answer = begin(client, moves="a1b1a2b2")
            if isinstance(answer, dict):
                continue
            break
        assert answer.status_code == 503
        assert sentence in answer.json()["detail"]
        assert client.get(f"/api/rooms/{room['id']}").json() == room
        statements[:] = [cure]
        assert move(client, room).json()["ply"] == 2


@pytest.mark.thorough
def test_a_locked_database_is_busy_and_can_still_be_read(file: Path) -> None:
    """Another program holds the lock: a write gets an error within some seconds, a read does not wait."""
    with served(file) as client:
        room = begin(client)
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            answers: list[Any] = []
            writing = threading.Thread(target=lambda: answers.append(move(client, room)))
            began = time.monotonic()
            writing.start()
            n_read = 0
            while writing.is_alive():
                assert client.get(f"/api/rooms/{room['id']}").json() == room
                n_read += 1
                time.sleep(0.05)
            assert time.monotonic() - began < 20, "the machine may be busy as well"
            assert n_read > 5
            assert answers[0].status_code == 503
            assert "busy" in answers[0].json()["detail"]
            other.execute("ROLLBACK")
        assert move(client, room).json()["ply"] == 2


def test_a_file_that_is_not_a_database_gives_a_sentence(file: Path) -> None:
    file.write_text("not a database, but long enough to be read as the header of one" * 10)
    with pytest.raises(UserError, match=r"check RANDORI_DB \(file is not a database\)"):
        Store(f"sqlite:///{file}")
    file.unlink()
    Store(f"sqlite:///{file}").close()  # the refused store holds no lock


def write_first_edition(connection: sa.Connection, serial: str) -> None:
    for statement in FIRST_EDITION.format(serial=serial).split(";\n"):
        if statement.strip():
            connection.exec_driver_sql(statement)
    now = "2024-01-01 00:00:00"
    add = sa.text("INSERT INTO profiles (token_hash, name, created) VALUES (:hash, 'Ann', :now)")
    connection.execute(add, {"hash": TOKEN_HASH, "now": now})
    for id, (second, actions, result) in PLAYED.items():
        add = sa.text("INSERT INTO games VALUES (:id, 1, 'tictactoe', 'person', :second, NULL, false, :result, :now)")
        connection.execute(add, {"id": id, "second": second, "result": result, "now": now})
        for ply, action in enumerate(actions):
            add = sa.text("INSERT INTO moves VALUES (:id, :ply, :action, :now)")
            if action is not None:
                connection.execute(add, {"id": id, "ply": ply, "action": action, "now": now})


@pytest.fixture(params=["sqlite", "postgresql"])
def first_edition(request: pytest.FixtureRequest, file: Path) -> Iterator[str]:
    if request.param == "sqlite":
        url = f"sqlite:///{file}"
        engine = sa.create_engine(url)
        with engine.begin() as connection:
            write_first_edition(connection, "INTEGER")
        engine.dispose()
        yield url
        return
    programs = postgresql_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (on Debian: apt-get install postgresql)")
    pytest.importorskip("psycopg")
    with postgresql(programs) as url:
        engine = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
        with engine.begin() as connection:
            write_first_edition(connection, "SERIAL")
        engine.dispose()
        yield url


def test_a_database_of_the_first_edition_is_migrated_and_repaired(first_edition: str, tmp_path: Path) -> None:
    with TestClient(service(tmp_path / "runs", first_edition), cookies={"randori": TOKEN}) as client:
        assert client.get("/api/profile").json() == {"name": "Ann", "ratings": {}}
        rooms = {id: client.get(f"/api/rooms/{id}").json() for id in PLAYED}
        assert {id: it["result"] for id, it in rooms.items()} == {
            "won": 1.0,
            "taught": 1.0,
            "on": None,
            "holed": None,
            "lost": 0.0,
        }
        assert rooms["holed"]["ply"] == 2, "what follows a hole belongs to no position"
        for id in ("on", "holed"):
            assert move(client, rooms[id]).json()["ply"] == 4
    with TestClient(service(tmp_path / "runs", first_edition), cookies={"randori": TOKEN}) as client:
        results = {it["id"]: it["result"] for it in client.get("/api/rooms").json()}
        assert results == {"won": 1.0, "taught": 1.0, "on": None, "holed": None, "lost": 0.0}
        assert client.get("/api/profile").json()["ratings"]["tictactoe"]["games"] == 1, "repaired only once"
        assert {it["game"]: it["games"] for it in client.get("/api/pupils").json()}["tictactoe"] == 1
        assert [len(client.get(f"/api/rooms/{id}").json()["moves"]) for id in ("on", "holed")] == [4, 4]


KILLED = """
import sys
sys.path.insert(0, {tests!r})
from faults import Faults, die
from randori.app.service.duel import Duel
from randori.app.service.store import Change, KeptRating, Rated, Store
store = Store({url!r})
with Faults(die).watching() as faults:
    faults.arm({point}, {late})
    rated = Rated(1, None, KeptRating("tictactoe", 1.0, 2.0, 1))
    store.keep([Change("one", 0, 4, (6,), None, False, 1.0, rated, Duel("key", 0, agreed=True))])
"""


@pytest.mark.thorough
def test_killed_at_any_statement_a_game_ends_completely_or_continues(tmp_path: Path) -> None:
    points = [(point, False) for point in range(1, 9)] + [(8, True)]
    processes = []
    for number, (point, late) in enumerate(points):
        url = f"sqlite:///{tmp_path / str(number)}"
        store = Store(url)
        me = store.profile(TOKEN)
        store.add_game("one", me.id, "tictactoe", ("person", "random"), [0, 1, 3, 4], duel=Duel("key", 0))
        store.close()
        script = KILLED.format(tests=str(Path(__file__).parent), url=url, point=point, late=late)
        processes.append((url, subprocess.Popen([sys.executable, "-c", script])))
    found = []
    for url, process in processes:
        assert process.wait(120) == -signal.SIGKILL
        store = Store(url)
        kept = store.game("one")
        assert kept is not None
        assert kept.duel is not None
        with store._reading() as connection:
            n_rated = connection.exec_driver_sql("SELECT count(*) FROM rated").scalar()
        found.append((kept.actions, kept.result, kept.version, len(store.ratings(1)), n_rated, kept.duel.agreed))
        store.close()
    assert found == [((0, 1, 3, 4), None, 0, 0, 0, False)] * 8 + [((0, 1, 3, 4, 6), 1.0, 1, 1, 1, True)]


def test_a_server_that_has_lost_its_postgresql_says_so(tmp_path: Path) -> None:
    programs = postgresql_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (on Debian: apt-get install postgresql)")
    pytest.importorskip("psycopg")
    with postgresql(programs) as url:
        store = Store(url)
        store.profile(TOKEN)
    with pytest.raises(Unavailable, match="cannot be reached at the moment"):
        store.profile(TOKEN)
    store.close()
