"""The gate: who it thinks sent a request, who it lets in, what it refuses."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import WebSocketTestSession
from starlette.websockets import WebSocket, WebSocketDisconnect

from randori.app.commands.play import play
from randori.app.page.builders import Builders
from randori.app.service.access import OPEN, Access
from randori.app.service.gate import Gate
from randori.app.service.limits import GUESSES, MAX_SOCKETS
from randori.app.service.senders import LOOPBACK, Sender, networks, sender_of, share_of
from randori.app.service.server import service
from randori.app.service.turns import asker
from randori.app.serving import Invitation
from randori.errors import UserError

HERE, ELSEWHERE = ("127.0.0.1", 5000), ("203.0.113.9", 5000)
SECRET = "open sesame"


async def _who(request: Request) -> JSONResponse:
    state = request.state
    return JSONResponse(
        {
            "address": request.client.host if request.client else None,
            "is_owner": state.is_owner,
            "scheme": request.url.scheme,
            "headers": [it for it in request.headers if "forward" in it],
        }
    )


async def _socket(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_json({"is_owner": socket.state.is_owner})
    await socket.receive()


def behind_gate(access: Access = OPEN, proxies: tuple[str, ...] = (), hosts: frozenset[str] | None = None) -> Starlette:
    """Answers every request with what the gate has found out about it."""
    app = Starlette(routes=[Route("/{path:path}", _who, methods=["GET", "POST"]), WebSocketRoute("/socket", _socket)])
    app.add_middleware(Gate, hosts=hosts, access=access, proxies=networks(proxies))
    return app


def visitor(app: Starlette, client: tuple[str, int] = ELSEWHERE, host: str = "play.example") -> TestClient:
    return TestClient(app, base_url=f"http://{host}", client=client, follow_redirects=False)


def socket_of(client: TestClient, **headers: str) -> WebSocketTestSession:
    return client.websocket_connect(str(client.base_url.copy_with(scheme="ws", path="/socket")), headers=headers)


def sender_by(peer: str, forwarded: str | None, *proxies: str) -> Sender:
    headers = {"host": "play.example", **({} if forwarded is None else {"x-forwarded-for": forwarded})}
    return sender_of({"client": (peer, 1), "scheme": "http"}, Headers(headers), networks(proxies))


@pytest.mark.parametrize(
    ("peer", "forwarded", "proxies", "address"),
    [
        ("203.0.113.9", "198.51.100.1", (), "203.0.113.9"),  # no proxy is trusted
        ("203.0.113.9", "198.51.100.1", ("127.0.0.1",), "203.0.113.9"),  # not that one
        ("127.0.0.1", "198.51.100.1", ("127.0.0.1",), "198.51.100.1"),
        ("127.0.0.1", "1.1.1.1, 198.51.100.1", ("127.0.0.1",), "198.51.100.1"),  # the sender invented the first
        ("127.0.0.1", "1.1.1.1, 198.51.100.1, 10.1.2.3", ("127.0.0.1, 10.0.0.0/8",), "198.51.100.1"),
        ("127.0.0.1", "10.9.9.9, 10.1.2.3", ("127.0.0.1", "10.0.0.0/8"), "10.9.9.9"),  # all ours
        ("127.0.0.1", "198.51.100.1, nonsense", ("127.0.0.1",), "127.0.0.1"),
        ("127.0.0.1", "198.51.100.1:4711", ("127.0.0.1",), "198.51.100.1"),
        ("127.0.0.1", "[2001:db8::7]:4711", ("127.0.0.1",), "2001:db8::7"),
        ("::ffff:127.0.0.1", "198.51.100.1", ("127.0.0.1",), "198.51.100.1"),
        ("127.0.0.1", None, ("127.0.0.1",), "127.0.0.1"),
    ],
)
def test_only_named_proxies_are_trusted(
    peer: str, forwarded: str | None, proxies: tuple[str, ...], address: str
) -> None:
    assert sender_by(peer, forwarded, *proxies).address == address


def test_a_home_with_many_addresses_counts_as_one() -> None:
    assert share_of("2001:db8:1:2::7") == share_of("2001:db8:1:2:ffff::1") != share_of("2001:db8:1:3::7")
    assert share_of("::ffff:192.0.2.7") == share_of("192.0.2.7") == "192.0.2.7"


def test_a_proxy_that_is_not_an_address_gives_a_sentence() -> None:
    with pytest.raises(UserError, match="--proxy takes addresses"):
        networks(["localhost"])


def test_the_owner_is_at_the_machine_or_has_the_key() -> None:
    app = behind_gate(Access(owner_key="k" * 32))
    assert visitor(app, HERE, "localhost").get("/").json()["is_owner"]
    assert not visitor(app).get("/").json()["is_owner"]
    for name in ("x-forwarded-for", "x-real-ip", "forwarded", "via"):
        passed_on = visitor(app, HERE, "localhost").get("/", headers={name: "198.51.100.1"})
        assert not passed_on.json()["is_owner"], name
    assert not visitor(app, HERE, "evil.example").get("/").json()["is_owner"], "a foreign name that leads here"
    client = visitor(app)
    assert client.get("/ladder?game=hex5&key=wrong").status_code == 200
    assert not client.get("/").json()["is_owner"]
    answer = client.get(f"/ladder?game=hex5&key={'k' * 32}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/ladder?game=hex5")
    assert client.get("/").json()["is_owner"]
    with socket_of(client) as socket:
        assert socket.receive_json() == {"is_owner": True}


def test_no_visitor_through_a_trusted_proxy_is_the_owner() -> None:
    client = visitor(behind_gate(proxies=("127.0.0.1",)), HERE, "localhost")
    for headers in ({}, {"x-forwarded-for": "198.51.100.1"}, {"x-forwarded-for": "127.0.0.1"}):
        assert not client.get("/", headers=headers).json()["is_owner"]


def test_only_a_trusted_proxy_sets_the_address_and_the_scheme() -> None:
    headers = {"x-forwarded-for": "198.51.100.1", "x-forwarded-proto": "https", "x-forwarded-prefix": "/evil"}
    plain = visitor(behind_gate()).get("/", headers=headers)
    assert plain.json() == {"address": ELSEWHERE[0], "is_owner": False, "scheme": "http", "headers": []}
    assert "Secure" not in plain.headers["set-cookie"]
    secure = visitor(behind_gate(proxies=("203.0.113.0/24",))).get("/", headers=headers)
    assert secure.json()["address"] == "198.51.100.1"
    assert secure.json()["scheme"] == "https"
    assert "; Secure" in secure.headers["set-cookie"]


def test_without_the_password_there_is_only_the_login_page() -> None:
    app = behind_gate(Access(SECRET))
    client = visitor(app)
    door = client.get("/ladder?game=hex5")
    assert door.status_code == 401
    assert 'name="next" value="/ladder?game=hex5"' in door.text
    answer = client.get("/api/games")
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert "password" in answer.json()["detail"]
    assert client.get("/style.css").status_code == client.get("/health").status_code == 200
    with pytest.raises(WebSocketDisconnect), socket_of(client):
        pass
    assert client.post("/login", data={"password": "guess"}).status_code == 401
    login = client.post("/login", data={"password": SECRET, "next": "/ladder?game=hex5"})
    assert (login.status_code, login.headers["location"]) == (303, "/ladder?game=hex5")
    assert SECRET not in login.headers["set-cookie"]
    assert client.get("/ladder").status_code == client.get("/api/games").status_code == 200
    with socket_of(client) as socket:
        assert socket.receive_json() == {"is_owner": False}
    assert visitor(app, HERE, "localhost").get("/").status_code == 200, "the owner is not asked"


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/", "/\\evil.example", "evil", "/a\nb", ""])
def test_the_login_page_leads_to_no_other_site(target: str) -> None:
    answer = visitor(behind_gate(Access(SECRET))).post("/login", data={"password": SECRET, "next": target})
    assert answer.headers["location"] == "/"


def test_a_link_or_a_key_replaces_the_password() -> None:
    access = Access(SECRET)
    app, key = behind_gate(access), access.guest_key
    assert key == Access(SECRET).guest_key != Access("another").guest_key
    client = visitor(app)
    assert client.get(f"/?key={key}").status_code == 303
    assert client.get("/").status_code == 200
    assert not client.get("/").json()["is_owner"]
    for word, status in ((key, 200), ("wrong", 401), (SECRET, 401)):
        assert visitor(app).get("/api/games", headers={"Authorization": f"Bearer {word}"}).status_code == status


def test_guesses_are_limited_per_address() -> None:
    app = behind_gate(Access(SECRET))
    guesser = visitor(app)
    answers = [guesser.post("/login", data={"password": str(n)}).status_code for n in range(int(GUESSES.burst) + 5)]
    assert set(answers) == {401, 429}
    assert guesser.post("/login", data={"password": SECRET}).status_code == 429
    assert visitor(app, ("198.51.100.1", 1)).post("/login", data={"password": SECRET}).status_code == 303


def test_pages_of_other_sites_change_nothing_and_open_no_socket() -> None:
    client = visitor(behind_gate(), host="play.example:8080")
    for origin, is_ours in {
        "http://play.example:8080": True,
        "http://play.example": False,
        "http://evil.example:8080": False,
        "null": False,
        "http://play.example:80x": False,
    }.items():
        headers = {"origin": origin}
        assert client.post("/", headers=headers).status_code == (200 if is_ours else 403), origin
        assert client.get("/", headers=headers).status_code == 200
        assert client.get("/_nicegui_ws/socket.io/", headers=headers).status_code == (200 if is_ours else 403)
        if is_ours:
            with socket_of(client, **headers) as socket:
                socket.receive_json()
        else:
            with pytest.raises(WebSocketDisconnect), socket_of(client, **headers):
                pass
    proxied = visitor(behind_gate(proxies=("203.0.113.9",)), host="play.example")
    ours = {"origin": "https://play.example:8443", "x-forwarded-proto": "https"}
    assert proxied.post("/", headers=ours).status_code == 200


def test_sockets_are_limited_per_address() -> None:
    app = behind_gate()
    with ExitStack() as open_sockets:
        one = open_sockets.enter_context(visitor(app))
        for _ in range(MAX_SOCKETS):
            open_sockets.enter_context(socket_of(one)).receive_json()
        with pytest.raises(WebSocketDisconnect) as error, socket_of(one):
            pass
        assert error.value.code == 1013
        with visitor(app, ("198.51.100.1", 1)) as other, socket_of(other) as socket:
            socket.receive_json()
    with visitor(app) as one, socket_of(one) as socket:
        socket.receive_json()


def test_the_length_of_headers_and_the_host_are_checked() -> None:
    client = visitor(behind_gate(hosts=LOOPBACK), host="localhost")
    assert client.get("/", headers={"x-long": "x" * 20_000}).status_code == 431
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    assert client.get("/", headers={"host": "[::1]:8080"}).status_code == 200


def test_a_server_says_who_can_play() -> None:
    quiet = Invitation("127.0.0.1", None, (), open_training=False)
    assert quiet.in_words(quiet.access(), 8080) == []
    assert quiet.access().owner_key is None
    open_house = Invitation("192.0.2.7", None, (), open_training=False)
    access = open_house.access()
    text = "\n".join(open_house.in_words(access, 8080))
    assert "Everybody on your network can play here at http://192.0.2.7:8080/." in text
    assert "Trainings and tournaments stay with you" in text
    assert f"http://192.0.2.7:8080/?key={access.owner_key}" in text
    assert "--password" in text
    guarded = Invitation("::", SECRET, (), open_training=True)
    access = guarded.access()
    text = "\n".join(guarded.in_words(access, 8080))
    assert "Whoever knows the password" in text
    assert "start trainings" in text
    assert f"?key={access.guest_key}" in text
    assert SECRET not in text
    behind = Invitation("127.0.0.1", None, networks(["127.0.0.1"]), open_training=False)
    text = "\n".join(behind.in_words(behind.access(), 8080))
    assert "Everybody who reaches your proxy can play here." in text
    assert "stay with you: by your own link." in text
    assert behind.access().owner_key is not None


def test_an_empty_password_gives_a_sentence() -> None:
    with pytest.raises(UserError, match="leave the flag out"):
        play(password="")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(service(tmp_path / "runs", f"sqlite:///{tmp_path / 'page.sqlite'}")) as client:
        yield client


def test_health_says_whether_the_database_answers(client: TestClient, tmp_path: Path) -> None:
    assert client.get("/health").json()["status"] == "ok"
    store = client.app.state.rooms.store  # type: ignore[attr-defined]
    with store._begin() as connection:
        connection.exec_driver_sql("DROP TABLE profiles")
    answer = client.get("/health")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert "database" in answer.json()["detail"]


def test_a_few_pages_are_built_at_a_time_and_addresses_take_turns() -> None:
    async def build(builders: Builders, address: str, inside: list[int], built: list[str]) -> None:
        asker.set(address)
        async with builders.turn():
            inside.append(inside[-1] + 1)
            await asyncio.sleep(0)
            inside.append(inside[-1] - 1)
            built.append(address)

    async def everybody() -> tuple[list[int], list[str]]:
        builders, inside, built = Builders(most=2), [0], list[str]()
        tasks = [asyncio.create_task(build(builders, it, inside, built)) for it in "aaaaaabb"]
        await asyncio.sleep(0)
        tasks[3].cancel()  # a cancelled page keeps no other waiting
        await asyncio.gather(*tasks, return_exceptions=True)
        async with builders.turn(), builders.turn():
            return inside, built

    inside, built = asyncio.run(asyncio.wait_for(everybody(), 10))
    assert max(inside) == 2
    assert len(built) == 7
    assert "b" in built[2:4], "the last address need not wait for all pages of the first"
