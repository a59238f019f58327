"""Games with a friend on another device: who may do what, clocks that the server keeps, what the two agree on."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from test_rooms import in_rooms, rooms_of

from randori.app.service import duel, presence
from randori.app.service.duel import Clock, Duel, Offer, Pace
from randori.app.service.duels import Duels
from randori.app.service.forgetting import clear_unused, forget
from randori.app.service.kept_duels import names, see
from randori.app.service.limits import Buckets, Rate
from randori.app.service.room import GoneOn
from randori.app.service.rooms import Rooms
from randori.app.service.server import service
from randori.app.service.store import Change, Conflict, Store

HOST, GUEST, OTHER = (name * 32 for name in "abc")


class Time:
    """A clock that tests move."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1_800_000_000.0
        monkeypatch.setattr(duel, "time", SimpleNamespace(time=lambda: self.now))

    def passes(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


class Club:
    """A server and the people there, each known by their cookie."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        rooms_of(client).pace = Buckets(Rate(1e6, 1e6))

    def ask(self, who: str, method: str, path: str, body: object = None) -> Any:
        self.client.cookies.clear()
        self.client.cookies.set("randori", who)
        return self.client.request(method, f"/api{path}", json=body)

    def do(self, who: str, path: str, body: object = None) -> dict[str, Any]:
        answer = self.ask(who, "POST", path, body if body is not None else {})
        assert answer.status_code < 300, answer.text
        return dict(answer.json())

    def refused(self, who: str, path: str, body: object = None) -> tuple[int, str]:
        answer = self.ask(who, "POST", path, body if body is not None else {})
        assert answer.status_code >= 400, answer.text
        return answer.status_code, answer.json()["detail"]

    def invite(self, **more: Any) -> dict[str, Any]:
        return self.do(HOST, "/invitations", {"game": "tictactoe", "seat": "first", **more})

    def begun(self, **more: Any) -> tuple[str, str]:
        """Starts a game and lets a friend join; returns its path and that of its invitation."""
        room = self.invite(**more)
        invitation = f"/invitations/{room['friend']['invitation']}"
        assert self.do(GUEST, f"{invitation}/join")["friend"]["joined"]
        return f"/rooms/{room['id']}", invitation

    def play(self, path: str, moves: str) -> dict[str, Any]:
        room: dict[str, Any] = {}
        for place, move in enumerate(moves.split()):
            room = self.do((HOST, GUEST)[place % 2], f"{path}/moves", {"move": move})
        return room

    def left(self, path: str) -> list[float]:
        return list(self.ask(HOST, "GET", path).json()["friend"]["clock"]["left"])


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    with TestClient(service(tmp_path / "runs", f"sqlite:///{tmp_path / 'page.sqlite'}")) as client:
        yield Club(client)


def test_looking_at_an_invitation_takes_no_seat_and_only_the_first_who_joins_gets_it(club: Club) -> None:
    room = club.invite()
    path, invitation = f"/rooms/{room['id']}", f"/invitations/{room['friend']['invitation']}"
    for who in (GUEST, OTHER, GUEST):
        assert club.ask(who, "GET", invitation).json()["friend"]["joined"] is False
    assert club.refused(HOST, f"{path}/moves", {"move": "b2"}) == (409, "Your friend has not joined yet.")
    assert club.do(HOST, f"{invitation}/join")["friend"]["joined"] is False, "one cannot be one's own friend"
    club.do(GUEST, f"{invitation}/join")
    club.do(GUEST, f"{invitation}/join")  # again: it is their seat
    assert club.refused(OTHER, f"{invitation}/join")[0] == 403
    assert club.ask(OTHER, "GET", invitation).json()["friend"]["joined"] is True


def test_people_move_for_their_own_seat_and_others_watch(club: Club) -> None:
    path, invitation = club.begun()
    assert club.refused(GUEST, f"{path}/moves", {"move": "b2"}) == (403, "It is your friend's turn.")
    for act in ("moves", "resign", "offer", "decline", "undo", "hint", "step"):
        body = {"moves": {"move": "b2"}, "offer": {"what": "draw"}}.get(act, {})
        assert club.refused(OTHER, f"{path}/{act}", body)[0] == 403
    assert club.ask(OTHER, "GET", path).status_code == 403
    club.do(HOST, f"{path}/moves", {"move": "b2"})
    assert club.refused(HOST, f"{path}/moves", {"move": "a1"})[0] == 403
    assert club.do(GUEST, f"{path}/moves", {"move": "a1"})["moves"] == ["b2", "a1"]
    assert club.ask(OTHER, "GET", invitation).json()["moves"] == ["b2", "a1"]
    for who in (HOST, GUEST):
        assert [it["id"] for it in club.ask(who, "GET", "/rooms").json()] == [path.rpartition("/")[2]]
    assert club.ask(OTHER, "GET", "/rooms").json() == []


def test_there_is_no_help_in_a_duel(club: Club) -> None:
    path, _ = club.begun()
    club.play(path, "b2 a1")
    assert club.refused(HOST, f"{path}/hint")[0] == 403
    assert club.refused(HOST, f"{path}/undo")[0] == 403
    assert club.ask(HOST, "GET", f"{path}/minds").status_code == 403
    assert club.ask(HOST, "GET", f"{path}/review").status_code == 409


def test_keys_cannot_be_guessed(club: Club) -> None:
    keys = {club.invite()["friend"]["invitation"] for _ in range(20)}
    assert len(keys) == 20
    assert min(map(len, keys)) >= 24
    for wrong in ("x", min(keys)[:-1], "0" * 24):
        assert club.ask(GUEST, "GET", f"/invitations/{wrong}").status_code == 404
        assert club.ask(GUEST, "POST", f"/invitations/{wrong}/join").status_code == 404


def test_a_game_on_one_device_has_no_offers(club: Club) -> None:
    room = club.do(HOST, "/rooms", {"game": "tictactoe", "second": "person"})
    assert room["friend"] is None
    assert club.refused(HOST, f"/rooms/{room['id']}/offer", {"what": "draw"})[0] == 409
    assert club.ask(GUEST, "GET", f"/rooms/{room['id']}").status_code == 404


def test_a_whole_game_does_not_change_ratings_and_can_be_reviewed_by_both(club: Club) -> None:
    path, _ = club.begun()
    assert club.play(path, "a1 b1 a2 b2 a3")["result"] == 1.0
    for who in (HOST, GUEST):
        assert club.ask(who, "GET", "/profile").json()["ratings"] == {}
        assert club.ask(who, "GET", f"{path}/review").status_code == 200
    assert club.refused(GUEST, f"{path}/moves", {"move": "c3"}) == (409, "The game is over.")


def test_resigning_loses_the_game(club: Club) -> None:
    path, _ = club.begun(seat="second")
    room = club.do(HOST, f"{path}/resign")
    assert (room["friend"]["host"], room["resigned"], room["result"]) == (1, 1, 1.0)


def test_a_draw_needs_both(club: Club) -> None:
    path, _ = club.begun()
    club.play(path, "b2 a1")
    assert club.do(HOST, f"{path}/offer", {"what": "draw"})["friend"]["offer"] == {"what": "draw", "by": 0}
    assert club.do(HOST, f"{path}/offer", {"what": "draw"})["over"] is False, "accepting one's own offer does nothing"
    assert club.do(GUEST, f"{path}/decline")["friend"]["offer"] is None
    assert club.refused(GUEST, f"{path}/decline")[0] == 409
    club.do(GUEST, f"{path}/offer", {"what": "draw"})
    club.do(HOST, f"{path}/moves", {"move": "a2"})
    assert club.ask(HOST, "GET", path).json()["friend"]["offer"] is None, "a move declines"
    club.do(GUEST, f"{path}/offer", {"what": "draw"})
    room = club.do(HOST, f"{path}/offer", {"what": "draw"})
    assert (room["over"], room["result"], room["friend"]["ended"]) == (True, 0.5, "agreement")


def test_a_move_and_its_reply_are_taken_back_by_agreement(club: Club) -> None:
    path, _ = club.begun()
    assert club.refused(GUEST, f"{path}/offer", {"what": "undo"}) == (409, "There is no move of yours to take back.")
    club.play(path, "b2 a1 c3 a2")
    club.do(HOST, f"{path}/offer", {"what": "undo"})
    room = club.do(GUEST, f"{path}/offer", {"what": "undo"})
    assert (room["moves"], room["to_move"], room["friend"]["offer"]) == (["b2", "a1"], 0, None)


def test_a_rematch_swaps_the_seats(club: Club) -> None:
    path, _ = club.begun(minutes=5, increment=3)
    assert club.refused(HOST, f"{path}/offer", {"what": "rematch"})[0] == 409
    club.do(GUEST, f"{path}/resign")
    assert club.refused(HOST, f"{path}/offer", {"what": "draw"})[0] == 409
    club.do(GUEST, f"{path}/offer", {"what": "rematch"})
    room = club.do(HOST, f"{path}/offer", {"what": "rematch"})
    again = f"/rooms/{room['friend']['rematch']}"
    assert club.do(HOST, f"{path}/offer", {"what": "rematch"})["friend"]["rematch"] == room["friend"]["rematch"]
    new = club.ask(HOST, "GET", again).json()["friend"]
    assert (new["host"], new["joined"], new["clock"]["seconds"], new["clock"]["increment"]) == (1, True, 300, 3)
    assert club.do(GUEST, f"{again}/moves", {"move": "b2"})["ply"] == 1


def test_clocks_begin_after_each_sides_first_move(club: Club, clock: Time) -> None:
    path, _ = club.begun(minutes=1, increment=2)
    clock.passes(500)
    club.play(path, "b2")
    clock.passes(500)
    assert club.left(path) == [60, 60]
    club.do(GUEST, f"{path}/moves", {"move": "a1"})
    assert club.ask(GUEST, "GET", path).json()["friend"]["clock"]["running"] == 0
    clock.passes(10)
    assert club.left(path) == [50, 60]
    club.do(HOST, f"{path}/moves", {"move": "a2"})
    assert club.left(path) == [52, 60]
    clock.passes(7.5)
    assert club.left(path) == [52, 52.5]


def test_running_out_of_time_loses_the_game(club: Club, clock: Time) -> None:
    path, _ = club.begun(minutes=1)
    club.play(path, "b2 a1")
    clock.passes(61)
    assert club.refused(HOST, f"{path}/moves", {"move": "a2"})[0] == 409
    room = club.ask(GUEST, "GET", path).json()
    assert (room["over"], room["result"], room["friend"]["ended"]) == (True, 0.0, "time")
    assert (room["friend"]["clock"]["left"], room["friend"]["clock"]["running"]) == ([0, 60], None)
    assert room["resigned"] is None
    kept = rooms_of(club.client).store.game(room["id"])
    assert kept is not None
    assert kept.result == 0.0


def test_a_move_in_time_counts(club: Club, clock: Time) -> None:
    path, _ = club.begun(minutes=1)
    club.play(path, "b2 a1")
    clock.passes(59.9)
    assert club.do(HOST, f"{path}/moves", {"move": "a2"})["friend"]["clock"]["left"] == [0.1, 60]


def test_taking_back_a_move_does_not_give_time_back(club: Club, clock: Time) -> None:
    path, _ = club.begun(minutes=1)
    club.play(path, "b2 a1")
    clock.passes(20)
    club.do(HOST, f"{path}/moves", {"move": "a2"})
    clock.passes(5)
    club.do(HOST, f"{path}/offer", {"what": "undo"})
    club.do(GUEST, f"{path}/offer", {"what": "undo"})
    assert club.left(path) == [40, 55]
    clock.passes(1)
    assert club.left(path) == [39, 55]


def test_clocks_and_seats_outlive_a_restart(tmp_path: Path, clock: Time) -> None:
    database = f"sqlite:///{tmp_path / 'page.sqlite'}"
    with TestClient(service(tmp_path / "runs", database)) as client:
        path, invitation = Club(client).begun(minutes=1)
        Club(client).play(path, "b2 a1")
        Club(client).do(GUEST, f"{path}/offer", {"what": "draw"})
    clock.passes(30)
    with TestClient(service(tmp_path / "runs", database)) as client:
        club = Club(client)
        assert club.left(path) == [30, 60]
        assert club.ask(OTHER, "GET", invitation).json()["friend"]["offer"] == {"what": "draw", "by": 1}
        assert club.refused(OTHER, f"{invitation}/join")[0] == 403
        assert club.do(HOST, f"{path}/moves", {"move": "a2"})["ply"] == 3
    clock.passes(61)
    with TestClient(service(tmp_path / "runs", database)) as client:
        assert Club(client).ask(HOST, "GET", path).json()["friend"]["ended"] == "time"


@pytest.mark.parametrize(
    "wrong", [{"minutes": 0}, {"minutes": 181}, {"minutes": 1, "increment": -1}, {"seat": "third"}, {"minutes": "5"}]
)
def test_bad_clocks_and_seats_are_refused(club: Club, wrong: dict[str, Any]) -> None:
    assert club.refused(HOST, "/invitations", {"game": "tictactoe", **wrong})[0] == 422


def test_lots_are_drawn(club: Club) -> None:
    assert [club.invite(seat=it)["friend"]["host"] for it in ("first", "second")] == [0, 1]
    assert {club.invite(seat="lot")["friend"]["host"] for _ in range(40)} == {0, 1}


def test_limits_hold_for_guests_too(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("randori.app.service.rooms.MAX_GAMES_UNDER_WAY", 1)
    club.begun()
    club.do(OTHER, "/invitations", {"game": "tictactoe"})
    key = club.ask(OTHER, "GET", "/rooms").json()[0]["id"]
    invitation = club.ask(OTHER, "GET", f"/rooms/{key}").json()["friend"]["invitation"]
    assert club.refused(GUEST, f"/invitations/{invitation}/join")[0] == 429
    assert club.refused(HOST, "/invitations", {"game": "tictactoe"})[0] == 429


def in_duels(tmp_path: Path, act: Callable[[Rooms, Duels, int, int], Any]) -> None:
    async def inside(rooms: Rooms, me: int) -> None:
        duels = Duels(rooms)
        await act(rooms, duels, me, (await rooms.profile_of(GUEST)).id)
        duels.close()

    in_rooms(tmp_path, inside)


def test_only_one_of_two_who_join_at_once_gets_the_seat(tmp_path: Path) -> None:
    async def act(rooms: Rooms, duels: Duels, me: int, guest: int) -> None:
        other = (await rooms.profile_of(OTHER)).id
        room = await duels.open(me, "tictactoe", 0)
        results = await asyncio.gather(duels.join(room, guest), duels.join(room, other), return_exceptions=True)
        assert sorted(type(it).__name__ for it in results) == ["Forbidden", "Room"]
        kept = rooms.store.game(room.id)
        assert kept is not None
        assert kept.duel is not None
        assert kept.duel.guest in (guest, other)

    in_duels(tmp_path, act)


def test_a_clock_that_runs_out_on_an_open_page_ends_the_game_at_once(tmp_path: Path) -> None:
    async def act(rooms: Rooms, duels: Duels, me: int, guest: int) -> None:
        updates: list[Any] = []
        room = await duels.join(await duels.open(me, "tictactoe", 0, Pace(0.3, 0)), guest)
        rooms.followers.add(room.id, updates.append)
        room = await duels.move(await duels.move(room, me, "b2"), guest, "a1")
        while not updates[-1].is_over:
            await asyncio.sleep(0.05)
        assert updates[-1].duel.timed_out == 0
        with pytest.raises(GoneOn, match="The time is up"):
            await duels.move(room, me, "a2")

    in_duels(tmp_path, act)


def test_changes_by_another_server_are_noticed(tmp_path: Path) -> None:
    """After a draw agreed on there, a move here is out of date."""

    async def act(rooms: Rooms, duels: Duels, me: int, guest: int) -> None:
        room = await duels.join(await duels.open(me, "tictactoe", 0), guest)
        agreed = Duel(room.duel.key, 0, guest, agreed=True) if room.duel else None
        rooms.store.keep([Change(room.id, room.version, 0, (), None, False, 0.5, duel=agreed)])
        with pytest.raises(GoneOn) as error:
            await duels.move(room, me, "b2")
        assert error.value.room.result == 0.5

    in_duels(tmp_path, act)


def test_presence_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "_GRACE", 0.05)

    async def act(rooms: Rooms, duels: Duels, me: int, guest: int) -> None:
        updates: list[Any] = []
        room = await duels.open(me, "tictactoe", 0)
        rooms.followers.add(room.id, updates.append)
        here = duels.presence
        assert not here.is_here(room.id, 1)
        here.enter(room.id, 1), here.enter(room.id, 1)
        assert (here.is_here(room.id, 1), len(updates)) == (True, 1)
        here.leave(room.id, 1), here.leave(room.id, 1)
        assert here.is_here(room.id, 1), "perhaps the page is being reloaded"
        await asyncio.sleep(0.3)
        assert (here.is_here(room.id, 1), len(updates)) == (False, 2)

    in_duels(tmp_path, act)


def test_a_duel_is_stored_completely(store: Store) -> None:
    me, friend = (store.profile(it).id for it in (HOST, GUEST))
    kept = Duel("key", 1, None, Clock(Pace(300, 2.5), (300, 300)))
    store.add_game("duel", me, "tictactoe", ("person", "person"), (), duel=kept)
    assert store.games(me, 1)[0].duel == kept
    assert store.games(friend, 1) == []
    joined = Duel("key", 1, friend, Clock(Pace(300, 2.5), (123.25, 300), 1_800_000_000.125), Offer("draw", 1), next="b")
    change = Change("duel", 0, 0, (4,), None, False, None, duel=joined)
    store.keep([change])
    with pytest.raises(Conflict):
        store.keep([change])
    found = store.game("duel")
    assert found is not None
    assert (found.duel, found.actions) == (joined, (4,))
    assert [it.id for it in store.games(friend, 1)] == ["duel"]
    assert store.count_under_way(friend) == 1
    forget(store, GUEST)
    left = store.game("duel")
    assert left is not None
    assert left.duel is not None
    assert (left.duel.guest, left.resigned, left.result) == (None, 0, 0.0)
    forget(store, HOST)
    assert store.game("duel") is None


def test_a_guest_without_a_game_of_their_own_is_kept(store: Store) -> None:
    host, guest, idle, _ = (store.profile(f"{it}-kept" * 5).id for it in range(4))
    store.add_game("kept", host, "tictactoe", ("person", "person"), (), duel=Duel("kept", 0, guest))
    clear_unused(store, datetime.now(UTC) + timedelta(days=1), host - 1)
    assert set(names(store, [host, guest, idle])) == {host, guest}


def test_servers_share_who_is_here(store: Store) -> None:
    me = store.profile(OTHER).id
    store.add_game("seen", me, "tictactoe", ("person", "person"), (), duel=Duel("another", 0))
    assert see(store, [("seen", 0)], 100.5) == {("seen", 0): 100.5}
    assert see(store, [("seen", 1)], 107.25) == {("seen", 0): 100.5, ("seen", 1): 107.25}
