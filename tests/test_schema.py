"""The API keeps to its schema: made-up requests to everything there is, and each refusal on purpose."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from fastapi.testclient import TestClient
from made_up import AS_PROMISED, ask_at_random, operations

from randori.app.service.access import Access
from randori.app.service.limits import MAX_BODY, MAX_HEADERS, Buckets, Rate
from randori.app.service.refusals import Unavailable
from randori.app.service.server import service


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(service(tmp_path / "runs", f"sqlite:///{tmp_path / 'page.sqlite'}")) as client:
        client.app.state.rooms.pace.clock = itertools.count().__next__  # type: ignore[attr-defined]  # nobody is too quick
        yield client


def status_of(operation: schemathesis.schemas.APIOperation, **headers: str) -> int:
    """Of the answer to a plain request, which is as promised."""
    case = plain_case(operation)
    answer = case.call(base_url="http://localhost", headers=headers)
    case.validate_response(answer, checks=AS_PROMISED)
    return int(answer.status_code)


@pytest.mark.thorough
def test_no_request_breaks_the_service_nor_is_answered_as_not_promised(client: TestClient) -> None:
    assert sum(ask_at_random(client, 16).values()) > 100


def plain_case(operation: schemathesis.schemas.APIOperation) -> schemathesis.Case:
    known = {"id": "abc", "game": "tictactoe", "puzzle": "abc", "key": "abc"}
    begun = {path: {"game": "tictactoe"} for path in ("/api/rooms", "/api/invitations")}
    bodies = {**begun, "/api/profile": {"name": "Ann"}, "/api/rooms/{id}/offer": {"what": "draw"}}
    parameters = {it.name: known[it.name] for it in operation.path_parameters}
    body = bodies.get(operation.path, {"move": "a1"})
    has_body = bool(operation.body)
    return operation.Case(
        path_parameters=parameters, **({"body": body, "media_type": "application/json"} if has_body else {})
    )


@pytest.mark.parametrize(
    ("status", "headers"),
    [(400, {"host": "evil.example"}), (403, {"origin": "http://evil.example"}), (431, {"x-long": "x" * MAX_HEADERS})],
)
def test_what_the_gate_refuses_is_promised(client: TestClient, status: int, headers: dict[str, str]) -> None:
    refused = [it for it in operations(client) if status != 403 or it.method != "get"]
    assert {status_of(it, **headers) for it in refused} == {status}


def test_that_a_request_is_too_long_is_promised(client: TestClient) -> None:
    for operation in operations(client):
        case = plain_case(operation)
        answer = client.request(operation.method, case.formatted_path, content=b"x" * (MAX_BODY + 1))
        assert answer.status_code == 413
        case.validate_response(answer, checks=AS_PROMISED)


def test_haste_and_a_database_that_is_gone_are_promised(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    of_people = [it for it in operations(client) if "/games" not in it.path and it.path != "/health"]
    rooms = client.app.state.rooms  # type: ignore[attr-defined]

    async def gone(token: str) -> None:
        raise Unavailable("The database does not answer: try again in a moment.")

    with monkeypatch.context() as patch:
        patch.setattr(rooms, "whoever", gone)
        assert {status_of(it) for it in of_people} == {503}
    monkeypatch.setattr(rooms, "_newcomers", Buckets(Rate(0.0, 0.0)))
    assert {status_of(it) for it in of_people} == {429}


def test_that_a_password_is_asked_for_is_promised(tmp_path: Path) -> None:
    access = Access("sesame")
    with TestClient(service(tmp_path / "runs", f"sqlite:///{tmp_path / 'page.sqlite'}", access=access)) as client:
        asked = operations(client, authorization=f"Bearer {access.guest_key}")
        assert {it.path: status_of(it) for it in asked if it.path == "/health"} == {"/health": 200}
        assert {status_of(it) for it in asked if it.path != "/health"} == {401}


def test_a_method_that_a_path_lacks_says_which_it_has(client: TestClient) -> None:
    schema = client.get("/openapi.json").json()["paths"]
    for path, methods in schema.items():
        url = path.replace("{id}", "abc").replace("{key}", "abc").replace("{game}", "tictactoe")
        here = {it.upper() for it in methods}
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} - here:
            answer = client.request(method, url)
            assert answer.status_code == 405, (method, url)
            assert {*answer.headers["allow"].split(", ")} == here | ({"HEAD"} if "GET" in here else set())
            assert isinstance(answer.json()["detail"], str)


def test_what_cannot_be_read_is_a_sentence(client: TestClient) -> None:
    for body, told in {
        '{"game": 3}': "game: Input should be a valid string.",
        '{"game": "tictactoe", "colour": 1}': "colour: Extra inputs are not permitted.",
        "{}": "game: Field required.",
        "{": "1: JSON decode error.",
    }.items():
        answer = client.post("/api/rooms", content=body, headers={"content-type": "application/json"})
        assert (answer.status_code, answer.json()) == (422, {"detail": told})
