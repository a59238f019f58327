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
def test_every_answer_to_a_random_request_is_as_promised(client: TestClient) -> None:
    assert sum(ask_at_random(client, 16).values()) > 100


def plain_case(operation: schemathesis.schemas.APIOperation) -> schemathesis.Case:
    known = {"id": "abc", "game": "tictactoe", "puzzle": "abc", "key": "abc"}
    new_games = {path: {"game": "tictactoe"} for path in ("/api/rooms", "/api/invitations")}
    bodies = {**new_games, "/api/profile": {"name": "Ann"}, "/api/rooms/{id}/offer": {"what": "draw"}}
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
def test_refusals_by_the_gate_are_as_promised(client: TestClient, status: int, headers: dict[str, str]) -> None:
    requests = [it for it in operations(client) if status != 403 or it.method != "get"]
    assert {status_of(it, **headers) for it in requests} == {status}


def test_the_refusal_of_a_long_request_is_as_promised(client: TestClient) -> None:
    for operation in operations(client):
        case = plain_case(operation)
        answer = client.request(operation.method, case.formatted_path, content=b"x" * (MAX_BODY + 1))
        assert answer.status_code == 413
        case.validate_response(answer, checks=AS_PROMISED)


def test_refusals_for_haste_and_for_a_lost_database_are_as_promised(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_people = [it for it in operations(client) if "/games" not in it.path and it.path != "/health"]
    rooms = client.app.state.rooms  # type: ignore[attr-defined]

    async def gone(token: str) -> None:
        raise Unavailable("The database does not answer: try again in a moment.")

    with monkeypatch.context() as patch:
        patch.setattr(rooms, "profile_of", gone)
        assert {status_of(it) for it in of_people} == {503}
    monkeypatch.setattr(rooms, "_newcomers", Buckets(Rate(0.0, 0.0)))
    assert {status_of(it) for it in of_people} == {429}


def test_the_refusal_without_a_password_is_as_promised(tmp_path: Path) -> None:
    access = Access("sesame")
    with TestClient(service(tmp_path / "runs", f"sqlite:///{tmp_path / 'page.sqlite'}", access=access)) as client:
        requests = operations(client, authorization=f"Bearer {access.guest_key}")
        assert {it.path: status_of(it) for it in requests if it.path == "/health"} == {"/health": 200}
        assert {status_of(it) for it in requests if it.path != "/health"} == {401}


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


def test_a_request_that_cannot_be_read_is_refused_in_a_sentence(client: TestClient) -> None:
    for body, sentence in {
        '{"game": 3}': "game: Input should be a valid string.",
        '{"game": "tictactoe", "colour": 1}': "colour: Extra inputs are not permitted.",
        "{}": "game: Field required.",
        "{": "1: JSON decode error.",
    }.items():
        answer = client.post("/api/rooms", content=body, headers={"content-type": "application/json"})
        assert (answer.status_code, answer.json()) == (422, {"detail": sentence})
