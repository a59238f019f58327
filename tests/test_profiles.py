"""People are forgotten when they ask for it, and when they never played."""

import asyncio
import secrets
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from randori.app.service import forgetting
from randori.app.service.forgetting import clear_unused, forget, recognise
from randori.app.service.kept_practice import Try, keep_try
from randori.app.service.profiles import UNUSED
from randori.app.service.server import service
from randori.app.service.store import Store
from randori.app.service.tables import _TABLES
from randori.practice import Card, Skill

NOW = datetime.now(UTC)
LONG_AGO = NOW - UNUSED - timedelta(days=1)


class Sql:
    """The contents of a database, read without our own code."""

    def __init__(self, url: str) -> None:
        # No pool: PostgreSQL does not end while a connection is open.
        self._engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"), poolclass=sa.NullPool)

    def rows(self, statement: str, **values: object) -> list[tuple[object, ...]]:
        with self._engine.connect() as connection:
            return [tuple(row) for row in connection.execute(sa.text(statement), values)]

    def execute(self, statement: str, **values: object) -> None:
        with self._engine.begin() as connection:
            connection.execute(sa.text(statement), values)

    def everything(self) -> dict[str, list[tuple[object, ...]]]:
        return {name: self.rows(f"SELECT * FROM {name}") for name in sa.inspect(self._engine).get_table_names()}


@pytest.fixture
def sql(database: str) -> Sql:
    return Sql(database)


def play(client: TestClient, second: str) -> None:
    room = client.post("/api/rooms", json={"game": "tictactoe", "second": second}).json()
    while not room["over"]:
        room = client.post(f"/api/rooms/{room['id']}/moves", json={"move": room["legal"][0]}).json()


def practise(client: TestClient) -> None:
    """A puzzle, and one out of a mistake: the fifth move misses a win."""
    new = {"game": "tictactoe", "second": "random", "moves": "a1b2c3a3a2c1"}
    assert client.post("/api/rooms", json=new).json()["over"]
    while client.post("/api/practice/tictactoe/examination").json()["left"]:
        pass
    puzzle = client.get("/api/practice/tictactoe/next").json()["id"]
    client.post(f"/api/practice/tictactoe/{puzzle}/tries", json={"move": None})


def live_here(client: TestClient, name: str) -> dict[str, str]:
    """Leaves something in every table, a game under way included. Returns that game."""
    client.put("/api/profile", json={"name": name})
    play(client, "random")
    play(client, "pupil")
    client.delete("/api/pupils/tictactoe")
    play(client, "pupil")
    practise(client)
    client.post("/api/invitations", json={"game": "tictactoe"})
    return dict(client.post("/api/rooms", json={"game": "tictactoe", "second": "random"}).json())


def test_a_person_who_asks_for_it_is_forgotten_with_all_their_data(database: str, tmp_path: Path, sql: Sql) -> None:
    with TestClient(service(tmp_path, database)) as ann:
        ben = TestClient(ann.app)
        live_here(ben, "Ben")
        others = sql.everything()
        room = live_here(ann, "Ann")
        id = sql.rows("SELECT id FROM profiles WHERE name = 'Ann'")[0][0]
        sql.execute("INSERT INTO visits VALUES (:id, :now)", id=id, now=NOW.replace(tzinfo=None))
        assert all(len(rows) > len(others[table]) for table, rows in sql.everything().items())
        assert ann.delete("/api/profile").status_code == 204
        after = sql.everything()
        fresh = after["profiles"].pop()
        assert after == others
        assert fresh[0] not in (id, 1)
        assert ann.get("/api/profile").json() == {"name": "", "ratings": {}}
        assert ann.get("/api/rooms").json() == []
        assert ann.get(f"/api/rooms/{room['id']}").status_code == 404
        assert ann.get("/api/pupils").json() == [it | {"games": 0} for it in ann.get("/api/pupils").json()]
        assert ben.get("/api/profile").json()["name"] == "Ben"
        play(ann, "pupil")  # and may come again
        assert sum(it["games"] for it in ann.get("/api/pupils").json()) == 1


def test_an_unknown_person_can_be_forgotten(store: Store, sql: Sql) -> None:
    before = sql.everything()
    forget(store, "never seen")
    assert sql.everything() == before


def test_a_person_who_practises_is_kept_without_a_game(store: Store, sql: Sql) -> None:
    practises, idle, newest = (store.profile(secrets.token_urlsafe(24)).id for _ in range(3))
    keep_try(store, Try(practises, "tictactoe", None, Card("it", 0, 0, 1), None, Skill(500.0, 250.0, 1)))
    for id in (practises, idle):
        sql.execute("UPDATE profiles SET created = :at WHERE id = :id", at=LONG_AGO.replace(tzinfo=None), id=id)
    clear_unused(store, NOW - UNUSED, practises - 1)
    left = {row[0] for row in sql.rows("SELECT id FROM profiles")}
    assert {practises, newest} <= left
    assert idle not in left


def test_numbers_of_forgotten_people_are_not_used_again(store: Store) -> None:
    """A view that is still open knows the old number."""
    ids = set()
    for _ in range(5):
        token = secrets.token_urlsafe(24)
        ids.add(store.profile(token).id)
        forget(store, token)
        ids.add(store.profile(token).id)
    assert len(ids) == 10


def test_people_without_a_game_are_forgotten_after_a_while(
    store: Store, sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "_AT_ONCE", 3)

    def profile(created: datetime, last_visit: datetime | None = None, *, has_game: bool = False) -> int:
        token = secrets.token_urlsafe(24)
        id = store.profile(token).id
        sql.execute("UPDATE profiles SET created = :at WHERE id = :id", at=created.replace(tzinfo=None), id=id)
        if last_visit is not None:
            sql.execute("INSERT INTO visits VALUES (:id, :at)", id=id, at=last_visit.replace(tzinfo=None))
        if has_game:
            store.add_game(token[:20], id, "tictactoe", ("person", "random"), [4])
        return id

    unused = [profile(LONG_AGO) for _ in range(7)]
    unused.append(profile(LONG_AGO - timedelta(days=9), LONG_AGO))
    store.forget_lessons(unused[0], "tictactoe")
    used = [profile(LONG_AGO, NOW), profile(NOW), profile(LONG_AGO, has_game=True), profile(LONG_AGO)]
    before = len(sql.rows("SELECT id FROM profiles"))
    last: int | None = 0
    calls = 0
    while last is not None:
        last = clear_unused(store, NOW - UNUSED, last)
        calls += 1
    left = [row[0] for row in sql.rows("SELECT id FROM profiles")]
    assert not {*left} & {*unused}
    assert {*used} <= {*left}  # the last one too: it is the newest, whose number would be used again
    assert len(left) == before - len(unused)
    assert calls == 3
    assert sql.rows("SELECT * FROM visits WHERE profile = :id", id=unused[-1]) == []


def test_a_visit_is_noted_once_a_day(store: Store, sql: Sql) -> None:
    token = secrets.token_urlsafe(24)
    id = recognise(store, token).id
    visits = lambda: sql.rows("SELECT seen FROM visits WHERE profile = :id", id=id)  # noqa: E731
    assert recognise(store, token).id == id
    assert visits() == []
    sql.execute("UPDATE profiles SET created = :at WHERE id = :id", at=LONG_AGO.replace(tzinfo=None), id=id)
    assert recognise(store, token).id == id
    first = visits()
    assert len(first) == 1
    recognise(store, token)
    assert visits() == first
    clear_unused(store, NOW - UNUSED, id - 1)
    assert recognise(store, token).id == id


def test_a_server_clears_when_it_starts(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'page.sqlite'}"
    store = Store(url)
    for token in "abc":
        store.profile(token)
    store.close()
    sql = Sql(url)
    sql.execute("UPDATE profiles SET created = :at", at=LONG_AGO.replace(tzinfo=None))
    with TestClient(service(tmp_path / "runs", url)) as client:

        async def cleared() -> None:
            while len(sql.rows("SELECT id FROM profiles")) > 1:
                await asyncio.sleep(0.01)

        assert client.portal is not None
        client.portal.call(asyncio.wait_for, cleared(), 30)
    assert sql.rows("SELECT id FROM profiles") == [(3,)]


def test_every_table_says_whose_its_rows_are() -> None:
    """Otherwise they would be missed when a person is forgotten."""
    keys = {table.name: {it.column.table.name for it in table.foreign_keys} for table in _TABLES.sorted_tables}
    assert keys.pop("profiles") == set()
    assert all(named and named <= {"profiles", "games"} for named in keys.values()), keys
