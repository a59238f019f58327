"""The JSON API with every player and every game that it lists, and the page with games from outside the package."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import foreign
import pytest
from browsing import Mouse, Visitor, in_a_browser, resign, targets
from fastapi.testclient import TestClient
from serving import serving

import randori
from randori import games
from randori.app.service.limits import MAX_SQUARES, Buckets, Rate
from randori.app.service.server import service

OFFERED = [name for name in games.names() if games.game(name).n_squares <= MAX_SQUARES]


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    with foreign.registered():
        yield


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, registered: None) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("served")
    with TestClient(service(folder / "runs", f"sqlite:///{folder / 'page.sqlite'}")) as client:
        client.app.state.rooms.pace = Buckets(Rate(1e6, 1e6))  # type: ignore[attr-defined]  # no limit on requests
        yield client


def ask(client: TestClient, method: str, path: str, body: dict[str, Any] | None = None, status: int = 200) -> Any:
    answer = client.request(method, f"/api{path}", json=body)
    assert answer.status_code == status, (path, body, answer.text)
    return answer.json()


@pytest.mark.parametrize("name", [*foreign.FILES, *OFFERED])
def test_every_listed_player_can_be_played(client: TestClient, name: str) -> None:
    assert name in {it["name"] for it in ask(client, "GET", "/games")}
    game = randori.game(name)
    for spec in [it["spec"] for it in ask(client, "GET", f"/games/{name}/players")]:
        room = ask(client, "POST", "/rooms", {"game": name, "second": spec}, 201)
        path = f"/rooms/{room['id']}"
        room = ask(client, "POST", f"{path}/moves", {"move": room["legal"][-1]})
        assert len(room["moves"]) == 2
        assert ask(client, "POST", f"{path}/hint")["move"] in game.move_names
        assert ask(client, "POST", f"{path}/undo")["moves"] == []
        assert ask(client, "POST", f"{path}/resign")["result"] == 0.0


@pytest.mark.parametrize("name", [*foreign.FILES, *OFFERED])
def test_every_player_shows_its_choice_and_two_can_be_watched(client: TestClient, name: str) -> None:
    room = ask(client, "POST", "/rooms", {"game": name, "first": "heuristic", "second": "person"}, 201)
    minds = ask(client, "GET", f"/rooms/{room['id']}/minds")
    assert len(minds) >= 2
    assert {it["move"] for it in minds.values()} <= {*room["legal"]}
    watched = ask(client, "POST", "/rooms", {"game": name, "first": "greedy", "second": "random"}, 201)
    assert len(ask(client, "POST", f"/rooms/{watched['id']}/step")["moves"]) == 1


@pytest.mark.parametrize("name", foreign.FILES)
def test_a_whole_game_against_the_companion_and_its_review(client: TestClient, name: str) -> None:
    room = ask(client, "POST", "/rooms", {"game": name, "second": "companion"}, 201)
    while not room["over"]:
        room = ask(client, "POST", f"/rooms/{room['id']}/moves", {"move": room["legal"][0]})
    assert room["result"] in (0.0, 0.5, 1.0)
    review = ask(client, "GET", f"/rooms/{room['id']}/review")
    assert len(review["chances"]) == len(room["moves"]) + 1
    assert {it["move"] for it in review["moves"] if it} <= {*room["moves"]}
    again = ask(client, "POST", "/rooms", {"game": name, "moves": room["transcript"]}, 201)
    assert again["over"]
    assert name in ask(client, "GET", "/profile")["ratings"]


def test_a_hint_does_not_come_from_a_random_player(client: TestClient) -> None:
    """These games are not measured, so that only `random` has a rating there."""
    menu = client.app.state.rooms.menu  # type: ignore[attr-defined]
    assert {menu.adviser(randori.game(name)).family for name in foreign.FILES} == {"search"}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("page")
    with serving(folder, foreign.FILES.values()) as server:
        yield server.address


@in_a_browser
@pytest.mark.parametrize("name", foreign.FILES)
def test_a_foreign_game_is_chosen_and_played_on_the_page(visitor: Visitor, name: str) -> None:
    visitor.visit("/")
    game = randori.game(name)
    visitor.click(f".games [data-value={game.family.name}]")
    visitor.until(lambda: visitor.text(".play-card p").startswith(game.title))
    visitor.click(".everybody summary")
    visitor.click(".opponents [data-value=random]")
    visitor.until(lambda: visitor.find(".opponents [data-value=random]").get_attribute("aria-checked") == "true")
    visitor.click("#start")
    visitor.until(lambda: "/game/" in visitor.driver.current_url)
    play_a_move(visitor)
    visitor.until(lambda: visitor.board()["ply"] >= 2)
    visitor.turn()
    visitor.click("#hint")
    visitor.find(".board .hint")
    visitor.click("#minds")
    visitor.find(".mind")
    resign(visitor)
    visitor.until(lambda: "resigned" in visitor.board()["status"])
    visitor.visit(f"/ladder?game={name}")
    visitor.find("main h1")


def play_a_move(visitor: Visitor) -> None:
    """One click, or two if a piece is picked up first: then only its targets are marked."""
    square = visitor.turn()["legal"][-1]
    Mouse(visitor).play(*square)
    visitor.until(lambda: visitor.board()["ply"] > 0 or targets(visitor))
    if visitor.board()["ply"] == 0:
        Mouse(visitor).play(*targets(visitor)[0])
