"""Made-up requests to everything in the API's schema; the answers must be as it promises."""

from collections import Counter

import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

AS_PROMISED = [
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


def operations(client: TestClient, **headers: str) -> list[schemathesis.schemas.APIOperation]:
    schema = schemathesis.openapi.from_asgi("/openapi.json", client.app, headers=headers)
    return [it.ok() for it in schema.get_all_operations()]


def ask_at_random(client: TestClient, n_each: int) -> Counter[int]:
    """Sends `n_each` requests to each operation, half of them about an existing game, and counts the statuses."""
    room = client.post("/api/rooms", json={"game": "tictactoe", "second": "random"}).json()
    cookies = dict(client.cookies)
    statuses: Counter[int] = Counter()
    for operation in operations(client):
        made_up = operation.as_strategy()
        if operation.path_parameters or operation.body:
            made_up |= operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)  # what the schema forbids

        @settings(max_examples=n_each, deadline=None, suppress_health_check=[HealthCheck.too_slow])
        @given(case=made_up, is_real=st.booleans())
        def ask(case: schemathesis.Case, is_real: bool) -> None:
            if is_real and "id" in case.path_parameters:
                case.path_parameters["id"] = room["id"]
            answer = case.call(cookies=cookies, base_url="http://localhost")
            case.validate_response(answer, checks=[not_a_server_error, *AS_PROMISED])
            statuses[answer.status_code] += 1

        ask()
    return statuses
